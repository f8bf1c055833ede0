-- Requests to the broker that no check of the engine has seen: native code in the process that runs an untrusted script
-- writes them itself (tests/support/fakes/hole.c). The broker alone refuses them.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"
local cbor = require "cbor"

local sh = attacks.sh
local fakes = sh "printf %s \"$REGENGINE_FAKES\""
local ALLOWED = "--allow container=busybox:1 --allow git=src --allow git=https://host.invalid/* --allow process=true "

local function fresh()
  sh([[rm -rf ws outside state home && mkdir -p ws/sub outside state/regengine home && touch outside/secret
    touch state/regengine/trusted
    for repo in ws/src ws/clone outside/repo; do git init -q -b main $repo; done
    cd ws/src && echo one >file && git add file &&
      git -c user.name=A -c user.email=a@b.invalid commit -q -m one]])
  sh "ln -s ../outside/repo ws/link && ln -s ../../outside ws/sub/link"
end

-- The broker's answer to the request, with ID in it.
local function forge(request)
  request.id = 1000
  reg.fs.write("ws/hole-forge", cbor.encode(request))
  reg.fs.write("ws/script.lua", "print(reg.fs.read 'hole-forge')")
  local run = reg.process.run { shell = "exec setsid -w \"$REGENGINE\" " .. ALLOWED .. "script.lua", cwd = "ws", env = {
    LD_PRELOAD = fakes .. "/hole.so", XDG_STATE_HOME = reg.fs.absolute "state", HOME = reg.fs.absolute "home",
    ASAN_OPTIONS = "verify_asan_link_order=0" }, timeout_s = 300 }
  test.equal(run.code, 0, run.stderr)
  return run.stdout
end

local function refused(name, why, request)
  test("the broker must refuse " .. name, function()
    fresh()
    local answer = forge(type(request) == "function" and request() or request)
    test.truthy(answer:find(why, 1, true), answer)
    test.truthy(not answer:find("result", 1, true), answer)
    for _, made in ipairs { "REACHED", "ws/REACHED", "outside/REACHED" } do test.truthy(not reg.fs.exists(made), made) end
    test.equal(sh "find outside/repo -name '*.pack' -o -name FETCH_HEAD", "")
  end)
end

if sandboxed.versions()[#sandboxed.versions()] == 0 then
  test("the broker", function() test.skip "this kernel has no Landlock" end)
  return test.finish()
end

-- --- Programs: also those that the broker runs itself.
for _, program in ipairs { "git", "docker", "podman", "sh" } do
  refused("to run " .. program, "not permitted: process=" .. program, { run = cbor.command { program, "version" } })
end

-- --- Containers.
local function container(call, what, runtime)
  return { container = { runtime = runtime or "docker", call = call, what = what } }
end

local function spec(changes)
  local made = { image = "busybox:1", mounts = cbor.list {}, gpus = "", network = "", shm_size = "", ipc = "",
    ulimits = cbor.list {}, devices = cbor.list {}, cap_add = cbor.list {}, memory = "", cpus = "", user = "",
    init = true, installed = false }
  local whole = { exec = { argv = cbor.list { "true" }, env = {}, workdir = "", keep_bytes = 1000,
    loaded_below = cbor.list {} }, cpus_of_host = cbor.list {}, spec = made }
  for key, value in pairs(changes) do
    if key == "entrypoint" or key == "leased" then whole[key] = value else made[key] = value end
  end
  return whole
end

local function mount(host, inside, read_only)
  return { mounts = cbor.list { { host = host, inside = inside or "/x", read_only = read_only or false } } }
end

local SPECS = {
  { "another image", "not permitted: container=alpine:1", { image = "alpine:1" } },
  { "another registry", "not permitted: container=host.invalid/busybox:1", { image = "host.invalid/busybox:1" } },
  { "an option for an image", "--privileged", { image = "--privileged" } },
  { "all of the host", "refused to mount", mount "/" },
  { "the host's network", "not permitted: container=network=host", { network = "host" } },
  { "the network of another container", "network", { network = "container:other" } },
  { "the host's IPC", "not permitted: container=ipc=host", { ipc = "host" } },
  { "a device", "not permitted: container=device=/dev/null", { devices = cbor.list { "/dev/null" } } },
  { "a capability", "not permitted: container=cap-add=SYS_ADMIN", { cap_add = cbor.list { "SYS_ADMIN" } } },
  { "options for GPUs", "gpus", { gpus = "all,\"capabilities=all\"" } },
  { "options for a lease", "not a valid GPU", { leased = { uuids = cbor.list { "GPU-1\",\"x=y" }, indexes = cbor.list {},
    cpus = cbor.list {} } } },
  { "an option for a user", "user", { user = "--privileged" } },
  { "an option for an entrypoint", "entrypoint", { entrypoint = "--privileged\n" } },
  { "an option for memory", "memory", { memory = "--privileged" } },
  { "an option for a limit", "ulimits", { ulimits = cbor.list { "--privileged" } } },
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
refused("another runtime", "not a container engine: local", container("run", spec {}, "local"))
refused("another program", "not a container engine: sh", container("version", nil, "sh"))
refused("another call", "not a request", container("prune", "busybox:1"))

-- --- Git.
local function fetch(changes)
  return function()
    local what = { objects = reg.fs.absolute "ws/clone/.git/objects", url = "src", filter = "", have = cbor.list {},
      ids = cbor.list {}, head = false, submodule = false }
    for key, value in pairs(changes) do what[key] = value end
    if what.below then
      what.objects = reg.fs.absolute "." .. "/" .. what.below
      what.below = nil
    end
    return { git = { fetch = what } }
  end
end

local FETCHES = {
  { "another URL", "not permitted: git=https://other.invalid/x", { url = "https://other.invalid/x" } },
  { "a URL that leaves its folder", "'..' in it", { url = "https://host.invalid/a/../../b" } },
  { "a helper program", "helper program", { url = "ext::touch REACHED" } },
  { "an option for a URL", "option", { url = "--upload-pack=touch REACHED" } },
  { "another repository of this machine", "not permitted: git=", { url = "../outside/repo" } },
  { "another repository as a URL", "not permitted: git=", { url = "file:///etc" } },
  { "an option for an id", "not a valid id", { ids = cbor.list { "--stdin" } } },
  { "an option for a commit", "not a valid id", { have = cbor.list { "--upload-pack=touch REACHED" } } },
  { "an option for a filter", "the filter", { filter = "tree:0 --upload-pack=x" } },
  { "a submodule that is not permitted", "not permitted: git=https://other.invalid/x", { url = "https://other.invalid/x",
    submodule = true } },
  { "a folder for a submodule", "not permitted: git=", { url = "../outside/repo", submodule = true } },
  { "objects outside", "not permitted: files=", { below = "outside/repo/.git/objects" } },
  { "objects through a link", "not permitted: files=", { below = "ws/link/.git/objects" } },
  { "objects of no repository", "not the objects", { below = "ws/sub" } },
  { "relative objects", "not an absolute path", { objects = "clone/.git/objects" } },
}
for _, case in ipairs(FETCHES) do refused("to fetch with " .. case[1], case[2], fetch(case[3])) end

local function patch(changes)
  return function()
    local what = { objects = reg.fs.absolute "ws/src/.git/objects", promisor = "", text = "",
      tree = sh "git -C ws/src rev-parse 'HEAD^{tree}'":gsub("\n", "") }
    for key, value in pairs(changes) do what[key] = value end
    return { git = { apply = what } }
  end
end
refused("a patch for an option", "not a valid id", patch { tree = "--empty" })
refused("a patch with objects of others", "not permitted: git=https://other.invalid/x",
  patch { promisor = "https://other.invalid/x" })
refused("a patch with a helper program", "helper program", patch { promisor = "ext::touch REACHED" })

test("git must not follow an alternate of a permitted repository out of the folder", function()
  fresh()
  sh "cd outside/repo && echo private >file && git add file && git -c user.name=A -c user.email=a@b.invalid commit -qm one"
  local secret = sh "git -C outside/repo rev-parse HEAD"
  sh("echo " .. reg.fs.absolute "outside/repo/.git/objects" .. " >ws/src/.git/objects/info/alternates")
  reg.fs.write("ws/src/.git/refs/heads/stolen", secret)
  local answer = forge(fetch {}())
  test.truthy(not answer:find("refs/heads/stolen", 1, true), answer)
  test.truthy(not sh("git -C ws/clone cat-file --batch-all-objects --batch-check"):find(secret:sub(1, 40), 1, true))
end)

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
  test.truthy(answer:find("refs/heads/main", 1, true), answer)
  test.truthy(not reg.fs.exists "outside/REACHED")
  sh "rm -rf ws/clone/.git/config && git -C ws/src cat-file --batch-all-objects --batch-check >all && [ -s all ]"
  test.truthy(sh "find ws/clone/.git/objects -type f" ~= "", "nothing was fetched")
end)

return test.finish()
