local test = require "harness"

local image, registry = test.variable "REGENGINE_TEST_IMAGE", test.variable "REGENGINE_TEST_REGISTRY"

local here = { runtime = "local" }

test("the local runtime runs on the host, in the folder that stands for the image", function()
  reg.fs.mkdir "night/opt"
  reg.fs.write("night/hello", "from the folder")
  local run = reg.container.run { runtime = "local", image = "night", cmd = { "cat", "hello" } }
  test.equal({ run.code, run.ok, run.stdout, run.oom }, { 0, true, "from the folder", false })
  test.truthy(run.image_digest:find "^local:")
  run = reg.container.run {
    runtime = "local", image = "night", env = { K = "v" }, gpus = "0,1",
    shell = "echo $REGENGINE_IMAGE; echo $K $CUDA_VISIBLE_DEVICES >&2; exit 7",
  }
  test.equal({ run.code, run.ok, run.stderr }, { 7, false, "v 0,1\n" })
  test.truthy(run.stdout:find "/night\n$")
  local absent = { runtime = "local", image = "absent", shell = "true" }
  test.refuses("not_found", reg.container.run, { { "no such folder: absent", absent } })
end)

test("what a command used is known of the local runtime, with `usage` and without", function()
  for _, usage in ipairs { true, false } do
    local run = reg.container.run { runtime = "local", shell = "true", usage = usage }
    test.truthy(run.user_s + run.sys_s >= 0 and run.peak_bytes > 0)
    local box <close> = reg.container.start { runtime = "local", usage = usage }
    test.truthy(box:exec({ shell = "true", usage = usage }).peak_bytes > 0)
  end
end)

test("the local runtime finds a working directory through its mount", function()
  reg.fs.mkdir "place/sub"
  local run = reg.container.run { runtime = "local", shell = "pwd", mounts = { place = "/dir" }, workdir = "/dir/sub" }
  test.truthy(run.stdout:find "/place/sub\n$", run.stdout)
end)

test("a local container runs command after command", function()
  local box <close> = reg.container.start { runtime = "local", image = "night", env = { A = "1" } }
  test.equal(box:exec { shell = "echo $A$B", env = { B = "2" } }.stdout, "12\n")
  box:restart()
  test.equal(box:exec { cmd = { "cat", "hello" } }.stdout, "from the folder")
  test.truthy(box:exec { cmd = { "sleep", "1000" }, timeout_s = 0.2 }.timed_out)
  local closed = reg.container.start(here)
  closed:close()
  closed:close()
  test.raises("closed", function() closed:exec { shell = "true" } end, "usage")
end)

test("the images of a search: by dates, versions and commits in their names, and as listed", function()
  local function ids(o)
    local name = o.image
    o.runtime, o.image = "local", nil
    return test.map(reg.container.nights(name, o), "id")
  end
  for _, name in ipairs { "a-20240301", "a-20240302-0f6761b", "a-20240302-0f6761b5", "a-20240302-0f", "a-20241399-0f6761b5",
    "a-20240302-x", "1.10", "1.9", "1.10rc1", "1.10.dev3", "1.10.post1", "v20240229T0910", "v20240301T2300" } do
    reg.fs.mkdir("tags/" .. name)
  end
  local day = { from = "2024-03-01", to = "2024-03-01" }
  local function dated(name) return ids { image = "tags/" .. name, from = day.from, to = day.to } end
  test.equal(dated "a-{date:%Y%m%d}", { "2024-03-01" })
  test.equal(ids { image = "tags/a-{date:%Y%m%d}-{sha}" }, { "a-20240302-0f6761b", "a-20240302-0f6761b5" })
  test.equal(dated "v{date:%Y%m%dT%H%M}", { "v20240301T2300" })
  test.equal(ids { image = "tags/v{date:%Y%m%dT%H%M}", to = "2024-03-01T22:00" }, { "v20240229T0910" })
  test.equal(ids { image = "tags", tags = [[^1\.\d]] }, { "1.9", "1.10.dev3", "1.10rc1", "1.10", "1.10.post1" })
  reg.fs.write("list", "# two\n\n1.9 # the old one\r\n  1.10\n")
  test.equal(ids { image = "tags", images = "list" }, { "1.9", "1.10" })
  test.equal(ids { images = { "tags/1.10", "tags/none", "tags/1.9" } }, { "tags/1.10", "tags/1.9" })
  test.equal(#ids { image = "tags", tags = "dev", order = "created" }, 1)
  for message, o in pairs { ["exclude each other"] = { image = "tags", tags = "1", images = {} },
    ["Write {date}, {date:%Y%m%d} or {sha}"] = { tags = "1" }, ["no {date} in the image name"] = { image = "tags" },
    ["needs the last date"] = { image = "tags/a-{date}", from = "2024-03-01" },
    ["not a valid part of an image name: '{night}'"] = { image = "a:{night}" },
    ["listed twice: a:1"] = { images = { "a:1", "a:1" } }, ["a digest without a repository"] = { images = { "sha256:ab" } },
    ["which these images lack: tags/1.9"] = { image = "tags", tags = "^1.9$", from = "2024-03-01" } } do
    local why = test.raises("", function() ids(o) end, "usage")
    test.truthy((why.message .. (why.hint or "")):find(message, 1, true), why.message)
  end
  test.raises("no such images: tags with tags ^x", function() ids { image = "tags", tags = "^x" } end, "not_found")
  test.raises("no such images: tags/none", function() ids { images = { "tags/none" } } end, "not_found")
end)

test("local nights are the folders that exist, and local commits come from them", function()
  for _, date in ipairs { "2024-01-01", "2024-01-03" } do reg.fs.mkdir("nights/" .. date .. "/opt/manifest.d") end
  reg.fs.write("nights/2024-01-03/opt/manifest.d/git-clone.yaml", [[
---
# comment
jax:
  url: https://x/jax.git   # trailing
  tracking_ref: main
  latest_verified_commit: abc
"transformer-engine":
  url: 'https://x/te'
  latest_verified_commit: "def"
nothing:
  mode: pip-vcs
]])
  local nights = reg.container.nights("nights/{date}", { from = "2024-01-01", to = "2024-01-04", runtime = "local" })
  test.equal(nights, {
    { id = "2024-01-01", date = "2024-01-01", time = 1704067200, image = "nights/2024-01-01" },
    { id = "2024-01-03", date = "2024-01-03", time = 1704240000, image = "nights/2024-01-03" },
    missing = { "2024-01-02", "2024-01-04" },
  })
  test.equal(reg.container.commits("nights/2024-01-03", here), { jax = { commit = "abc", url = "https://x/jax.git" },
    ["transformer-engine"] = { commit = "def", url = "https://x/te" } })
  test.equal(reg.container.exists("nights/2024-01-02", here), false)
  test.equal(reg.container.discard("nights/2024-01-03", here), false)
  test.equal(reg.fs.exists "nights/2024-01-03", true)
  test.refuses("not_found", reg.container.nights, { { "nights/2024-01-02", "nights/{date}",
    { from = "2024-01-02", to = "2024-01-02", runtime = "local" } } })
end)

test("a checkout in a local image is found without a manifest file", function()
  local made = reg.container.run { runtime = "local", image = "night", shell = [[
    git init -q opt/xla-source && cd opt/xla-source &&
    git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m x &&
    git remote add origin https://example.invalid/xla.git && git rev-parse HEAD]] }
  test.equal(made.code, 0, made.stderr)
  test.equal(reg.container.commits("night", here).xla,
    { commit = made.stdout:sub(1, 40), path = "/opt/xla-source", url = "https://example.invalid/xla.git" })
  reg.fs.mkdir "night/opt/manifest.d"
  reg.fs.write("night/opt/manifest.d/git-clone.yaml", "xla:\n  latest_verified_commit: abc\n")
  test.equal(reg.container.commits("night", here).xla,
    { commit = "abc", path = "/opt/xla-source", url = "https://example.invalid/xla.git" })
end)

test("misuse is refused before anything starts", function()
  -- tests/scripts/test_container_options.sh has the values of options.
  test.refuses("usage", reg.container.run, {
    { "unknown option 'mount' (did you mean 'mounts'?)", { image = "a", mount = {} } },
    { "either 'cmd'", { image = "a", cmd = { "a" }, shell = "b" } }, { "either 'cmd'", { image = "a" } },
    { "\"missing\", \"never\" or \"always\"", { image = "a", shell = "b", pull = "yes" } },
    { "no such container runtime: 'dokcer' (did you mean 'docker'?)", { runtime = "dokcer", shell = "x" } } })
  local function nights(name, from, to) reg.container.nights(name, { from = from, to = to, runtime = "local" }) end
  test.refuses("usage", nights, { { "no {date} in the image name: 'x'", "x", "2024-01-01", "2024-01-02" },
    { "is after", "{date}", "2024-01-02", "2024-01-01" }, { "needs the last date", "{date}", "2024-01-02" } })
end)

-- A container of the tests' image without a network.
local function in_image(runtime, o) return test.merged({ runtime = runtime, image = image, network = "none" }, o) end
local function listed(...) return reg.container.run({ runtime = "local", cmd = { ... } }).stdout end

test.with_each_engine("exit codes 125 to 127 and signals are the command's, and a time-out ends it without TERM", function(runtime)
  local function run(o) return reg.container.run(in_image(runtime, o)) end
  for _, code in ipairs { 125, 126, 127 } do test.equal(run({ shell = "exit " .. code }).code, code) end
  test.equal(run({ cmd = { "no-such-program" } }).code, 127)
  local killed = run { shell = "kill -SEGV $$" }
  test.equal({ killed.code, killed.signal }, { 139, 11 })
  local slow = run { shell = "trap '' TERM; echo begun; while :; do sleep 1; done", timeout_s = 3 }
  test.equal({ slow.timed_out, slow.stdout }, { true, "begun\n" })
end)

test.with_each_engine("what the container engine refuses is an error and no result", function(runtime)
  local function refused(o)
    return test.raises("", function() reg.container.run(in_image(runtime, test.merged({ shell = "true" }, o))) end)
  end
  local absent, why = registry .. "/regengine/absent:1", refused { network = "no-such-network" }
  test.truthy((why.kind == "unavailable" or why.kind == "not_found") and why.message:find("no-such-network", 1, true), why)
  test.equal({ refused({ image = absent }).kind, refused({ image = absent, pull = "never" }).kind,
    refused({ image = "--privileged" }).kind }, { "not_found", "not_found", "usage" })
end)

test.with_each_engine("out of memory is told from a kill", function(runtime)
  local much, o = { "tail", "-c", "300m", "/dev/zero" }, in_image(runtime, { memory = "30m" })
  local run
  -- Docker hears of it by an event, which on a loaded machine may come after the exit: it never tells it then.
  for _ = 1, 5 do
    run = reg.container.run(test.merged({ cmd = much }, o))
    if run.oom or runtime == "podman" then break end
  end
  local untold = runtime == "podman" and reg.fs.exists "/sys/fs/cgroup/memory"  -- on cgroup version 1
  test.equal({ run.code, run.oom or untold }, { 137, true })
  local killed = reg.container.run(in_image(runtime, { shell = "kill -KILL $$" }))
  test.equal({ killed.code, killed.oom }, { 137, false })
  local box <close> = reg.container.start(o)
  for cmd, oom in pairs { [much] = true, [{ "sh", "-c", "kill -KILL $$" }] = false } do
    local inside = box:exec { cmd = cmd }
    test.equal({ inside.code, inside.oom }, { 137, oom })
  end
end)

test.with_each_engine("a timed-out or cancelled exec leaves nothing running, also without a shell", function(runtime)
  local box <close> = reg.container.start(in_image(runtime))
  local function sleepers(seconds) return box:exec({ shell = "ps | grep -c '[s]leep " .. seconds .. "'" }).stdout end
  box:exec { shell = "sleep 5555 >/dev/null 2>&1 &" }
  test.equal(sleepers "5555", "1\n")  -- what a finished one left in the background
  local tree = { shell = "trap '' TERM; env -i /bin/sleep 4321 & setsid sh -c \"trap '' TERM; sleep 4321; sleep 4321\" & "
    .. "sleep 4321; sleep 4321", timeout_s = 1 }
  test.truthy(box:exec(tree).timed_out)
  test.equal(sleepers "4321", "0\n")
  tree.timeout_s = nil
  local task = reg.spawn(function() box:exec(tree) end)
  local other = reg.spawn(function() box:exec { cmd = { "sleep", "4323" } } end)
  reg.sleep(1)
  task:cancel()
  test.raises("", function() task:wait() end, "cancelled")
  test.raises("was restarted while a command ran", function() other:wait() end, "unavailable")
  test.equal(sleepers "432", "0\n")
  box:exec { shell = "echo kept > /tmp/f" }
  box:restart()
  test.equal(box:exec { cmd = { "cat", "/tmp/f" } }.stdout, "kept\n")
  local name = box.name
  box:close()
  test.truthy(not listed(runtime, "ps", "--all", "--format", "{{.Names}}"):find(name, 1, true))
  local bare = reg.container.start(in_image(runtime, { image = registry .. "/regengine/bare:1" }))
  test.truthy(bare:exec({ cmd = { "sleep", "4322" }, timeout_s = 1 }).timed_out)
  test.lacks(listed(runtime, "top", bare.name), "4322")
  test.equal(bare:exec({ cmd = { "sleep", "0" } }).code, 0)
  bare:close()
  -- tests/engine/test_container_real.cpp pulls it slowly.
  reg.container.discard(registry .. "/regengine/bare:1", { runtime = runtime })
end)

test.with_each_engine("a container removed under the engine's hands is one clear error", function(runtime)
  local box <close> = reg.container.start(in_image(runtime))
  listed(runtime, "rm", "--force", box.name)
  test.raises(box.name, function() box:exec { cmd = { "true" } } end, "unavailable")
end)

test("docker is the default while its daemon answers, and one that is not there is named with what to do", function()
  if test.variable "REGENGINE_TEST_DOCKER" == "" then test.skip "REGENGINE_TEST_DOCKER is not set" end
  local box <close> = reg.container.start(in_image())
  test.truthy(listed("docker", "ps", "--format", "{{.Names}}"):find(box.name, 1, true))
  local run = reg.process.run { env = { DOCKER_HOST = "unix:///no/such/docker.sock" }, shell = [["$REGENGINE" -e '
    local all = reg.container.available()
    print(all.docker.ok, all["local"].ok, all.docker.why)
    reg.container.run { runtime = "docker", image = "a:1", shell = "true" }']] }
  test.truthy(run.stdout:find "^false\ttrue\t.*docker%.sock", run.stdout)
  test.has(run.stderr, "--runtime local")
end)

test.with_each_engine("run gives the outcome as a table", function(runtime)
  local run = reg.container.run(in_image(runtime, { shell = "echo out; echo err >&2; exit 3", out = "OUT" }))
  test.equal({ run.code, run.ok, run.stdout, run.stderr, run.timed_out, run.oom },
    { 3, false, "out\n", "err\n", false, false })
  test.equal(reg.fs.read "OUT", "out\n")
  test.truthy(run.image_digest:find "^sha256:")
  test.equal({ run.user_s, run.sys_s, run.peak_bytes }, {})
end)

test.with_each_engine("what a command in a kept container loads from a folder of this machine is known", function(runtime)
  reg.fs.mkdir("tree-" .. runtime)
  local folder, seconds = reg.fs.absolute("tree-" .. runtime), 0.5
  local box <close> = reg.container.start(in_image(runtime, { mounts = { [folder] = folder } }))
  box:exec { shell = "cp /bin/busybox tool", workdir = folder }
  box:exec { shell = "./tool sleep 1000 >/dev/null 2>&1 & sleep 0.2", workdir = folder }
  local found
  repeat  -- a slow machine only takes longer
    found = box:exec({ shell = "./tool sleep " .. seconds, workdir = folder, loaded_below = { folder } }).loaded
    seconds = 2 * seconds
  until found
  test.truthy(found[folder .. "/tool"], reg.json.encode(found))
  local other <close> = reg.container.start(in_image(runtime, { mounts = { [folder] = folder } }))
  test.equal(other:exec({ shell = "sleep 0.3", loaded_below = { folder } }).loaded, nil)
end)

test.with_each_engine("nights are found by manifest, under both schemes, without fetching an image", function(runtime)
  local function find(name, from, to) return reg.container.nights(name, { from = from, to = to, runtime = runtime }) end
  local name, images = registry .. "/nvidia/jax:jax-{date}", {}
  local nights = find(name, "2024-02-06T22:00", "2024-03-05")
  for i, night in ipairs(nights) do images[i] = night.image:sub(#registry + 1) end
  test.equal(images, { "/nvidia/jax:nightly-2024-02-06", "/nvidia/jax:nightly-2024-02-07",
    "/nvidia/jax:nightly-2024-02-08", "/nvidia/jax:jax-2024-03-01", "/nvidia/jax:jax-2024-03-02",
    "/nvidia/jax:jax-2024-03-04", "/nvidia/jax:jax-2024-03-05" })
  test.equal({ nights[1].date, nights[1].time }, { "2024-02-06", 1707177600 })
  test.truthy(nights[1].digest:find "^sha256:%x+$")
  test.raises("has no image", function() reg.container.inspect(nights[4].image, { runtime = runtime }) end, "not_found")
  test.raises("tried " .. registry .. "/nvidia/jax:jax-2023-01-01 and " .. registry .. "/nvidia/jax:nightly-2023-01-01",
    function() find(name, "2023-01-01", "2023-01-03") end, "not_found")
  test.raises("registry", function() find("127.0.0.1:1/jax:{date}", "2023-01-01", "2023-01-03") end, "network")
end)

test.with_each_engine("facts and commits of a registry's images", function(runtime)
  local place = { runtime = runtime }
  local nights = reg.container.nights(registry .. "/nvidia/jax:jax-{date}",
    { from = "2024-02-08", to = "2024-03-03", runtime = runtime })
  test.equal({ #nights, nights[1].image }, { 3, registry .. "/nvidia/jax:nightly-2024-02-08" })
  test.equal(reg.container.exists(registry .. "/nvidia/jax:jax-2024-03-03", place), false)
  test.raises("registry", function() reg.container.exists("127.0.0.1:1/a:b", place) end, "network")
  reg.container.pull(nights[3].image, place)
  test.equal(reg.container.inspect(nights[3].image, place).env.BUILD_DATE, "2024-03-02")
  test.equal(reg.container.commits(nights[3].image, place).jax.commit, ("a"):rep(38) .. "02")
  reg.container.pull(nights[1].image, place)
  local checkout = reg.container.commits(nights[1].image, place).jax  -- of an image without a manifest file
  test.equal({ #checkout.commit, checkout.path, checkout.url }, { 40, "/opt/jax-source", "https://example.invalid/jax.git" })
  test.equal(reg.container.discard(nights[1].image, place), true)
  test.equal(reg.container.discard(nights[2].image, place), false)  -- nobody pulled it
  test.equal(reg.container.discard(nights[3].image, place), true)
  test.raises("has no image", function() reg.container.inspect(nights[3].image, place) end, "not_found")
end)

return test.finish()
