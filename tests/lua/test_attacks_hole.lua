-- The box alone, every check of regengine passed by: native code in the process that runs an untrusted script, as a
-- hole in Lua, SQLite, libgit2 or PCRE would bring it (tests/support/fakes/hole.c). It is tested in two other ways:
--
--   off     the attack in an engine whose checks are off where it runs the script (attacks_outside.lua: every attack of
--           test_attacks_permissions, _declared and _found runs so a second time; the rest are at the end of this file)
--   forged  requests that native code writes to the broker itself (test_attacks_forged.lua)

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"
local outside = require "attacks_outside"

local sh = attacks.sh
local SECRET = sandboxed.SECRET
local injection = attacks.injection()
local fakes = test.variable "REGENGINE_FAKES"

local ATTEMPTS = { "read", "read-passwords", "read-memory", "read-home", "read-environment", "write", "make", "trust",
  "truncate", "open-and-truncate", "remove", "rename", "take", "link", "mode", "owner", "times", "device", "execute",
  "shell", "child", "connect", "send", "kill", "kill-all", "trace", "write-memory", "type", "clock", "mount", "leave",
  "ring", "open-without-access", "signal-by-file", "lease", "terminal", "datagram", "watch", "priority", "affinity", "freeze",
  "journal", "injection", "token", "raise-limit", "set-id" }
-- AddressSanitizer reserves more memory than any limit allows, so an engine with it has none.
if sh("ldd \"$REGENGINE\""):find("libasan", 1, true) == nil then table.insert(ATTEMPTS, "memory") end

-- The script prints what came of it. `version`: of Landlock; nil for what this kernel has. `script`: where it comes from.
local function attempt(name, options, version, script)
  sh "rm -rf ws outside state home && mkdir -p ws outside state/regengine home && touch state/regengine/trusted home/hole"
  sh "chmod 600 state/regengine/trusted"
  reg.fs.write("outside/secret.txt", SECRET)
  reg.fs.write("ws/hole-" .. name, "")
  reg.fs.write("ws/script.lua", ("print(reg.fs.read 'hole-%s')"):format(name))
  return reg.process.run { shell = "exec setsid -w \"$REGENGINE\" " .. options .. " " .. (script or "script.lua"), cwd = "ws", env = {
    LD_PRELOAD = fakes .. "/hole.so " .. fakes .. "/landlock.so", FAKE_LANDLOCK_VERSION = tostring(version or 99),
    XDG_STATE_HOME = reg.fs.absolute "state", HOME = reg.fs.absolute "home",
    TOKEN_OF_ANN = SECRET, INJECTION = injection, ASAN_OPTIONS = "verify_asan_link_order=0" }, timeout_s = 120 }
end

local function held(name, version, options)
  test(("native code must not %s, Landlock version %d %s"):format(name, version, options or ""), function()
    local run = attempt(name, options or "", version)
    local said = run.stdout .. run.stderr
    test.equal(run.code, 0, said)
    test.truthy(not run.stdout:find("did it", 1, true) and run.stdout ~= "", said)
    test.equal(reg.fs.read "outside/secret.txt", SECRET)
    for _, made in ipairs { "outside/new", "ws/REACHED", "REACHED", "ws/taken", "ws/device", "ws/set-id",
      "state/regengine/forged.journal" } do
      test.truthy(not reg.fs.exists(made), made .. ": " .. said)
    end
  end)
end

if sandboxed.is_missing "the sandbox" then return test.finish() end
local versions = sandboxed.versions()
for _, version in ipairs(versions) do
  for _, name in ipairs(version > 0 and ATTEMPTS or {}) do held(name, version) end
end

-- gpu=run compiles CUDA code in this process: what an #include reaches is what the process reaches.
for _, name in ipairs { "read", "read-passwords", "read-home", "write", "shell", "connect" } do
  held(name, versions[#versions], "--allow gpu=run")
end

test("native code must not change a script that came by standard input", function()
  local run = attempt("change-script", "-", nil, "<script.lua")
  test.equal(run.code, 0, run.stderr)
  test.equal(run.stdout, "Operation not permitted\n", run.stderr)
end)

test("the attempts work where nothing holds them", function()
  for _, name in ipairs { "read", "write", "make", "times", "shell", "connect", "child", "journal", "injection", "token", "set-id",
    "memory" } do
    local run = attempt(name, "--trust")
    test.equal(run.stdout, "did it\n", name .. ": " .. run.stderr)
  end
end)

-- --- The engine's checks off.
if outside.missing then return test.finish() end

-- Runs a script with the checks off; returns its output and its exit code.
local function unguarded(code, setup)
  sh "rm -rf ws victim && mkdir ws && echo kept >victim"
  if setup then setup() end
  reg.fs.write("ws/found.lua", code)
  local run = reg.process.run { shell = "exec setsid -w \"" .. outside.UNGUARDED .. "\" found.lua", cwd = "ws",
    env = { XDG_STATE_HOME = reg.fs.absolute "nobody" }, timeout_s = 120 }
  return run.stdout .. run.stderr, run.code
end

test("C1: a jump to an address that SQL names ends the script's process, and nothing else", function()
  local said, code = unguarded [[local s <close> = reg.store.open "x.db"
    s:query "SELECT fts3_tokenizer('simple', x'4141414141414141')"
    print(#s:query "SELECT * FROM fts3tokenize")]]
  -- Some builds of SQLite lack the function; AddressSanitizer ends the process itself.
  test.truthy(code == 139 and said:find("signal 11 ended the process that ran the script", 1, true) or
    said:find("no such function", 1, true) or said:find("AddressSanitizer", 1, true), said)
  test.equal(reg.fs.read "victim", "kept\n")
end)

test("C4: SQLite cannot delete the file that a journal names", function()
  for _, ask in ipairs { 'reg.store.open "x.db"', 'reg.store.open("x.db", { read_only = true })' } do
    local said = unguarded(ask, function()
      reg.store.open("ws/x.db"):close()
      sh "rm -f ws/x.db-*"
      attacks.write_super_journal("ws/x.db", reg.fs.absolute "victim")
    end)
    test.truthy(reg.fs.exists "victim", said)
  end
end)

return test.finish()
