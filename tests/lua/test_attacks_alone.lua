-- The box alone, for attacks whose own check is tested with the script's other tests. It is tested in three ways:
--
--   off     the attack in an engine whose checks are off where it runs the script (attacks_outside.lua: every attack of
--           test_attacks_permissions, _declared and _found runs so a second time; the rest are in this file)
--   hole    native code in the script's process, with every version of Landlock (test_attacks_hole.lua)
--   forged  requests that native code writes to the broker itself (test_attacks_forged.lua)

local test = require "harness"
local attacks = require "attacks"
local outside = require "attacks_outside"

local sh = attacks.sh
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
