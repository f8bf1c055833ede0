-- What an untrusted script must not reach (attacks_outside.lua).

local test = require "harness"
local attacks = require "attacks"
local outside = require "attacks_outside"

local attack = outside.attack

local function run(options) return "reg.process.run { " .. options .. " }" end
local function clone(url) return ("reg.git.clone(%q, 'x')"):format(url) end

-- --- what is declared is not what is done
for _, declared in ipairs { "date", "./make", "t*e", "FAST=" } do
  attack("any command, where " .. declared .. " is permitted", "process=" .. declared, run [[shell = "touch REACHED"]],
    "not permitted: process=sh")
end
attack("a variable that nobody permitted", "process=true", run [[cmd = { "true" }, env = { FAST = "1" }]],
  'Add reg.needs { process = "FAST=" } to the script\'s head.')
attack("a variable of a program that runs anything", "process=sh", run [[shell = "exit", env = { FAST = "1" }]])
attack("a module that declares for the script", "process=true",
  [[reg.process.run { cmd = { "true" } } reg.needs { process = "sh" } reg.process.run { shell = "touch REACHED" }]],
  "not permitted: process=sh")
for _, hidden in ipairs { ".ssh/id", ".cargo/config.toml", ".git/hooks/post-checkout", "repo/.git/config", ".bashrc" } do
  attack("reading " .. hidden .. " of the workspace", "", ([[reg.fs.read(%q)]]):format(hidden), "not permitted: files=" .. hidden)
  attack("mounting " .. hidden .. " of the workspace", "process=true",
    ([[reg.process.run { cmd = { "true" }, mounts = { [reg.fs.absolute %q] = reg.fs.absolute "sub" } }]]):format(hidden),
    "not permitted: files=" .. hidden)
  attack("a clone into " .. hidden, "git=*", ([[reg.git.clone(reg.fs.absolute "repo", %q)]]):format(hidden),
    "not permitted: files=" .. hidden)
  attack("writing " .. hidden .. " where all files are permitted", "files=*", ([[reg.fs.write(%q, "x")]]):format(hidden),
    "not permitted: files=" .. hidden)
end

-- --- repositories that came with the script
attack("a repository that is not there, outside", "", [[reg.git.open "../outside/none"]], "not permitted: git=")
for what, made in pairs {
  ["core.sshCommand"] = "git -C found config core.sshCommand \"$PWD/evil\"",
  ["a filter"] = "git -C found config filter.x.smudge \"$PWD/evil\"",
  ["a credential helper"] = "git -C found config credential.helper \"!$PWD/evil\"",
  ["upload-pack"] = "git -C found config remote.origin.uploadpack \"$PWD/evil\"",
  ["another configuration"] = "git -C found config include.path ../../more",
  ["its worktree's configuration"] = "printf '[core]\\nsshCommand = %s/evil\\n' \"$PWD\" > found/.git/config.worktree && " ..
    "git -C found config extensions.worktreeConfig true",
} do
  local prepare = "git clone -q repo found && " .. made
  for _, does in ipairs { "fetch()", [[worktree "tree":checkout "HEAD"]] } do
    attack(does .. " with " .. what .. " of the repository", "git=*", "reg.git.open 'found':" .. does,
      "not permitted: unboxed=sh", prepare)
  end
end
attack("a fetch of a plain clone", "git=*", [[reg.git.open("found"):fetch()]], nil, "git clone -q repo found")

-- --- what the engine gives a script
attack("a store whose output folder leads elsewhere", "",
  [[reg.store.open "output.db" reg.fs.write("output.db.out/new", "x")]], "not permitted: files=")
attack("a trial's folder that leads elsewhere", "",
  [[local s = reg.store.open "trial.db" s:start { investigation = s:begin { name = "n" }, subject = "s", key = "k" }]],
  "is a link: the output would be written elsewhere")
attack("the injection library, which commands load", "process=true", ([[
  reg.trace.run { cmd = { "true" } }
  reg.fs.append(%q, "")]]):format(attacks.injection()), "not permitted: files=")

-- --- processes
attack("docker and podman of the workspace, where PATH has an empty folder", "", [[reg.container.available()]])
attack("a shell by `shell`", "process=true", run [[shell = "touch REACHED"]], "process=sh")
attack("the workspace's program of a permitted name", "process=make", run [[cmd = { "./make" }]], "process=./make")
attack("the same by its whole path", "process=true", run [[cmd = { reg.fs.absolute "true" }]], "process=./true")
attack("the same by its folder", "process=true", run [[cmd = { "./true" }, cwd = "../ws"]], "process=./true")
attack("the same through PATH", "process=true", run [[cmd = { "true" }, env = { PATH = reg.fs.absolute "." }]],
  "process=./true")
attack("PATH, for what a permitted program starts", "process=env",
  run [[cmd = { "env", "true" }, env = { PATH = reg.fs.absolute "." .. ":/usr/bin:/bin" }]], "not permitted: process=")
attack("LD_PRELOAD hidden in a variable's name", "process=true",
  run [[cmd = { "true" }, env = { ["LD_PRELOAD=./evil.so"] = "" }]], "not a valid environment variable")
attack("LD_PRELOAD by reg.machine.tune", "process=true",
  [[local q <close> = reg.machine.tune { env = { LD_PRELOAD = "./evil.so" } } reg.process.run { cmd = { "true" } }]],
    "process=LD_PRELOAD=")
attack("git's ssh command", "process=git", run [[cmd = { "git", "fetch" }, env = { GIT_SSH_COMMAND = "./evil" }]],
  "process=GIT_SSH_COMMAND=")
attack("a git hook by output", "process=echo files=*",
  run [[cmd = { "echo", "x" }, out = "repo/.git/hooks/post-checkout"]], "files=repo/.git/hooks/post-checkout")
attack("a host command by the local runtime", "container=*",
  [[reg.container.run { runtime = "local", shell = "touch REACHED" }]], "process=sh")
attack("a folder outside as the local runtime's image", "process=cat",
  [[print(reg.container.run { runtime = "local", image = "../outside", cmd = { "cat", "secret.txt" } }.stdout)]],
  "files=/")
attack("the commits of a repository outside of such an image", "",
  [[print(next(reg.container.commits("sub", { runtime = "local", paths = { "../../outside/repo" } })))]],
  "not permitted: files=/")

-- --- files
attack("reading above the workspace", "files=*", [[print(reg.fs.read "../outside/secret.txt")]],
  "not permitted: files=/")
attack("reading by a link", "files=*", [[print(reg.fs.read "link")]], "not permitted: files=/")
attack("writing that nobody permitted", "", [[reg.fs.write("REACHED", "")]], "not permitted: files=REACHED")
attack("the kept answers, where the workspace is a home", "files=*", [[reg.fs.mkdir ".local/state/regengine"]],
  "files=.local/state/regengine")
attack("a store in the place of another file", "", [[reg.store.open "Makefile"]], "files=Makefile")
attack("a file outside by the link that is a store's lock", "", [[reg.store.open "locked.db"]], "locked.db.lock")
attack("a program in a store's output", "", [[local s <close> = reg.store.open "x.db"
  reg.fs.mkdir "x.db.out" reg.fs.write("x.db.out/a", "") reg.process.run { cmd = { "x.db.out/a" } }]], "process=./x.db.out/a")

-- --- git
attack("the log of a repository outside", "", [[print(reg.git.open("../outside/repo"):log {}[1].subject)]],
  "not permitted: git=/")
attack("hooks and the file monitor of a repository that may be fetched", "git=*", [[reg.git.open("clone"):fetch()]])
attack("the same of one that may be switched", "git=*",
  [[local tree <close> = reg.git.open("clone"):worktree "tree" tree:checkout "HEAD"]])
attack("a clone that nobody permitted", "", clone "https://example.invalid/x", "git=https://example.invalid/x")
attack("a clone of a repository outside", "git=*", clone "../outside/repo", "not permitted: git=/")
attack("the same as a file:// URL", "git=file://*",
  [[reg.git.clone("file://" .. reg.fs.absolute "sub" .. "/../../outside/repo", "x")]], "not permitted: git=/")
attack("a helper program as a URL", "git=*", clone "ext::sh -c 'touch REACHED'", "names a helper program")
attack("an option as a URL", "git=*", clone "--upload-pack=touch REACHED", "begins with '-'")
attack("an option as an ssh host", "git=*", clone "ssh://-oProxyCommand=touch REACHED/x", "strange hostname")
for remote, words in pairs { ["ext::sh -c 'touch REACHED'"] = "names a helper program",
  ["--upload-pack=touch REACHED"] = "begins with '-'" } do
  attack("the remote " .. remote, "git=*", ([[reg.git.open("repo"):fetch { remote = %q }]]):format(remote), words)
end
attack("an option as a revision", "git=*", [[reg.git.open("repo"):find "--upload-pack=touch REACHED"]],
  "begins with '-'")
for _, path in ipairs { "../evil/x", "%2E%2e/evil/x" } do
  attack("out of a permitted folder by " .. path, "git=https://example.invalid/good/*",
    clone("https://example.invalid/good/" .. path), "has '..' in it")
end
attack("a permitted host as somebody's user name", "git=https://example.invalid/*",
  clone "https://example.invalid@other.invalid/x", "not permitted: git=https://example.invalid@other.invalid/x")
attack("a worktree of a repository here", "", [[reg.git.open("repo"):worktree "tree"]], "not permitted: git=repo")
attack("a worktree outside", "git=repo", [[reg.git.open("repo"):worktree "../outside/new"]], "not permitted: files=/")
attack("a patch from outside", "git=repo",
  [[local t = reg.git.open("repo"):worktree "tree" t:checkout("main", { patch = "../outside/secret.txt" })]],
  "not permitted: files=/")

-- --- containers: refused before a container engine is asked, so none is needed
local BUSYBOX = "image = 'busybox', "
local function docker(options) return "reg.container.run { runtime = 'docker', " .. options .. ", cmd = { 'true' } }" end
-- { what, the options, what it says, what is permitted beside any image }
for _, row in ipairs {
  { "an option as an image", "image = '--privileged'", "begins with '-'" },
  { "an option behind an image", "image = 'busybox --privileged'", "not a valid image name" },
  { "an option behind a line break", "image = 'busybox\\n--privileged'", "control character" },
  { "a NUL byte in an image", "image = 'busybox\\0x'", "control character" },
  { "an option that there is not", BUSYBOX .. "privileged = true", "unknown option 'privileged'" },
  { "the host's processes", BUSYBOX .. "pid = 'host'", "unknown option 'pid'" },
  { "the host's devices", BUSYBOX .. "devices = { '/dev/null' }", "not permitted: container=device=/dev/null" },
  { "the host's shared memory", BUSYBOX .. "ipc = 'host'", "not permitted: container=ipc=host" },
  { "another container's shared memory", BUSYBOX .. "ipc = 'container:other'", "not a valid value" },
  { "an option behind a limit", BUSYBOX .. "ulimits = { 'core=0 --privileged' }", "not a valid value" },
  { "more rights", BUSYBOX .. "cap_add = { 'SYS_ADMIN' }", "not permitted: container=cap-add=SYS_ADMIN" },
  { "the host's network", BUSYBOX .. "network = 'host'", "not permitted: container=network=host" },
  { "another container's network", BUSYBOX .. "network = 'container:other'", "refused the network" },
  { "a network namespace", BUSYBOX .. "network = 'ns:/proc/1/ns/net'", "refused the network" },
  { "the host by podman's network", BUSYBOX .. "network = 'slirp4netns:allow_host_loopback=true'", "refused the network" },
  { "/ as a mount", BUSYBOX .. "mounts = { ['/'] = '/host' }", "refused to mount /", "files=/*" },
  { "/ by a detour as a mount", BUSYBOX .. "mounts = { ['/usr/..'] = '/x' }", "refused to mount /", "files=/*" },
  { "a mount outside", BUSYBOX .. "mounts = { ['../outside'] = '/x' }", "not permitted: files=/" },
  { "a mount by a link", BUSYBOX .. "mounts = { linked = '/x' }", "not permitted: files=/", "files=*" },
  { "writing where reading is permitted", BUSYBOX .. "mounts = { ['../outside'] = '/x' }", "not permitted: files=/", "files=/*:ro" },
  { "a container engine's socket, by its folder", BUSYBOX .. "mounts = { ['/run'] = '/x' }", "refused to mount /run", "files=/*" },
  { "options behind a mount's path", BUSYBOX .. "mounts = { sub = '/x,bind-propagation=shared' }", "contains a comma" },
  { "an option as a user", BUSYBOX .. "user = '--privileged'", "begins with '-'" },
  { "an option as a working directory", BUSYBOX .. "workdir = '--privileged'", "begins with '-'" },
  { "an option as a size", BUSYBOX .. "shm_size = '--privileged'", "begins with '-'" },
  { "an option as GPUs", BUSYBOX .. "gpus = 'all --privileged'", "not a valid value" },
  { "an option as a variable", BUSYBOX .. "env = { ['A --privileged'] = 'x' }", "not a valid name" },
  { "output of a container outside", BUSYBOX .. "out = '../outside/new'", "not permitted: files=/" },
} do attack(row[1], "container=* " .. (row[4] or ""), docker(row[2]), row[3]) end
attack("an image that nobody permitted", "", docker "image = 'busybox'", "not permitted: container=busybox")
attack("an image beside a permitted registry", "container=ghcr.io/nvidia/*", docker "image = 'ghcr.io/nvidia.evil/x'", "not permitted")
local DEVICE = docker(BUSYBOX .. "devices = { '/dev/null' }")
attack("the host's devices, declared", "container=*", "reg.needs { container = { 'device=/dev/null', 'busybox' } } " .. DEVICE,
  "not permitted: container=device=/dev/null")
attack("the host's devices by an option of its own", "container=*",
  [[local opt = reg.options { device = { "device", type = "string", list = true, default = { "/dev/null" } } }]]
    .. docker(BUSYBOX .. "devices = opt.device"), "not permitted: container=device=/dev/null")
attack("an option that permits what it gets", "container=*",
  [[reg.options { device = { "device", type = "string", permit = "device" } }]], "unknown option 'permit'")
attack("a variable of its user's", "container=*",
  [[print(reg.options { v = { "v", type = "variable", default = "HOME" } }.v)]], "not a variable: 'HOME'")

-- --- the machine, and the permissions themselves
attack("the GPU's clocks", "gpu=run", [[reg.gpu.lock { sm = 1000, required = true }]], "not permitted: gpu=lock")
attack("CUDA that nobody permitted", "", [[reg.cuda.compile("", { arch = "sm_80" })]], "not permitted: gpu=run")
attack("a file by the compiler's option", "gpu=run files=*",
  [[reg.cuda.compile("", { arch = "sm_80", options = { "--create-pch=../outside/new" } })]], "options")
attack("a refusal that is caught, and tried again", "",
  [[for _ = 1, 3 do pcall(reg.process.run, { cmd = { "touch", "REACHED" } }) end error "to its end"]], "to its end")
attack("a declaration instead of a permission", "",
  [[reg.needs { process = "*", files = "*" } reg.process.run { cmd = { "touch", "REACHED" } }]],
  "not permitted: process=touch")
attack("other functions in the place of Lua's and of reg's", "",
  [[rawset(reg, "needs", type) reg.fs.exists = type reg.process.status = type reg = setmetatable({}, { __index = reg }) string.find = print
  pcall, error, type, pairs, setmetatable = type, type, print, next, print reg.process.run { cmd = { "touch", "REACHED" } }]],
  "not permitted: process=touch")
attack("trust from within", "process=true", run [[cmd = { "true" }]] .. run [[cmd = { "regengine", "trust", "." }]],
  "not permitted: process=regengine")

outside.run()
return test.finish()
