-- Attacks by untrusted scripts; each runs in its own engine. Next to its workspace `ws` is the folder `outside` with a
-- secret and a repository. No attack may create the marker file REACHED.

local test = require "harness"
local attacks = require "attacks"

local sh = attacks.sh
local outside = {}

outside.SECRET = "the-secret-of-somebody-else"
-- The dates are fixed so that every hash is: an attack writes to the folder of the objects that begin with 00.
outside.GIT = { GIT_CONFIG_GLOBAL = "/dev/null", GIT_CONFIG_SYSTEM = "/dev/null",
  GIT_AUTHOR_DATE = "1700000000 +0000", GIT_COMMITTER_DATE = "1700000000 +0000",
  GIT_TEMPLATE_DIR = "", GIT_AUTHOR_NAME = "a", GIT_AUTHOR_EMAIL = "a@b",
  GIT_COMMITTER_NAME = "a", GIT_COMMITTER_EMAIL = "a@b" }

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
    printf 'gitdir: %s/outside/repo/.git' "$PWD" > ws/sub/.git
    git clone -q ws/repo ws/clone && git -C ws/repo commit -q --allow-empty -m two
    mkdir -p ws/clone/.git/hooks &&
    for hook in post-checkout reference-transaction post-index-change; do cp ws/evil ws/clone/.git/hooks/$hook; done
    git -C ws/clone config core.fsmonitor "$PWD/ws/evil"
    git init -q -b main ws/moved && git -C ws/moved config core.worktree "$PWD/outside/repo"
    mkdir template && cp -a ws outside template]], outside.GIT)
end

local function fresh()
  if not reg.fs.exists "template" then prepare() end
  sh "rm -rf ws outside nobody REACHED && cp -a template/. ."
end

-- A repository that leads outside is refused by what is known of it, or by the box, whichever looks first.
local function is_said(said, wanted)
  return said:find(wanted or "", 1, true) or
    ((wanted or ""):find("not permitted: git=", 1, true) and said:find("permission denied for a file of it", 1, true))
end

-- `allow`: what the user permits, "KIND=PATTERN ...". The script must fail with `wanted` in its message, and must
-- neither change nor print anything it may not. Without `wanted` it must succeed, with the same restrictions.
-- `first`: a shell command that runs in the workspace before. `arguments`: of regengine, "found.lua" unless given.
function outside.attack(what, allow, code, wanted, first, arguments)
  test(what, function()
    fresh()
    reg.fs.write("ws/found.lua", code)
    if first then sh("cd ws && " .. first, outside.GIT) end
    local before = sh "cd outside && find . -type f -not -path './repo/.git/*' | sort | xargs sha256sum"
    local options = allow:gsub("%S+", function(pattern) return "--allow '" .. pattern .. "'" end)
    local run = reg.process.run { shell = "PATH=:$PATH exec setsid -w \"$REGENGINE\" " .. options ..
      (arguments or " found.lua"), cwd = "ws",
      env = { XDG_STATE_HOME = reg.fs.absolute "nobody" }, timeout_s = 120 }
    local said = run.stdout .. run.stderr
    test.equal(not run.timed_out and run.code == 0, not wanted, said)
    test.truthy(is_said(said, wanted), "it says: " .. said .. "\nwanted: " .. tostring(wanted))
    test.truthy(not said:find(outside.SECRET, 1, true), "the secret came out: " .. said)
    for _, marker in ipairs { "REACHED", "ws/REACHED", "ws/sub/REACHED", "outside/REACHED", "outside/new" } do
      test.truthy(not reg.fs.exists(marker), marker .. " is there: " .. said)
    end
    test.equal(sh "cd outside && find . -type f -not -path './repo/.git/*' | sort | xargs sha256sum", before, "outside")
  end)
end

return outside
