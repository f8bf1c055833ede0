-- Every check of regengine passed by: native code in the process that runs an untrusted script, as a hole in Lua, SQLite,
-- libgit2 or PCRE would bring it (tests/support/fakes/hole.c). The kernel alone stops it.

local test = require "harness"
local attacks = require "attacks"

local sh = attacks.sh
local SECRET = "the-secret-of-somebody-else"
local fakes = sh "printf %s \"$REGENGINE_FAKES\""

-- What the script prints of an attempt, and what it may not have changed.
local function attempt(name, options)
  sh "rm -rf ws outside state && mkdir -p ws outside state/regengine && touch state/regengine/trusted home"
  sh "chmod 600 state/regengine/trusted && mkdir -p home.d && touch home.d/hole"
  reg.fs.write("outside/secret.txt", SECRET)
  reg.fs.write("ws/hole-" .. name, "")
  reg.fs.write("ws/script.lua", ("print(reg.fs.read 'hole-%s')"):format(name))
  local run = reg.process.run { shell = "exec setsid -w \"$REGENGINE\" " .. (options or "") .. " script.lua", cwd = "ws",
    env = { LD_PRELOAD = fakes .. "/hole.so", XDG_STATE_HOME = reg.fs.absolute "state",
      HOME = reg.fs.absolute "home.d" }, timeout_s = 120 }
  return run
end

if not reg.fs.exists(fakes .. "/hole.so") then
  print "SKIPPED: the fakes are not built: run under ctest"
  return test.finish()
end
if sh("\"$REGENGINE\" -e 'print(reg.fs.exists [[/sys/kernel/security]])'") and
  sh("\"$REGENGINE\" doctor"):find("Landlock is missing", 1, true) then
  print "SKIPPED: this kernel has no Landlock"
  return test.finish()
end

for _, name in ipairs { "read", "read-passwords", "read-memory", "read-home", "read-environment", "write", "make", "trust",
  "truncate", "open-and-truncate", "remove", "rename", "take", "link", "mode", "owner", "times", "device", "execute",
  "shell", "child", "connect", "send", "kill", "kill-all", "trace", "write-memory", "type", "clock", "mount", "leave",
  "ring" } do
  test("native code must not " .. name, function()
    local run = attempt(name)
    local said = run.stdout .. run.stderr
    test.equal(run.code, 0, said)
    test.truthy(not run.stdout:find("did it", 1, true) and run.stdout ~= "", said)
    test.equal(reg.fs.read "outside/secret.txt", SECRET)
    for _, made in ipairs { "outside/new", "ws/REACHED", "REACHED", "ws/taken", "ws/device" } do
      test.truthy(not reg.fs.exists(made), made .. ": " .. said)
    end
  end)
end

test("the attempts work where nothing holds them", function()
  for _, name in ipairs { "read", "write", "make", "times", "shell", "connect", "child" } do
    local run = attempt(name, "--trust")
    test.equal(run.stdout, "did it\n", name .. ": " .. run.stderr)
  end
end)

return test.finish()
