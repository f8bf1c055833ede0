-- Programs of an untrusted script, in a world of their own: `ws` is the workspace; `outside` has a secret; `home` is
-- the user's home.

local test = require "harness"
local attacks = require "attacks"

local sandboxed = { SECRET = "the-secret-of-somebody-else" }

local FAKES = attacks.sh 'printf %s "$REGENGINE_FAKES"'

--- The versions of Landlock to test, the newest last: what this kernel has, and what it can play. 0 is none.
function sandboxed.versions()
  local newest = tonumber(attacks.sh("\"$REGENGINE\" doctor"):match "Landlock version (%d+)") or 0
  local list = {}
  for _, version in ipairs { 0, 1, 2, 3, 6 } do
    if version < newest then list[#list + 1] = version end
  end
  list[#list + 1] = newest
  return list
end

--- Whether this kernel cannot box a script; then what it should do there counts as skipped.
function sandboxed.is_missing(what)
  local list = sandboxed.versions()
  if list[#list] > 0 then return false end
  test(what, function() test.skip "this kernel has no Landlock" end)
  return true
end

function sandboxed.fresh()
  attacks.sh([[rm -rf ws outside home && mkdir -p ws/sub outside/sub home/.ssh
    echo ]] .. sandboxed.SECRET .. [[ | tee outside/secret.txt outside/sub/secret.txt home/.ssh/id home/.bashrc >/dev/null
    ln -s ../outside/secret.txt ws/link && ln -s ../outside ws/linked
    printf '#!/bin/sh\ntouch ../outside/REACHED\n' >outside/evil && chmod +x outside/evil]])
end

-- Its user said at a terminal that the script may run although this kernel cannot box it.
local function answer_without_landlock()
  reg.fs.mkdir "home/state/regengine"
  reg.fs.write("home/state/regengine/trusted", reg.json.encode { path = reg.fs.absolute "ws/found.lua",
    sha256 = attacks.sh("sha256sum <ws/found.lua"):match "%x+", workspace = reg.fs.absolute "ws", unboxed = true } .. "\n")
end

--- Runs the Lua code as an untrusted script in ws. `options`: of regengine. Returns its output, its exit code and
--- whether it took too long.
function sandboxed.script(code, options, version)
  reg.fs.write("ws/found.lua", code)
  local env = { HOME = reg.fs.absolute "home", XDG_STATE_HOME = reg.fs.absolute "home/state",
    SSH_AUTH_SOCK = "/run/agent-of-ann", DBUS_SESSION_BUS_ADDRESS = "unix:path=/run/bus-of-ann", HF_TOKEN = "token-of-ann",
    OUT = reg.fs.absolute "outside", ANN = reg.fs.absolute "home" }
  if version then
    env.LD_PRELOAD, env.FAKE_LANDLOCK_VERSION = FAKES .. "/landlock.so", tostring(version)
    env.ASAN_OPTIONS = "verify_asan_link_order=0"
    if version == 0 then answer_without_landlock() end
  end
  local run = reg.process.run { shell = "sleep 1000 & export VICTIM=$! && setsid -w \"$REGENGINE\" " .. options ..
    " found.lua; code=$?; kill -9 $VICTIM; wait $VICTIM; [ $? = 137 ] || touch \"$OUT/REACHED\"; exit $code", cwd = "ws", env = env,
    timeout_s = 120 }
  return run.stdout .. run.stderr, run.code, run.timed_out
end

--- The same for one line of shell.
function sandboxed.line(line, version, options)
  local code = ("local r = reg.process.run { shell = %q } print(r.stdout, r.stderr) return r.code"):format(line)
  return sandboxed.script(code, options or "--allow process=sh", version)
end

return sandboxed
