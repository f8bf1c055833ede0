local test = require "harness"

local function open(name) return reg.store.open(name or "results.db") end

local function add(store, subject, result)
  local trial = store:start { investigation = store:begin { name = "test" }, subject = subject, kind = "night",
    key = reg.store.key { subject = subject }, config = { gpus = "all" } }
  store:finish(trial.id, result)
  return trial
end

test("a trial comes back with all that was said of it", function()
  local store <close> = open "whole.db"
  local trial = add(store, "2023-08-24", { status = "ok", message = "", samples = { mlups = { 587.9, 587.8 }, loss = 0.5 }, wall_s = 55.5,
    peak_bytes = 1000, command = { { "bash", "test.sh" } }, env = { A = "b" }, info = { digest = "sha256:1" } })
  test.truthy(reg.fs.exists(trial.folder), trial.folder)
  local back = store:trials({ key = trial.key })[1]
  test.equal({ back.subject, back.kind, back.status, back.wall_s, back.peak_bytes }, { "2023-08-24", "night", "ok", 55.5, 1000 })
  test.equal(back.samples, { mlups = { 587.9, 587.8 }, loss = { 0.5 } })
  test.equal({ back.config, back.command, back.env, back.info },
    { { gpus = "all" }, { { "bash", "test.sh" } }, { A = "b" }, { digest = "sha256:1" } })
  store:add_samples(trial.id, "mlups", { 1.5 })
  test.equal(store:trials({ subject = "2023-08-24" })[1].samples.mlups, { 587.9, 587.8, 1.5 })
end)

test("equal tables have equal keys, whatever the order; others do not", function()
  test.equal(reg.store.key { a = 1, b = { 2, 3 } }, reg.store.key { b = { 2, 3 }, a = 1 })
  test.truthy(reg.store.key { a = 1 } ~= reg.store.key { a = "1" })
  test.raises("no JSON form", function() reg.store.key { f = print } end, "usage")
end)

test("a trial that is set aside keeps its numbers and says why; one never finished ends as interrupted", function()
  do
    local store <close> = open "aside.db"
    local id = add(store, "a", { status = "ok", samples = { v = 5 } }).id
    store:set_aside(id, "the machine moved")
    local trial = store:trials({ status = "set_aside" })[1]
    test.equal({ trial.id, trial.message, trial.samples.v }, { id, "the machine moved", { 5.0 } })
    local running = store:start { investigation = store:begin {}, subject = "s", key = "k" }
    test.refuses("not_found", store.set_aside, { { "has no ended trial 999", store, 999, "" },
      { "has no ended trial", store, running.id, "" } })
  end
  collectgarbage()  -- the last reference: now the file is closed
  local store <close> = open "aside.db"
  test.equal(test.map(store:trials {}, "status"), { "set_aside", "interrupted" })
end)

test("samples are finite and statuses are known", function()
  local store <close> = open "checks.db"
  test.refuses("usage", add, { { "not finite", store, "a", { status = "ok", samples = { v = 0 / 0 } } },
    { "not finite", store, "a", { status = "ok", samples = { v = { 1, math.huge } } } },
    { "not a status of a trial", store, "a", { status = "fine" } } })
  test.raises("unknown option 'statsu' (did you mean 'status'?)", function() store:trials { statsu = "ok" } end, "usage")
  test.equal(store:query("SELECT count(*) AS n FROM samples"), { { n = 0 } })
end)

test("a query is one read-only statement with one value for each placeholder; median works", function()
  local store <close> = open "sql.db"
  add(store, "even", { status = "ok", samples = { v = { 4, 1, 3, 2 } } })
  add(store, "odd", { status = "ok", samples = { v = { 9, 7, 8 } } })
  local medians = "SELECT subject, median(value) AS m FROM results WHERE metric = ? GROUP BY subject ORDER BY subject"
  test.equal(store:query(medians, "v"), { { subject = "even", m = 2.5 }, { subject = "odd", m = 8.0 } })
  test.equal(store:query("SELECT median(NULL) AS m, ? AS x", nil), { {} })
  -- test_attacks_data.lua has what reaches other files.
  for _, sql in ipairs { "DELETE FROM trials", "DROP TABLE trials", "INSERT INTO subjects(name, kind) VALUES('x', 'y')",
    "CREATE TABLE t(a)", "VACUUM", "UPDATE trials SET status = 'ok'", "BEGIN", "SAVEPOINT s" } do
    test.raises("", function() store:query(sql) end, "permission")
  end
  test.refuses("usage", store.query, { { "syntax error", store, "SELEC 1" },
    { "nowhere", store, "SELECT nowhere FROM trials" }, { "more than one", store, "SELECT 1; DELETE FROM trials" },
    { "2 parameters, but 1 were given", store, "SELECT ?, ?", 1 },
    { "0 parameters, but 1 were given", store, "SELECT 1", "x" } })
  test.equal(store:query "SELECT 1 AS one; -- one statement and a word about it\n", { { one = 1 } })
  test.equal(store:query("SELECT ? AS i, ? AS r, ? AS t, ? AS absent", 1, 1.5, "x", nil), { { i = 1, r = 1.5, t = "x" } })
  test.equal(#store:trials {}, 2)
end)

test("a result is never replaced, and what is not there is named", function()
  local store <close> = open "once.db"
  local done = add(store, "a", { status = "ok", samples = { v = 1 } })
  test.raises("has ended already", function() store:finish(done.id, { status = "crashed", samples = { v = 2 } }) end, "conflict")
  test.raises("has no investigation 99", function() store:start { investigation = 99, subject = "a", key = "a" } end, "not_found")
  test.raises("has no trial 99", function() store:add_samples(99, "v", 1) end, "not_found")
  test.raises("has no trial 999", function() store:finish(999, { status = "ok" }) end, "not_found")
  local trials = store:trials {}
  test.equal({ #trials, trials[1].status, trials[1].samples }, { 1, "ok", { v = { 1.0 } } })
end)

test("out and in as JSONL: nothing twice, bad lines told, the rest kept", function()
  local one <close> = open "one.db"
  add(one, "a", { status = "ok", samples = { v = { 1, 2 } }, wall_s = 3 })
  add(one, "b", { status = "crashed", message = "signal 11" })
  local running = one:start { investigation = one:begin { name = "other" }, subject = "c", key = "k" }
  test.equal({ one:export "trials.jsonl", one:export("trials.jsonl", { investigation = running.investigation }) }, { 2, 0 })
  test.equal(one:export "trials.jsonl", 2)
  local deep = '{"more":' .. ("["):rep(2000000) .. ("]"):rep(2000000) .. "}"
  reg.fs.append("trials.jsonl", '{"no":"trial"}\nnot json\n[1]\n5\n' .. deep .. '\n{"uid":"cut of')
  local two <close> = open "two.db"
  local result = two:import("trials.jsonl")
  test.equal({ result.imported, result.duplicates, #result.bad }, { 2, 0, 6 })
  for i, bad in ipairs(result.bad) do test.equal(bad.line, i + 2) end
  test.truthy(result.bad[5].message:find "nested" and result.bad[6].message:find "cut off", result.bad[6].message)
  test.equal(two:import("trials.jsonl").duplicates, 2)
  test.equal(two:trials({ subject = "a" })[1].samples, { v = { 1.0, 2.0 } })
  test.equal(two:trials({ subject = "b" })[1].message, "signal 11")
  two:export("again.jsonl")
  test.truthy(reg.fs.read("trials.jsonl"):sub(1, #reg.fs.read "again.jsonl") == reg.fs.read "again.jsonl", "another text")
  local three <close> = open "three.db"
  test.equal(three:import("again.jsonl").imported, 2)
end)

test("an unfinished investigation goes on; a finished one is another", function()
  local store <close> = open "inv.db"
  local what = { name = "n", text = "script", options = { a = 1 } }
  local id = store:begin(what)
  test.equal(store:begin(what), id)
  store:finish_investigation(id, { verdict = "no_change" })
  test.truthy(store:begin(what) ~= id)
  test.equal(store:investigations()[1].verdict, '{"verdict":"no_change"}')
end)

test("one path is one store, and a closed one says so", function()
  local store = open "same.db"
  local same = open "./same.db"
  add(store, "x", { status = "ok" })
  test.equal(#same:trials {}, 1)
  store:close()
  store:close()
  test.raises("closed", function() store:trials {} end, "usage")
  test.equal(#same:trials {}, 1)
end)

test("a store that is not there is made, unless that is not wanted", function()
  test.raises("the folder 'absent' does not exist", function() reg.store.open "absent/a.db" end, "not_found")
  test.raises("no such store: absent.db", function() reg.store.open("absent.db", { read_only = true }) end, "not_found")
  test.equal(reg.fs.exists "absent.db", false)
  reg.store.open("absent.db"):close()
  reg.store.open("absent.db", { read_only = true }):close()
end)

test("what a trial's commands wrote is read from the end of its files", function()
  local store <close> = open "output.db"
  local id = store:begin { name = "n" }
  local trial = store:start { investigation = id, subject = "a", key = "k" }
  test.equal(store:output(trial.id), {})
  reg.fs.write(trial.folder .. "/OUT", "one\ntwo\n\27[1mthree\n")
  test.equal(store:output(trial.id), { { name = "OUT", text = "one\ntwo\n\27[1mthree\n", bytes = 18 } })
  test.equal(store:output(trial.id, { keep_bytes = 12 })[1].text, "\27[1mthree\n")
  test.raises("has no trial 99", function() store:output(99) end, "not_found")
  test.raises("must not be negative", function() store:output(trial.id, { keep_bytes = -1 }) end, "usage")
end)

test("a store whose triggers would run at our writes is refused", function()
  reg.store.open("foreign.db"):close()
  local sql = "CREATE TRIGGER t AFTER INSERT ON investigations BEGIN DELETE FROM trials; END"
  test.equal(reg.process.run({ cmd = { "sqlite3", "foreign.db", sql } }).code, 0)
  test.raises("contains a trigger that regengine did not create: t", function() reg.store.open "foreign.db" end, "corrupt")
end)

return test.finish()
