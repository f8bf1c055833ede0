-- Attacks by untrusted scripts; each runs in its own engine. Next to its workspace `ws` is the folder `outside` with a
-- secret and a repository. No attack may create the marker file REACHED. Each attack runs a second time in
-- regengine_unguarded (tests/support/unguarded.cpp), where the box and the broker alone stop it.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"

local sh = attacks.sh
local outside = {}

outside.SECRET = "the-secret-of-somebody-else"
outside.UNGUARDED = attacks.sh 'printf "%s/regengine_unguarded" "$(dirname "$REGENGINE")"'
-- The dates are fixed so that every hash is: an attack writes to the folder of the objects that begin with 00.
outside.GIT = { GIT_CONFIG_GLOBAL = "/dev/null", GIT_CONFIG_SYSTEM = "/dev/null",
  GIT_AUTHOR_DATE = "1700000000 +0000", GIT_COMMITTER_DATE = "1700000000 +0000",
  GIT_TEMPLATE_DIR = "", GIT_AUTHOR_NAME = "a", GIT_AUTHOR_EMAIL = "a@b",
  GIT_COMMITTER_NAME = "a", GIT_COMMITTER_EMAIL = "a@b" }

local SUMS = "cd outside && find . -type f -not -path './repo/.git/*' | sort | xargs sha256sum"
-- What no box can stop, since the folder is the script's: that these come through shows that the checks are off.
local IN_ITS_FOLDER = { ["writing that nobody permitted"] = true, ["a module that is a hidden file"] = true }

outside.missing = not reg.fs.exists(outside.UNGUARDED) and outside.UNGUARDED .. " is not built" or
  sandboxed.versions()[#sandboxed.versions()] == 0 and "this kernel has no Landlock"
if outside.missing then test("the box alone", function() test.skip(outside.missing) end) end

local function prepare()
  for _, folder in ipairs { "ws/sub", "outside/repo" } do reg.fs.mkdir(folder) end
  reg.fs.write("outside/secret.txt", outside.SECRET .. "\n")
  sh [[ln -s ../outside/secret.txt ws/link && ln -s ../outside ws/linked && ln -s ../outside/new ws/dangling
    ln -s ../outside/secret.txt ws/locked.db.lock && ln -s ../outside ws/output.db.out
    mkdir ws/trial.db.out && ln -s ../../outside ws/trial.db.out/s-1
    printf '#!/bin/sh\ntouch REACHED\n' > ws/podman && chmod +x ws/podman && cp ws/podman ws/docker
    printf '#!/bin/sh\ntouch ../REACHED REACHED "$PWD/REACHED"\n' > ws/evil && chmod +x ws/evil
    cp ws/evil ws/true && cp ws/evil ws/make]]
  sh([[git init -q -b main outside/repo && echo ]] .. outside.SECRET ..
    [[ > outside/repo/file &&
    git -C outside/repo add -A
    git -C outside/repo commit -qm ]] .. outside.SECRET ..
      [[ &&
    git init -q -b main ws/repo && git -C ws/repo commit -q --allow-empty -m one
    git clone -q ws/repo ws/clone && git -C ws/repo commit -q --allow-empty -m two
    mkdir -p ws/clone/.git/hooks &&
    for hook in post-checkout reference-transaction post-index-change; do cp ws/evil ws/clone/.git/hooks/$hook; done
    git -C ws/clone config core.fsmonitor "$PWD/ws/evil"
    git clone -q ws/repo outside/user
    mkdir template && cp -a ws outside template]], outside.GIT)
end

-- The folders as an attack finds them. What was made for several is kept for their second engine.
local kept
local function make_world(one)
  if not reg.fs.exists "template" then prepare() end
  sh("rm -rf ws outside nobody REACHED && cp -a " .. (kept == one and "kept" or "template") .. "/. .")
  reg.fs.write("ws/found.lua", one.code)
  if kept == one or not one.first then return end
  sh("cd ws && " .. one.first, outside.GIT)
  if one.together then
    sh "rm -rf kept && mkdir kept && for it in ws outside nobody; do [ ! -e $it ] || cp -a $it kept; done"
    kept = one
  end
end

-- Returns what the engine printed, whether it came to its end with 0, and the sums of what lies outside.
local function run_attack(engine, one)
  make_world(one)
  local before = sh(SUMS)
  local options = one.allow:gsub("%S+", function(pattern) return "--allow '" .. pattern .. "'" end)
  local run = reg.process.run { shell = "PATH=:$PATH exec setsid -w \"" .. engine .. "\" " .. options ..
    (one.arguments or " found.lua"), cwd = "ws",
    env = { XDG_STATE_HOME = reg.fs.absolute "nobody" }, timeout_s = 120 }
  return run.stdout .. run.stderr, not run.timed_out and run.code == 0, before
end

-- A repository that leads outside is refused by what is known of it, or by the box, whichever looks first.
local function is_said(said, wanted)
  return said:find(wanted or "", 1, true) or
    ((wanted or ""):find("not permitted: git=", 1, true) and said:find("permission denied for a file of it", 1, true))
end

-- The harm that was done: what the engine printed, or where the workspace was left. nil: none.
local function harm(said, before)
  if said:find(outside.SECRET, 1, true) then return "the secret came out: " .. said end
  for _, marker in ipairs { "REACHED", "ws/REACHED", "ws/sub/REACHED", "outside/REACHED", "outside/new" } do
    if reg.fs.exists(marker) then return marker .. " is there: " .. said end
  end
  if sh(SUMS) ~= before then return "something changed outside: " .. said end
end

-- The box alone: the script may fail at something else, or come to its end. It must do no harm.
local function alone_in_box(one)
  if outside.missing then return end
  test(one.what .. ", with the engine's checks off", function()
    local said, _, before = run_attack(outside.UNGUARDED, one)
    local done = harm(said, before)
    test.equal(done ~= nil, IN_ITS_FOLDER[one.what] or false, done)
  end)
end

local function alone(one)
  test(one.what, function()
    local said, ended, before = run_attack(attacks.engine, one)
    test.equal(ended, not one.wanted, said)
    test.truthy(is_said(said, one.wanted), "it says: " .. said .. "\nwanted: " .. tostring(one.wanted))
    test.equal(harm(said, before), nil)
  end)
end

-- Whether an attack may run beside others in one engine: it must be refused, in words of its own, and changes nothing of
-- what they are permitted.
local function joins(one)
  return (one.wanted or "") ~= "" and not one.arguments and not IN_ITS_FOLDER[one.what]
    and not (one.code:find "reg%.needs" or one.code:find "reg%.options" or one.code:find "tune")
end

local function script_of(list)
  local parts = {}
  for i, one in ipairs(list) do
    parts[i] = ("do local ok, why = pcall(function() %s\nend)\nprint('ATTACK', %d, ok, why, type(why) == 'table' and why.hint) end\n")
      :gsub("%%s", function() return one.code end):gsub("%%d", i)
  end
  return table.concat(parts) .. "print('ATTACK', 'end')"
end

-- Runs `all`, an attack that is all those of the list, one after another. One that was not refused as wanted runs again
-- alone, and each does if there was any harm or the engine did not come to its end.
function outside.together(list, all)
  all.together = true
  local said, ended, before = run_attack(attacks.engine, all)
  local harmless = ended and not harm(said, before)
  for i, one in ipairs(list) do
    local refused = said:match("ATTACK\t" .. i .. "\tfalse\t(.-)\nATTACK\t")
    if harmless and (not one.wanted or refused and is_said(refused, one.wanted)) then
      test(one.what, function() end)
    else
      alone(one)
    end
  end
  if outside.missing then return end
  said, ended, before = run_attack(outside.UNGUARDED, all)
  local done = harm(said, before)
  if ended and not done then return end
  for _, one in ipairs(list) do alone_in_box(one) end
  test("all of them together, with the engine's checks off", function() test.equal(done, nil) end)
end

local waiting, by_world = {}, {}

-- `allow`: what the user permits, "KIND=PATTERN ...". The script must fail with `wanted` in its message, and must
-- neither change nor print anything it may not. Without `wanted` it must succeed, with the same restrictions.
-- `first`: a shell command that runs in the workspace before. `arguments`: of regengine, "found.lua" unless given.
function outside.attack(what, allow, code, wanted, first, arguments)
  local one = { what = what, allow = allow, code = code, wanted = wanted, first = first, arguments = arguments }
  local world = joins(one) and allow .. "\n" .. (first or "") or #waiting
  if not by_world[world] then
    by_world[world] = {}
    waiting[#waiting + 1] = by_world[world]
  end
  table.insert(by_world[world], one)
end

--- Runs the attacks of the file: it ends with this.
function outside.run()
  for _, list in ipairs(waiting) do
    if #list > 1 then
      outside.together(list, { allow = list[1].allow, code = script_of(list), first = list[1].first })
    else
      alone(list[1])
      alone_in_box(list[1])
    end
  end
end

return outside
