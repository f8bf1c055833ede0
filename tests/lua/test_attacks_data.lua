-- Malicious data: foreign stores, options with metatables, NUL bytes, and terminal escapes.
local test = require "harness"
local attacks = require "attacks"

local sh = attacks.sh

-- Does everything with a store that a script, a report or the prompt would; each step may only fail with an error.
local ASK = [[
local ok, s = pcall(reg.store.open, "foreign.db")
local function speedups(select)
  return reg.results.speedups { files = { "foreign.db" }, select = select, metric = "m", backends = { { name = "any", where = {} } } }
end
if ok then
  for _, ask in ipairs {
    function() return s:trials {} end, function() return s:investigations() end, function() return s:output(1) end,
    function() return s:query "SELECT * FROM runs" end, function() return s:query "SELECT * FROM measurements" end,
    function() return s:query "SELECT * FROM results" end, function() return reg.report.html(s) end,
    function() return reg.share(s) end, function() return reg.answer(s) end,
    function() print(reg.report.table(s:query "SELECT * FROM trials")) end,
    function() return s:export "out.jsonl" end, function() return s:set_aside(1, "x") end,
    function() local i = s:begin { name = "n" } return s:start { investigation = i, subject = "s", key = "k" } end,
    function() return reg.results.export { store = "foreign.db", to = "out-runs.jsonl" } end,
    function() return speedups "exec" end, function() return speedups "compile" end,
    function() local runs = reg.results.runs "foreign.db" while runs:next() do ok = true end end,
  } do
    local went, why = pcall(ask)
    if not went then print((tostring(why):gsub("%c", " "))) end
  end
end
print "came through"]]

-- A store with one trial, changed by the real sqlite3 and then by a shell.
local function foreign(sql, shell)
  sh "rm -rf foreign.db* out.jsonl out-runs.jsonl"
  do
    local s <close> = reg.store.open "foreign.db"
    local trial = s:start { investigation = s:begin { name = "n" }, subject = "s", kind = "night", key = "k" }
    s:finish(trial.id, { status = "ok", samples = { v = { 1, 2 } } })
  end
  collectgarbage()
  reg.fs.write("foreign.sql", "PRAGMA journal_mode = DELETE;\n" .. sql)
  sh "sqlite3 foreign.db < foreign.sql"
  if shell then sh(shell) end
end

local HAS_SQLITE = reg.process.run({ shell = "command -v sqlite3" }).code == 0
if not HAS_SQLITE then
  test("stores by somebody else", function() test.skip "sqlite3 is not installed" end)
else
  sh "mkdir -p outside && echo secret-text > outside/OUT"
  local OUTSIDE = sh "ls -lR outside; cat outside/OUT"
  local NAME = "''); DROP TABLE trials; --<script>alert(1)</script>' || char(27) || ']0;x' || char(7) || '"
  local OUTSIDE_READ = "be read outside the store"
  local NO_SUITE_RUNS = "DROP VIEW runs; DROP VIEW measurements; DROP TABLE suite_runs;"
  -- A store of format 3, which has results of benchmark suites in pieces.
  local OLD = NO_SUITE_RUNS .. [[
    CREATE TABLE texts( id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE );
    CREATE TABLE run_blocks( first INTEGER PRIMARY KEY, heads BLOB NOT NULL, words TEXT NOT NULL,
      spellings TEXT NOT NULL, hashes BLOB NOT NULL );
    CREATE TABLE run_numbers( block INTEGER NOT NULL, metric TEXT, exec BLOB NOT NULL, compile BLOB NOT NULL,
      numbers BLOB NOT NULL, UNIQUE(block, metric) );
    PRAGMA user_version = 3;]]
  local TEXTS = OLD .. [[INSERT INTO texts VALUES
    (1, '{"timestamp":F,"model":M,"experiment":E,"metrics":{"m":[F]},"s":S}'), (2, '{"model_name":"a"}');]]
  -- a block of one run, with the ids of its strings and the number of bytes that it claims to have
  local function block(model, experiment, shape, spelled, spellings, words)
    local head = string.pack("<I8I4I4I4I4", 0, model, experiment, shape, spelled)
    head = head:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    return TEXTS .. ("INSERT INTO run_blocks VALUES(1, x'%s', '%s', '%s', x'');"):format(head, words or '"w"', spellings or "") ..
      "INSERT INTO run_numbers VALUES(1, NULL, x'', x'', zeroblob(8)), (1, 'm', x'000000000000f03f0000000000000000', " ..
      "zeroblob(16), zeroblob(8));"
  end
  local RUN = block(2, 2, 1, 0)
  -- { what, SQL, what it must not do (by default: break a reader), shell = what else is done to the file }
  for _, attack in ipairs {
    { "SQL and HTML in names", ("UPDATE subjects SET name = '%s'; UPDATE samples SET metric = '%s'; UPDATE investigations " ..
      "SET name = '%s'; UPDATE trials SET key = '%s';"):format(NAME, NAME, NAME, NAME), "change a table or run" },
    { "text where numbers belong", [[UPDATE samples SET value = 'x';
      UPDATE trials SET started = 'x', wall_s = x'00ff', peak_bytes = 'x', ended = 'y';]] },
    { "negative sizes and huge numbers", [[UPDATE samples SET value = 9e999;
      UPDATE trials SET peak_bytes = -9223372036854775808, wall_s = 9e999, started = -9e999, ended = 9e999;]] },
    { "an id at the end of the numbers", [[PRAGMA foreign_keys = OFF; UPDATE trials SET id = 9223372036854775807;
      UPDATE samples SET trial = 9223372036854775807;]] },
    { "texts that are no UTF-8, with NUL bytes", [[UPDATE subjects SET name = CAST(x'ff00fe41' AS TEXT);
      UPDATE samples SET metric = CAST(x'6100ff' AS TEXT); UPDATE trials SET message = CAST(x'00c0af' AS TEXT);]] },
    { "NULL where there is none", [[PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')
        WHERE name IN ('trials', 'subjects', 'investigations'); PRAGMA writable_schema = RESET;
      UPDATE trials SET status = NULL, config = NULL, info = NULL, started = NULL, key = NULL;
      UPDATE subjects SET name = NULL, kind = NULL;
      UPDATE investigations SET name = NULL, options = NULL, script_text = NULL, started = NULL;]] },
    { "JSON that is none", [[UPDATE trials SET config = '{', command = '[[[', env = '1e999', info = 'x';
      UPDATE investigations SET options = '[', facts = 'null', verdict = '{"a":';]] },
    { "JSON of other kinds", [[UPDATE trials SET config = '1', command = '"x"', env = '[1]', info = 'null';
      UPDATE investigations SET options = '[1]', facts = '"x"', ended = 1,
        verdict = '{"kind":[],"changes":5,"points":"x","series":{"a":1}}';]] },
    { "JSON that nests 100000 deep", [[UPDATE trials SET info = replace(printf('%100000s', ''), ' ', '[');
      UPDATE investigations SET options = replace(printf('%100000s', ''), ' ', '['), facts = options,
        verdict = replace(printf('%100000s', ''), ' ', '{"a":');]], "break the stack" },
    { "a view in the place of a table", "DROP TABLE samples; " ..
      "CREATE VIEW samples AS SELECT 1 AS trial, 'v' AS metric, 0 AS n, zeroblob(9) AS value;" },
    { "trials as a view", "ALTER TABLE trials RENAME TO t; CREATE VIEW trials AS SELECT * FROM t;" },
    { "a trigger", "CREATE TRIGGER t AFTER UPDATE ON trials BEGIN DELETE FROM samples; END;", "run at a write" },
    { "a generated column", "ALTER TABLE trials ADD COLUMN g AS (abs(-9223372036854775807 - id));" },
    { "a virtual table", "DROP VIEW results; CREATE VIRTUAL TABLE results USING fts5(trial, value);" },
    { "a module that is not there", [[PRAGMA writable_schema = ON; INSERT INTO sqlite_schema
      VALUES('table', 'evil', 'evil', 0, 'CREATE VIRTUAL TABLE evil USING evil(x)');]], "be loaded" },
    { "missing tables", "DROP VIEW results; DROP TABLE samples; " .. NO_SUITE_RUNS },
    { "missing tables of format 3", OLD .. "DROP TABLE run_numbers; DROP TABLE texts;" },
    { "a page of noise", "", shell = [[for at in 1 2 3 4 5 6; do
      printf '\377\377\377\177' | dd of=foreign.db bs=1 seek=$((at * 4096)) conv=notrunc 2>&1; done]] },
    { "a file that is cut off", "", shell = "truncate -s 9000 foreign.db" },
    { "a folder of ../", "UPDATE trials SET folder = '../outside';", OUTSIDE_READ },
    { "an absolute folder", "UPDATE trials SET folder = '/etc';", OUTSIDE_READ },
    { "a folder that is a link", "UPDATE trials SET folder = 'link';", OUTSIDE_READ,
      shell = "mkdir -p foreign.db.out && ln -s ../outside foreign.db.out/link" },
    { "a file of the output that is a link", "UPDATE trials SET folder = 'there';", OUTSIDE_READ,
      shell = "mkdir -p foreign.db.out/there && ln -s ../../outside/OUT foreign.db.out/there/OUT" },
    { "an output folder that is a link", "UPDATE trials SET folder = 'outside';", OUTSIDE_READ,
      shell = "rm -rf foreign.db.out && ln -s . foreign.db.out" },
    { "a result that is not JSON", [[INSERT INTO suite_runs
      VALUES(1, '{', 'h', 'x', NULL), (2, x'00ff7b', 'i', 9e999, '['), (-1, '', 'j', 1, '');]] },
    { "a result that nests 100000 deep", [[INSERT INTO suite_runs
      VALUES(1, replace(printf('%100000s', ''), ' ', '['), 'h', 1, NULL),
        (2, replace(printf('%100000s', ''), ' ', '{"a":'), 'i', 1, NULL);]], "break the stack" },
    { "a result with the largest number", [=[INSERT INTO suite_runs VALUES(9223372036854775807,
      '{"model":{},"experiment":{},"metrics":{"m":[1,[2]],"":null}}', 'h', NULL, NULL);]=] },
    { "a text with a huge number", RUN .. "INSERT INTO texts VALUES(-1, 'a'), (4611686018427387904, 'b');",
      "take the machine's memory" },
    { "a run whose texts are not there", block(99, 4294967295, 1, 0) },
    { "a run whose shape is not there", block(2, 2, 4294967295, 0) },
    { "a run without its words", block(2, 2, 1, 0, "", "") },
    { "a word that does not end", block(2, 2, 1, 0, "", '"\\') },
    { "a spelling without its end", block(2, 2, 1, 1, "0"), "keep the reader for ever" },
    { "a spelling beyond the numbers", block(2, 2, 1, 6, "99 1.0") },
    { "spellings that are longer than there are", block(2, 2, 1, 4294967295, "0 1") },
    { "a run without its numbers", RUN .. "UPDATE run_numbers SET numbers = x'00';" },
    { "numbers of no block", RUN .. "UPDATE run_numbers SET block = -1;" },
    { "a metric that comes twice in a shape", RUN ..
      [[UPDATE texts SET text = '{"timestamp":F,"metrics":{"m":F,"o":[F,F,F],"m":[F]}}' WHERE id = 1;]] },
    { "a shape that is no JSON", RUN .. [[UPDATE texts SET text = ']"IFS{"metrics":{"' WHERE id = 1;]] },
    { "an empty shape and an empty model", RUN .. [[UPDATE texts SET text = '' WHERE id = 2;
      UPDATE texts SET text = '{"x":M,"timestamp":F,"metrics":{"m":E}}' WHERE id = 1;]] },
    { "a block whose head is cut", RUN .. "UPDATE run_blocks SET heads = x'0102030405';" },
    { "a block at the end of the numbers", RUN ..
      "UPDATE run_blocks SET first = 9223372036854775807; UPDATE run_numbers SET block = 9223372036854775807;" },
    { "blocks of texts and numbers", RUN .. [[UPDATE run_blocks SET heads = 12, words = 5, spellings = x'00';
      UPDATE run_numbers SET numbers = 'text', exec = 7; UPDATE run_numbers SET metric = 7 WHERE metric = 'm';]] },
  } do
    test(attack[1] .. " may not " .. (attack[3] or "break a reader"), function()
      foreign(attack[2], attack.shell)
      local code, out, err = attacks.run(ASK, {})
      local all = ("code %s\n%s\n%s"):format(code, out:sub(1, 3000), err:sub(1, 1000))
      test.equal(code, 0, all)
      test.truthy(out:find "came through\n$", all)
      test.lacks(out .. err, "\27", "\7", "secret-text")
      test.equal(sh "ls -lR outside; cat outside/OUT", OUTSIDE)
    end)
  end

  for name, endless in pairs {
    trials = "ALTER TABLE trials RENAME TO t; CREATE VIEW trials AS SELECT t.* FROM t, (%s);",
    samples = "DROP TABLE samples; CREATE VIEW samples AS SELECT 1 AS trial, 'v' AS metric, n, 1.5 AS value FROM (%s);",
    investigations = "ALTER TABLE investigations RENAME TO i; CREATE VIEW investigations AS SELECT i.* FROM i, (%s);",
    suite_runs = NO_SUITE_RUNS .. "CREATE VIEW suite_runs AS SELECT n AS run, 'x' AS line FROM (%s);",
  } do
    test("a view without an end in the place of " .. name .. " may not keep the engine", function()
      foreign(endless:format "WITH RECURSIVE e(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM e) SELECT n FROM e")
      local code, out, err = attacks.run([[local ok, s = pcall(reg.store.open, "foreign.db")
        for _, ask in ipairs(ok and { function() s:trials {} end, function() s:export "out.jsonl" end,
          function() s:start { investigation = s:begin { name = "n" }, subject = "s", key = "k" } end,
          function() reg.results.export { store = "foreign.db", to = "out-runs.jsonl" } end,
          function() reg.results.speedups { files = { "foreign.db" }, backends = { { name = "a", where = {} } } } end } or {}) do
          pcall(ask)
        end
        print "came through"]], { "--memory", "64M" })
      test.equal({ code, out }, { 0, "came through\n" }, err)
    end)
  end
end

-- A script that prints what the code raises.
local function told(code) return ("print(select(2, pcall(function() %s end)))"):format(code) end

-- --- memory limits: the peak is that of the whole engine, with 64 MiB for the script, as much for SQLite
local function peak_of(code)
  reg.fs.write("attack.lua", code)
  local run = reg.process.run { cmd = { attacks.engine, "--instructions", "9000000000", "--memory", "64M", "attack.lua" },
    env = { ASAN_OPTIONS = "quarantine_size_mb=1" }, timeout_s = 600 }  -- AddressSanitizer keeps freed memory
  return run.peak_bytes, run.stdout, ("code %s\n%s\n%s"):format(run.code, run.stdout, run.stderr)
end
sh "truncate -s 100G sparse"
local SQLITE = "SQLite needs more memory than it may have"
local function counted(limit, what, more)
  return ([[local s <close> = reg.store.open "sql.db" s:query("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t ]]
    .. [[LIMIT %d) SELECT %s FROM t %s")]]):format(limit, what, more or "")
end
for _, attack in ipairs {
  { "a JSON text of many values", [[reg.json.decode("[" .. ("0,"):rep(1e7) .. "0]")]], "not enough memory" },
  { "a JSON text of many tables", [[reg.json.decode("[" .. ("{\"a\":[]},"):rep(2e6) .. "0]")]], "not enough memory" },
  { "a file of 100 GB", [[reg.fs.read "sparse"]], "more than the script may hold" },
  { "a table that holds others again and again", "local t = {} for _ = 1, 15 do t = { t, t, t, t } end reg.json.encode(t)",
    "the JSON is too large" },
  { "a median of many numbers", counted(20000000, "median(n)"), SQLITE },
  { "a text that SQL joins", counted(500, "group_concat(printf('%1000000d', n))"), "string or blob too big" },
  { "rows that are sorted", counted(9000, "hex(randomblob(20000)) AS a", "ORDER BY a"), SQLITE },
} do
  test(attack[1] .. " may not take the machine's memory", function()
    local peak, out, all = peak_of(told(attack[2]))
    test.truthy(out:find(attack[3], 1, true), all)
    test.truthy(peak < 350 << 20, peak .. "\n" .. all)
  end)
end

-- Runs the script with a small limit of memory, unless `options` say otherwise.
local function tells(code, words, options)
  local status, out, err = attacks.run(told(code), options)
  test.equal(status, 0, out .. err)
  test.truthy(out:find(words, 1, true), out .. err)
end

-- --- what SQL must not do
local function query(sql) return ([[local s <close> = reg.store.open "sql.db" print(select(2, pcall(s.query, s, %q)))]]):format(sql) end
for _, attack in ipairs {
  { "ATTACH", "ATTACH 'attached.db' AS x", "not authorized" },
  { "PRAGMA", "PRAGMA journal_mode = DELETE", "not authorized" },
  { "load_extension", "SELECT load_extension('./evil')", "not authorized" },
  { "fts3_tokenizer", "SELECT fts3_tokenizer('simple', x'4141414141414141')", "not authorized" },
  { "the address of a tokenizer", "SELECT hex(fts3_tokenizer('simple'))", "not authorized" },
  { "a tokenizer", "SELECT * FROM fts3tokenize", "no such table" },
  { "the count of a tokenizer's rows", "SELECT count(*) FROM fts3tokenize", "no such table" },
  { "the pages of the file", "SELECT * FROM dbstat", "no such table" },
  { "a pragma as a table", "SELECT * FROM pragma_database_list", "not authorized" },
  { "the count of a pragma's rows", "SELECT count(*) FROM pragma_module_list", "not authorized" },
  { "an R-tree", "SELECT rtreecheck('trials')", "not authorized" },
  { "sqlite_log", "SELECT sqlite_log(1, 'x')", "not authorized" },
  { "a value of 17 MB", "SELECT length(zeroblob(17825792))", "too big" },
  { "a long pattern", "SELECT 'x' LIKE printf('%%%1000d', 1)", "pattern too complex" },
  { "writefile", "SELECT writefile('attached.db', 'x')", "no such function: writefile" },
  { "readfile", "SELECT readfile('/etc/passwd')", "no such function: readfile" },
  { "VACUUM INTO", "VACUUM INTO 'attached.db'", "authorization denied" },
  { "a temporary table", "CREATE TEMP TABLE t(a)", "not authorized" },
  { "a huge zeroblob", "SELECT zeroblob(2147483648)", "too big" },
  { "a NUL byte", "SELECT 1\0; DELETE FROM trials", "NUL byte" },
} do
  test(attack[1] .. " in a query may not reach a file or be left out", function()
    tells(([[local s <close> = reg.store.open "sql.db" s:query(%q)]]):format(attack[2]), attack[3])
    test.truthy(not reg.fs.exists "attached.db")
  end)
end
for _, name in ipairs { "file:%2ftmp%2fany.db?x=.db", "file:any.db?mode=memory&x=.db", "file:///tmp/any.db" } do
  test("the name " .. name .. " of a store may not be taken for a URI", function()
    local code, out, err = attacks.run(("local s <close> = reg.store.open %q s:begin { name = 'n' }"):format(name))
    test.truthy(not reg.fs.exists "/tmp/any.db", out .. err)
    test.equal(code == 0, reg.fs.exists(name), out .. err)
  end)
end
test("a journal beside a store may not have another file deleted", function()
  reg.store.open("journal.db"):close()
  sh "rm -f journal.db-*"
  local victim = reg.fs.absolute "victim"
  reg.fs.write("victim", "x")
  attacks.write_super_journal("journal.db", victim)
  for _, ask in ipairs { 'reg.store.open "journal.db"', 'reg.store.open("journal.db", { read_only = true })',
    'reg.results.export { store = "journal.db", to = "out.jsonl" }' } do
    local code, _, err = attacks.run(ask)
    test.equal(code, 1)
    test.has(err, "journal.db-journal names another file, which SQLite would delete")
    test.truthy(reg.fs.exists "victim")
  end
  if not HAS_SQLITE then return test.skip "sqlite3 is not installed" end
  sh "sqlite3 journal.db 'SELECT count(*) FROM trials'"
  test.truthy(not reg.fs.exists "victim", "SQLite itself does not delete it")
end)
local STOPPED = "stopped after 3000000 Lua instructions without an effect"
attacks.all {
  { "a query without an end", "go on for ever",
    ends = STOPPED, code = query "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t" },
  { "a query without an end that is caught", "be asked again and again",
    ends = STOPPED, code = [[local s <close> = reg.store.open "sql.db" while true do
    pcall(s.query, s, "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT max(n) FROM t") end]] },
  { "rows without an end", "take the machine's memory", says = "not enough memory",
    options = { "--instructions", "9000000000", "--memory", "64M" },
    code = query "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT printf('%1000000d', n) AS a FROM t" },
}
test("a query without an end may not outlive the signal to stop", function()
  reg.fs.write("attack.lua", 'reg.fs.write("begun", "") ' ..
    query "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t")
  local run = reg.process.run { shell = [["$REGENGINE" --instructions 9000000000000000 attack.lua & pid=$!
    until [ -e begun ]; do sleep 0.1; done; kill -TERM $pid; wait $pid]], timeout_s = 600 }
  test.equal({ run.code, run.timed_out }, { 130, false }, run.stderr)
end)

-- --- options with metatables
local OTHERWISE = "local n = 0 local t = setmetatable({}, { __index = function(_, k) if k == 'cmd' then n = n + 1 " ..
  "return n == 1 and { 'true' } or { 'touch', 'REACHED' } end end }) "
local function raising(call) return told(call .. "(setmetatable({}, { __index = function() error('mine', 0) end }))") end
local function no_list(list) return told("reg.process.run { cmd = " .. list .. " }") end
local CMD = "attack.lua:1: process.run: 'cmd' must be a list "
local HOLES = CMD .. "without holes or named keys"
attacks.all {
  { "a nested table in a command", "be a word", says = CMD .. "of strings, not a table", code = no_list "{ 'echo', { 'x' } }" },
  { "nothing in a command", "be a word", says = CMD .. "of strings, not nothing", code = no_list "{ 'echo', nil, 'x' }" },
  { "a task in a command", "be a word", says = CMD .. "of strings, not a userdata", code = no_list "{ reg.spawn(type, 1) }" },
  { "a hole in a list", "leave out what stands behind it", says = HOLES, code = no_list "{ 'echo', [3] = 'b' }" },
  { "a name in a list", "be left out", says = HOLES, code = no_list "{ 'echo', x = 'b' }" },
  { "an __index and a __len", "make a list", says = "attack.lua:1: process.run: 'cmd' is empty",
    code = no_list "setmetatable({}, { __index = function() return 'x' end, __len = function() return 1 << 50 end })" },
  { "a line as a command", "be split by somebody", code = no_list "'touch REACHED'",
    says = CMD .. "of strings, not a string\n  Pass a shell command as 'shell'." },
  { "options that raise, to a process,", "break it", says = "mine", code = raising "reg.process.run" },
  { "options that raise, to a container,", "break it", says = "mine", code = raising "reg.container.run" },
  { "options that raise, to a search,", "break it", says = "mine", code = raising "reg.search" },
  { "options that raise, to a trial,", "break the store", says = "mine\n0",
    code = [[local s <close> = reg.store.open "raise.db"
    print(select(2, pcall(s.start, s, setmetatable({}, { __index = function() error("mine", 0) end })))) print(#s:trials {})]] },
  { "options that yield", "break what reads them", says = "false", code = [[print((pcall(reg.process.run,
    setmetatable({}, { __index = function() reg.sleep(0) coroutine.yield() end }))))]] },
  { "options that close a store", "read what is gone", says = "0 files", code = [[local s = reg.store.open "closed.db"
    local t = s:start { investigation = s:begin { name = "a" }, subject = "b", key = "c" } s:finish(t.id, { status = "ok" })
    local files = s:output(t.id, setmetatable({}, { __index = function() s:close() KEPT = ("A"):rep(400) end }))
    print(#files .. " files")]] },
  { "options that close a worktree", "check out into what is gone", says = "40", code = [[
    reg.process.run { shell = "git init -q gone && git -C gone commit -q --allow-empty -m first" }
    local tree = reg.git.open("gone"):worktree "gone/tree"
    local options = setmetatable({}, { __index = function() tree:close() collectgarbage() end })
    print(#tree.checkout(tree, "HEAD", options).id)]] },
  { "a __pairs and a __len", "be asked by JSON", says = '{"a":1}',
    code = [[print(reg.json.encode(setmetatable({ a = 1 }, { __pairs = function() error "asked" end, __len = error })))]] },
  { "a __len that lies", "keep a table's writer for ever", ends = STOPPED, code = [[reg.report.table(setmetatable({}, {
    __len = function() return 1 << 60 end, __index = function(_, i) return { a = i } end }), { columns = { "a" } })
    while true do end]] },
  { "a __tostring that raises", "break a table's writer", says = "mine",
    code = told "reg.report.table { { a = setmetatable({}, { __tostring = function() error('mine', 0) end }) } }" },
}
for _, number in ipairs { "0/0", "1/0", "-1/0", "1e300", "math.mininteger", "2.5" } do
  for option, call in pairs { keep_bytes = "reg.process.run { cmd = { 'true' }, keep_bytes = %s }",
    limit = "local s <close> = reg.store.open 'n.db' s:trials { limit = %s }", width = "reg.report.table({ { a = 1 } }, { width = %s })",
    height = "reg.report.plot({ values = { 1, 2 } }, { height = %s })" } do
    test(number .. " may not be a " .. option, function()
      tells(call:format(number), "'" .. option .. "' must be an integer")
    end)
  end
end
for _, number in ipairs { "0/0", "1/0", "-1", "math.mininteger" } do
  test(number .. " may not be a timeout", function()
    tells(("reg.process.run { cmd = { 'true' }, timeout_s = %s }"):format(number), "'timeout_s' must not be negative")
  end)
end

test("a table that answers otherwise the second time may not run what is not permitted", function()
  reg.fs.write("attack.lua", OTHERWISE .. "reg.process.run(t)")
  local run = reg.process.run { shell = "\"$REGENGINE\" --allow process=true attack.lua < /dev/null",
    env = { XDG_STATE_HOME = reg.fs.absolute "nobody" } }
  test.truthy(run.code ~= 0 and run.stderr:find("not permitted: process=touch", 1, true), run.stderr)
  test.truthy(not reg.fs.exists "REACHED")
end)

attacks.all { { "a NUL byte in the name of a metric", "make two metrics one", says = "1.0\t2.0", code = [[
  local s <close> = reg.store.open "nul.db"
  local t = s:start { investigation = s:begin {}, subject = "s", key = "k" }
  s:finish(t.id, { status = "ok", samples = { ["a\0b"] = 1, ["a\0c"] = 2 } })
  local back = s:trials {}[1].samples print(back["a\0b"][1], back["a\0c"][1])]] } }

-- --- NUL bytes in names: reported, not truncated
sh "rm -rf repo && git init -q repo && git -C repo -c user.name=x -c user.email=x@x commit -q --allow-empty -m one"
for _, attack in ipairs {
  { "a repository", [[reg.git.open "repo\0x"]] }, { "a revision", [[reg.git.open("repo"):find "HEAD\0x"]] },
  { "a commit's id", [[reg.git.open("repo"):find { id = "HEAD\0x" }]] },
  { "the start of a log", [[reg.git.open("repo"):log { from = "HEAD\0x" }]] },
  { "the end of a log", [[reg.git.open("repo"):log { to = "HEAD\0x" }]] },
  { "a worktree", [[reg.git.open("repo"):worktree "tree\0x"]] }, { "a clone", [[reg.git.clone("repo", "cut\0x")]] },
  { "a filter", [[reg.git.clone("repo", "cut", { filter = "blob:none\0x" })]] },
  { "a patch", [[local t = reg.git.open("repo"):worktree "tree" t:checkout("HEAD", { patch = "p\0x" })]] },
  { "a file", [[reg.fs.write("cut\0x", "")]] }, { "a folder", [[reg.fs.mkdir "cut\0x"]] },
  { "a store", [[reg.store.open "cut\0x.db"]] }, { "a CSV file", [[reg.report.csv({ { a = 1 } }, "cut\0x")]] },
  { "a program", [[reg.process.run { cmd = { "true\0x" } }]] },
  { "a shell's line", [[reg.process.run { shell = "true\0x" }]] },
  { "a file of output", [[reg.process.run { cmd = { "true" }, out = "cut\0x" }]] },
  { "a folder of a process", [[reg.process.run { cmd = { "true" }, cwd = ".\0x" }]] },
  { "a variable", [[reg.process.run { cmd = { "true" }, env = { A = "x\0y" } }]] },
  { "a variable that is taken out", [[reg.process.run { cmd = { "true" }, unset = { "PATH\0x" } }]] },
  { "a source of CUDA", [[reg.cuda.compile("x\0y", { arch = "sm_80" })]] },
  { "a file of results", [[reg.results.files "cut\0x"]] },
    { "results that are read", [[reg.results.runs { files = { "cut\0x" } }]] },
  { "results that are written, by a path that seems to stay here,",
    [[reg.results.export { store = "none.db", to = "cut\0/../" .. "out.jsonl" }]] },
  { "a store of results", [[reg.results.export { store = "cut\0x", to = "out.jsonl" }]] },
  { "a result to verify", [[reg.verify { reference = "cut\0x.npy", result = "cut\0x.npy" }]] },
  { "a suite", [[reg.suite.load "cut\0x"]] }, { "a trace", [[reg.trace.read "cut\0x"]] },
  { "a folder of a trace", [[reg.trace.run { cmd = { "true" }, folder = "cut\0x" }]] },
  { "a report of Nsight Systems", [[reg.nsys.kernels "cut\0x"]] }, { "a dump", [[reg.hlo.read "cut\0x"]] },
} do
  test("a NUL byte may not cut the name of " .. attack[1], function()
    tells(attack[2], "NUL byte", { "--trust" })
    test.truthy(not reg.fs.exists "cut" and not reg.fs.exists "cut.db")
  end)
end

-- --- terminals: `script` makes one that records the output. Without a terminal the bytes are written unchanged.
local EVIL = [["\27]0;own\7\27[31mred\27[2J\r\8\155\u{9b}\u{202e}\u{2066}"]]
local function on_terminal(command)
  return reg.process.run({ cmd = { "script", "-qec", "'" .. attacks.engine .. "' " .. command, "/dev/null" }, timeout_s = 600,
    env = { TERM = "xterm", COLUMNS = "100" } }).stdout
end
local function drives(out)
  for _, bad in ipairs { "\27]", "\27[31m", "\27[2J", "\7", "\8", "\u{9b}", "\u{202e}", "\u{2066}" } do
    if out:find(bad, 1, true) then return true end
  end
end

if reg.process.run({ shell = "command -v script" }).code ~= 0 then
  test("names on a terminal", function() test.skip "script (of bsdutils) is not installed" end)
else
  sh "git -C repo -c user.name=x -c user.email=x@x commit -q --allow-empty -m \"$(printf 'evil\\033]0;own\\007one')\""
  for _, attack in ipairs {
    { "print", "print(evil)" }, { "a log line", "reg.log.info(evil) reg.log.warn(evil)" },
    { "a table's names and cells", "print(reg.report.table { { [evil] = evil } })" },
    { "a plot's labels", "print(reg.report.plot({ values = { 1, 2 }, labels = { evil, evil .. 2 } }, { title = evil, y_label = evil }))" },
    { "a title of progress",
      "local p <close> = reg.progress { title = evil, total = 2 } p:update { done = 1, note = evil, subject = evil }" },
    { "a subject, its metric and a sweep's title",
      "reg.sweep({ evil }, { into = reg.store.open 'evil.db', title = evil, measure = function() return { [evil] = 1 } end })" },
    { "a share of such a store", "print((reg.share(reg.store.open 'evil.db')))" },
    { "the rows of such a store", "print(reg.report.table(reg.store.open('evil.db'):query 'SELECT * FROM results'))" },
    { "a commit's subject", "print(reg.git.open('repo'):resolve('HEAD').subject)" },
    { "a file's name", "reg.fs.write(evil, '') reg.fs.read(evil .. 'none')" },
    { "an error", "error(evil)" }, { "an error's message and hint", "error { kind = evil, message = evil, hint = evil }" },
    { "a traceback", "local function f() error(evil) end f()" },
  } do
    test(attack[1] .. " may not drive a terminal", function()
      reg.fs.write("terminal.lua", "local evil = " .. EVIL .. "\n" .. attack[2])
      local out = on_terminal "--trust terminal.lua"
      test.truthy(not drives(out), ("%q"):format(out))
      test.truthy(out:find("own", 1, true), ("%q"):format(out))  -- the text itself is there
    end)
  end
end

return test.finish()
