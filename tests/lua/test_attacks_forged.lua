-- Requests to the broker that no check of the engine has seen: native code in the process that runs an untrusted script
-- writes them itself (tests/support/fakes/hole.c). The broker alone refuses them.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"

local sh = attacks.sh
local fakes = test.variable "REGENGINE_FAKES"
local ALLOWED = "--allow container=busybox:1 --allow git=src --allow git=https://host.invalid/* --allow process=true "

-- --- Values as MessagePack, as the boxed engine and its broker exchange them.
local null = {}

local function list(items) return { list = items } end  -- a plain table is a map

local function encode(value)
  local kind = type(value)
  if kind == "nil" or value == null then return "\xc0" end
  if kind == "boolean" then return value and "\xc3" or "\xc2" end
  if kind == "number" then return string.pack(">Bi8", 0xd3, value) end
  if kind == "string" then return string.pack(">Bs4", 0xdb, value) end
  local parts = {}
  if value.list then
    for i, item in ipairs(value.list) do parts[i] = encode(item) end
    return string.pack(">BI4", 0xdd, #parts) .. table.concat(parts)
  end
  for key, item in pairs(value) do parts[#parts + 1] = encode(key) .. encode(item) end
  return string.pack(">BI4", 0xdf, #parts) .. table.concat(parts)
end

-- --- The script and its world.
local function fresh()
  sh([[rm -rf ws outside state home && mkdir -p ws/sub outside state/regengine home && touch outside/secret
    touch state/regengine/trusted
    for repo in ws/src ws/clone outside/repo; do git init -q -b main $repo; done
    cd ws/src && echo one >file && git add file &&
      git -c user.name=A -c user.email=a@b.invalid commit -q -m one]])
  sh "ln -s ../outside/repo ws/link && ln -s ../../outside ws/sub/link"
end

local function asked(call, what) return { call = call, what = what } end

local function run_of(...)
  return asked("run", { argv = list { ... }, env = {}, unset = list {}, cwd = "", input = "", mounts = {},
    kill_after_s = 2, loaded_below = list {}, keep_bytes = 1000, file_bytes = 1000, timeout_s = null, stall_s = null,
    leased = null, count = null, on_cpus = list {} })
end

-- The broker's answer to the request, with ID in it.
local function forge(request, options, variables)
  if type(request) == "table" then request.id = 1000 end
  reg.fs.write("ws/hole-forge", type(request) == "string" and request or encode(request))
  reg.fs.write("ws/script.lua", "print(reg.fs.read 'hole-forge')")
  local env = test.merged({ LD_PRELOAD = fakes .. "/hole.so", XDG_STATE_HOME = reg.fs.absolute "state",
    HOME = reg.fs.absolute "home", ASAN_OPTIONS = "verify_asan_link_order=0" }, variables)
  local run = reg.process.run { cwd = "ws", env = env, timeout_s = 300,
    shell = "exec setsid -w \"$REGENGINE\" " .. (options or "") .. ALLOWED .. "script.lua" }
  test.equal(run.code, 0, run.stderr)
  return run.stdout
end

local function refused(name, why, request)
  test("the broker must refuse " .. name, function()
    fresh()
    local answer = forge(type(request) == "function" and request() or request)
    test.has(answer, why)
    test.lacks(answer, "result")
    for _, made in ipairs { "REACHED", "ws/REACHED", "outside/REACHED" } do test.truthy(not reg.fs.exists(made), made) end
    test.equal(sh "find outside/repo -name '*.pack' -o -name FETCH_HEAD", "")
  end)
end

if sandboxed.is_missing "the broker" then return test.finish() end

-- --- Malformed requests.
for name, bytes in pairs { ["nested lists"] = ("\x91"):rep(8 << 20), ["nested maps"] = ("\x81\xa1a"):rep(2 << 20),
  ["many small numbers"] = ("\x7f"):rep(8 << 20), ["a list longer than the message"] = "\xdd\xff\xff\xff\xff",
  ["a text for a file"] = "\xc11000 text", ["a text longer than the message"] = "\xdb\xff\xff\xff\xffa",
  ["nothing"] = "\xc0" } do
  refused("a message of " .. name, "not a message", bytes)
end

-- --- Programs: also those that the broker runs itself.
for _, program in ipairs { "git", "docker", "podman", "sh" } do
  refused("to run " .. program, "not permitted: process=" .. program, run_of(program, "version"))
end

-- --- Containers.
local function container(call, what, runtime)
  return { call = (runtime or "docker") .. "." .. call, what = what }
end

local function spec(changes)
  local made = { image = "busybox:1", mounts = list {}, init = true, installed = false, leased = null }
  local settings = {}
  for _, name in ipairs { "gpus", "network", "shm_size", "ipc", "ulimits", "devices", "cap_add", "user", "memory", "cpus",
    "workdir", "entrypoint" } do settings[name] = list {} end
  for key, value in pairs(changes) do
    if settings[key] then settings[key] = list { value } else made[key] = value end
  end
  return { exec = { argv = list { "true" }, env = {}, cwd = "", keep_bytes = 1000, timeout_s = null,
    loaded_below = list {} }, cpus_of_host = list {}, spec = made, settings = settings }
end

local function mount(host, inside, read_only)
  return { mounts = list { { host = host, inside = inside or "/x", read_only = read_only or false } } }
end

local SPECS = {
  { "another image", "not permitted: container=alpine:1", { image = "alpine:1" } },
  { "another registry", "not permitted: container=host.invalid/busybox:1", { image = "host.invalid/busybox:1" } },
  { "an option for an image", "--privileged", { image = "--privileged" } },
  { "all of the host", "refused to mount", mount "/" },
  { "the host's network", "not permitted: container=network=host", { network = "host" } },
  { "the network of another container", "network", { network = "container:other" } },
  { "the host's IPC", "not permitted: container=ipc=host", { ipc = "host" } },
  { "a device", "not permitted: container=device=/dev/null", { devices = "/dev/null" } },
  { "a capability", "not permitted: container=cap-add=SYS_ADMIN", { cap_add = "SYS_ADMIN" } },
  { "options for GPUs", "gpus", { gpus = "all,\"capabilities=all\"" } },
  { "options for a lease", "not a valid GPU",
    { leased = { uuids = list { "GPU-1\",\"x=y" }, indexes = list {}, cpus = list {} } } },
  { "an option for a user", "user", { user = "--privileged" } },
  { "an option for an entrypoint", "entrypoint", { entrypoint = "--privileged\n" } },
  { "an option for memory", "memory", { memory = "--privileged" } },
  { "an option for a limit", "ulimits", { ulimits = "--privileged" } },
  { "a mount with options", "comma", mount(nil, "/x,bind-propagation=shared") },
}
for _, call in ipairs { "run", "start" } do
  for _, case in ipairs(SPECS) do
    refused(call .. " with " .. case[1], case[2], function()
      local changes = case[3]
      if changes.mounts and not changes.mounts.list[1].host then changes.mounts.list[1].host = reg.fs.absolute "ws/sub" end
      return container(call, spec(changes))
    end)
  end
  for _, path in ipairs { "outside", "ws/sub/link", "ws/../outside", "ws/link" } do
    refused(call .. " with " .. path .. " mounted", "not permitted: files=", function()
      return container(call, spec(mount(reg.fs.absolute "." .. "/" .. path, "/x", path == "ws/link")))
    end)
  end
end

for _, call in ipairs { "pull", "find", "facts" } do
  refused(call .. " of another image", "not permitted: container=alpine:1", container(call, "alpine:1"))
end
refused("to remove a container of somebody else", "not a container of this script", container("remove", "other"))
refused("to restart one", "not a container of this script", container("restart", "other"))
refused("to run a command in one", "not a container of this script", container("exec",
  { name = "other", command = spec {} }))
refused("another runtime", "not a request: local.run", container("run", spec {}, "local"))
refused("another program", "not a request: sh.version", container("version", nil, "sh"))
refused("another call", "not a request: docker.prune", container("prune", "busybox:1"))

-- --- Git.
local function fetch(changes)
  return function()
    local what = test.merged({ objects = reg.fs.absolute "ws/clone/.git/objects", url = "src", filter = "",
      have = list {}, ids = list {}, head = false, submodule = false }, changes)
    if what.below then
      what.objects = reg.fs.absolute "." .. "/" .. what.below
      what.below = nil
    end
    return asked("fetch", what)
  end
end

for _, case in ipairs {
  { "another URL", "not permitted: git=https://other.invalid/x", { url = "https://other.invalid/x" } },
  { "a URL that leaves its folder", "'..' in it", { url = "https://host.invalid/a/../../b" } },
  { "a helper program", "helper program", { url = "ext::touch REACHED" } },
  { "an option for a URL", "option", { url = "--upload-pack=touch REACHED" } },
  { "another repository of this machine", "not permitted: git=", { url = "../outside/repo" } },
  { "another repository as a URL", "not permitted: git=", { url = "file:///etc" } },
  { "an option for an id", "not a valid id", { ids = list { "--stdin" } } },
  { "an option for a commit", "not a valid id", { have = list { "--upload-pack=touch REACHED" } } },
  { "an option for a filter", "the filter", { filter = "tree:0 --upload-pack=x" } },
  { "a submodule that is not permitted", "not permitted: git=https://other.invalid/x", { url = "https://other.invalid/x",
    submodule = true } },
  { "a folder for a submodule", "not permitted: git=", { url = "../outside/repo", submodule = true } },
  { "objects outside", "not permitted: files=", { below = "outside/repo/.git/objects" } },
  { "objects through a link", "not permitted: files=", { below = "ws/link/.git/objects" } },
  { "objects of no repository", "not the objects", { below = "ws/sub" } },
  { "relative objects", "not an absolute path", { objects = "clone/.git/objects" } },
} do refused("to fetch with " .. case[1], case[2], fetch(case[3])) end

local function patch(changes)
  return function()
    return asked("apply", test.merged({ objects = reg.fs.absolute "ws/src/.git/objects", text = "",
      tree = sh "git -C ws/src rev-parse 'HEAD^{tree}'":gsub("\n", "") }, changes))
  end
end
refused("a patch for an option", "not a valid id", patch { tree = "--empty" })

-- A commit of "private" in outside/repo; returns the id of what the revision names.
local function commit_outside(revision)
  sh [[cd outside/repo && echo private >file && git add file &&
    git -c user.name=A -c user.email=a@b.invalid commit -qm one]]
  return sh("git -C outside/repo rev-parse '" .. revision .. "'"):gsub("\n", "")
end

test("git must not follow an alternate of a permitted repository out of the folder", function()
  fresh()
  local secret = commit_outside "HEAD"
  sh("echo " .. reg.fs.absolute "outside/repo/.git/objects" .. " >ws/src/.git/objects/info/alternates")
  reg.fs.write("ws/src/.git/refs/heads/stolen", secret .. "\n")
  local answer = forge(fetch {}())
  test.lacks(answer, "refs/heads/stolen")
  test.truthy(not sh("git -C ws/clone cat-file --batch-all-objects --batch-check"):find(secret, 1, true))
end)

for what, line in pairs {
  ["an alternate"] = "echo \"$PWD/outside/repo/.git/objects\" >ws/src/.git/objects/info/alternates",
  ["a link"] = "cd outside/repo/.git/objects && for name in ??; do rm -rf ../../../../ws/src/.git/objects/$name; " ..
    "ln -s \"$PWD/$name\" ../../../../ws/src/.git/objects/; done",
} do
  test("a patch must not be applied to a tree of another repository, through " .. what, function()
    fresh()
    local tree = commit_outside "HEAD^{tree}"
    sh(line)
    local answer = forge(patch { tree = tree, text = "--- a/new\n+++ b/new\n@@ -0,0 +1 @@\n+new\n" }())
    test.has(answer, what == "a link" and "is corrupt" or "not permitted: git=")
  end)
end

test("what is permitted is done, and no program that the repositories name is run", function()
  fresh()
  for _, repo in ipairs { "src", "clone" } do
    for _, key in ipairs { "core.sshCommand", "core.fsmonitor", "core.gitProxy", "core.alternateRefsCommand",
      "credential.helper", "uploadpack.packObjectsHook", "remote.origin.uploadpack" } do
      sh(("git -C ws/%s config %s 'touch %s; false'"):format(repo, key, reg.fs.absolute "outside/REACHED"))
    end
    sh(([[cd ws/%s/.git/hooks && for hook in pre-receive post-checkout reference-transaction post-merge post-index-change
      do printf '#!/bin/sh\ntouch "%s"\n' >$hook && chmod +x $hook; done]]):format(repo, reg.fs.absolute "outside/REACHED"))
  end
  local answer = forge(fetch { head = true }())
  test.has(answer, "refs/heads/main")
  test.truthy(not reg.fs.exists "outside/REACHED")
  sh "rm -rf ws/clone/.git/config && git -C ws/src cat-file --batch-all-objects --batch-check >all && [ -s all ]"
  test.truthy(sh "find ws/clone/.git/objects -type f" ~= "", "nothing was fetched")
end)

-- --- GPUs and settings of the machine. The fake driver says what was changed, in a file outside the script's folder.
local UUID = "GPU-" .. sh "cat /proc/sys/kernel/random/uuid":gsub("\n", "")

local function clocks(changes)
  return asked("lock", test.merged({ gpus = list { UUID }, sm = "80%", mem = "" }, changes))
end

local function tuned(changes)
  return asked("tune", test.merged({ lowest_frequency = false, no_idle_states = false, cpus = list {}, governor = null,
    turbo = null, smt = null }, changes))
end

for _, case in ipairs {
  { "a lock that is not permitted", "not permitted: gpu=lock", clocks {} },
  { "a lock of no GPU", "no GPUs are named", clocks { gpus = list {} }, lock = true },
  { "a lock of an unknown GPU", "not a GPU of this machine", clocks { gpus = list { UUID .. "-b" } }, lock = true },
  { "a lock by a part of a UUID", "not a GPU of this machine", clocks { gpus = list { "GPU-" } }, lock = true },
  { "a lock by an index", "not a GPU of this machine", clocks { gpus = list { "0" } }, lock = true },
  { "a lock by a path", "not a GPU of this machine", clocks { gpus = list { "../../etc/x" } }, lock = true },
  { "the same GPU twice", "the same GPU twice", clocks { gpus = list { UUID, UUID } }, lock = true },
  { "a GPU that is a number", "type must be", clocks { gpus = list { 0 } }, lock = true },
  { "a clock that no GPU has", "does not support SM clock 99999 MHz", clocks { sm = "99999" }, lock = true },
  { "a clock of 1e300", "not a valid clock", clocks { sm = "1e300" }, lock = true },
  { "a negative clock", "not a valid clock", clocks { sm = "-1" }, lock = true },
  { "more than all of a clock", "not a valid clock", clocks { sm = "101%" }, lock = true },
  { "a clock without a number", "not a valid clock", clocks { sm = "nan" }, lock = true },
  { "a clock with an option", "not a valid clock", clocks { mem = "1590 -r" }, lock = true },
  { "no clock", "needs 'sm' or 'mem'", clocks { sm = "" }, lock = true },
  { "the end of what it does not hold", "does not hold number 1", asked("end", 1), lock = true },
  { "a lease of more than there are", "cannot lease",
    asked("lease", { gpus = list { UUID }, count = 2, patience_s = null }) },
  { "a lease of an unknown GPU", "not a GPU", asked("lease", { gpus = list { "all" }, count = 1 }) },
  { "a lease by a path", "not a GPU", asked("lease", { gpus = list { "/../../tmp/x" }, count = 1 }) },
  { "a monitor without a period", "at least 0.001", asked("monitor", { gpus = list { UUID }, period_s = 0 }) },
  { "another setting", "not a request: write", asked("write", { path = "/proc/sys/kernel/core_pattern" }) },
  { "a governor", "not permitted: machine=governor", tuned { governor = "performance" } },
  { "turbo", "not permitted: machine=turbo", tuned { turbo = false } },
  { "a governor that is a path", "not a valid governor", tuned { governor = "../x" }, lock = true },
  { "CPUs that do not exist", "not a valid CPU list", tuned { cpus = list { 99999999 } }, lock = true },
  { "CPUs below the first", "not a valid CPU list", tuned { cpus = list { -1 } }, lock = true },
  { "CPUs that are a path", "type must be", tuned { cpus = "../../x" }, lock = true },
} do
  test("the broker must refuse " .. case[1], function()
    fresh()
    sh "mkdir -p outside/m/sys/devices/system/cpu/cpufreq/policy0 outside/m/sys/devices/system/cpu/intel_pstate"
    reg.fs.write("outside/m/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n")
    reg.fs.write("outside/m/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")
    reg.fs.write("outside/nvml", "gpu0.uuid=" .. UUID .. "\n")
    reg.fs.write("outside/nvml.log", "")
    local answer = forge(case[3], case.lock and "--allow gpu=lock --allow 'machine=*' " or "", {
      REGENGINE_NVML = fakes .. "/nvml.so", REGENGINE_FAKE_NVML = reg.fs.absolute "outside/nvml",
      REGENGINE_SYSFS = reg.fs.absolute "outside/m" })
    test.has(answer, case[2])
    test.lacks(answer, "result")
    test.truthy(not reg.fs.read "outside/nvml.log":find("Set", 1, true), reg.fs.read "outside/nvml.log")
    test.equal(sh "cat outside/m/sys/devices/system/cpu/cpufreq/policy0/* outside/m/sys/devices/system/cpu/intel_pstate/*",
      "powersave\n0\n")
    sh("rm -f /run/lock/regengine-" .. UUID .. "* /tmp/regengine-" .. UUID .. "*")
  end)
end

test("what a hole asks for without telling it is in the audit log, and so is what it was refused", function()
  fresh()
  forge(run_of("true"), "--audit ../outside/audit ")
  test.truthy(reg.fs.read "outside/audit":find('"verdict":"run","kind":"process","what":"true"', 1, true))
  forge(run_of("sh"), "--audit ../outside/audit ")
  local lines = reg.fs.read "outside/audit"
  test.truthy(lines:find('"what":"true"', 1, true), "the lines before are gone")
  test.has(lines, '"verdict":"refused","kind":"process","what":"sh"')
end)

return test.finish()
