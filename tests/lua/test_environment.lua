-- reg.environment: causes that were planted are named, and nothing else.

local test = require "harness"
local environment = reg.environment

local function with(env) return environment.collect { env = env } end

-- What the findings say.
local function said(a, b)
  return test.map(environment.diff(a, b), function(finding)
    test.equal(finding.level, "environment")
    return finding.what
  end)
end

-- A folder of Python packages, { name = version }, as the environment of a command that imports them.
local count = 0
local function packages(versions)
  count = count + 1
  local folder = "site" .. count
  for name, version in pairs(versions) do
    local metadata = string.format("Metadata-Version: 2.1\nName: %s\nVersion: %s\n\nVersion: 9\n", name, version)
    local stem = folder .. "/" .. name:gsub("%W", "_") .. "-" .. version
    reg.fs.mkdir(stem .. ".dist-info")
    reg.fs.write(stem .. ".dist-info/METADATA", metadata)
  end
  return reg.fs.absolute(folder)
end

test("what this machine is made of", function()
  local here = environment.collect()
  test.equal(here.kernel .. "\n", reg.process.run({ shell = "uname -r" }).stdout)
  test.truthy(here.cpu.count >= 1 and here.cpu.allowed:find "^%d", "CPUs")
  test.truthy(type(here.os) == "string" and #here.cpu.flags > 0, "OS and CPU flags")
  test.equal(here.variables.HOME .. "\n", reg.process.run({ shell = "echo $HOME" }).stdout)
  for part, why in pairs(here.missing) do test.truthy(type(why) == "string" and why ~= "", part) end
end)

test("no module of the current folder is run", function()
  test.needs "python3"
  reg.fs.mkdir "somebody"
  for _, name in ipairs { "json", "re", "os", "codecs", "email", "encodings", "sitecustomize" } do
    reg.fs.write("somebody/" .. name .. ".py", "open('REACHED', 'w')\nraise SystemExit(1)\n")
  end
  local found = environment.collect { cwd = "somebody" }
  test.truthy(not reg.fs.exists "somebody/REACHED")
  test.truthy(found.python and found.python:find "^%d+%.%d+", found.missing.pip)
end)

test("the same machine twice has no findings", function()
  local ends = {}
  for i = 1, 4 do ends[i] = environment.collect { cwd = i % 2 == 0 and "/" or "." } end
  test.equal(said({ ends[1], ends[2] }, { ends[3], ends[4] }), {})
  test.equal(said(ends[1], ends[2]), {})
end)

test("a package downgraded, one added and one gone are the first findings", function()
  test.needs "python3"
  local old = packages { jaxlib = "0.4.30", ["Typing.Extensions"] = "4.1", numpy = "1.26.4", left = "1" }
  local new = packages { jaxlib = "0.4.31", ["Typing.Extensions"] = "4.1", numpy = "2.0", right = "2" }
  local a, b = with { PYTHONPATH = old }, with { PYTHONPATH = new }
  test.equal(a.packages.pip["typing-extensions"], "4.1")
  test.equal(environment.diff(a, b)[1], { level = "environment", package = "jaxlib", what = "jaxlib 0.4.30 -> 0.4.31",
    before = "0.4.30", after = "0.4.31" })
  test.equal(said(a, b), { "jaxlib 0.4.30 -> 0.4.31", "numpy 1.26.4 -> 2.0",
    "PYTHONPATH lost " .. old .. "; gained " .. new, "left 1 removed", "right 2 added" })
end)

test("what was installed from a repository has its commit, and the first folder on the path counts", function()
  test.needs "python3"
  local one, other = packages { flax = "0.9" }, packages { flax = "0.8" }
  local commit = ("0123456789abcdef"):rep(3):sub(1, 40)
  reg.fs.write("site" .. count - 1 .. "/flax-0.9.dist-info/direct_url.json",
    reg.json.encode { url = "https://github.com/google/flax", vcs_info = { vcs = "git", commit_id = commit } })
  test.equal(with { PYTHONPATH = one .. ":" .. other }.packages.pip.flax, "0.9 of commit 0123456789")
end)

test("many packages are one finding", function()
  local a, b = { packages = { dpkg = { libc6 = "2.36" }, pip = {} } }, { packages = { dpkg = { libc6 = "2.37" }, pip = {} } }
  for i = 1, 9 do a.packages.dpkg["p" .. i], b.packages.dpkg["p" .. i] = "1", "2" end
  for i = 1, 6 do b.packages.pip["q" .. i] = "1" end
  test.equal(said(a, b), { "libc6 2.36 -> 2.37 (dpkg)", "6 pip packages added: q1 1, q2 1, q3 1, and 3 more",
    "9 dpkg packages changed: p1 1 -> 2, p2 1 -> 2, p3 1 -> 2, and 6 more" })
  test.equal(environment.diff(a, b)[2].after, "q1 1\nq2 1\nq3 1\nq4 1\nq5 1\nq6 1")
end)

test("variables: flags word by word, thread counts, paths by folder; volatile ones are ignored", function()
  local a = with { XLA_FLAGS = "--xla_gpu_autotune_level=0 --xla_dump_to=/a", OMP_NUM_THREADS = "4", SHLVL = "3" }
  local b = with { XLA_FLAGS = "--xla_dump_to=/b --x", OMP_NUM_THREADS = "1", SHLVL = "9", SSH_TTY = "x", A_FILE = "f" }
  test.equal(said(a, b), { "OMP_NUM_THREADS 4 -> 1",
    "XLA_FLAGS lost --xla_gpu_autotune_level=0; gained --x; --xla_dump_to=/a -> --xla_dump_to=/b", "A_FILE set to f" })
  test.equal(said(b, a)[3], "A_FILE was f, and is not set")
  test.equal(said(with { XLA_FLAGS = "--a --b" }, with { XLA_FLAGS = "--b --a" }),
    { "XLA_FLAGS has the same parts in another order or number" })
  test.equal(said(with { LD_LIBRARY_PATH = "/a:/b" }, with { LD_LIBRARY_PATH = "/b" }), { "LD_LIBRARY_PATH lost /a" })
end)

test("of a secret only that it is set", function()
  local a = with { MY_TOKEN = "hunter2hunter2", PLACE = "https://ann:" .. "pw1@example.org/x" }
  test.equal(a.variables.MY_TOKEN, "<redacted>")
  test.truthy(not reg.json.encode(a):find("pw1", 1, true), "the password of a URL")
  test.equal(said(a, with { MY_TOKEN = "another1another1", PLACE = "https://ann:" .. "pw2@example.org/x" }), {})
  test.equal(said(a, with { PLACE = "https://ann:" .. "pw1@example.org/x" }), { "MY_TOKEN was <redacted>, and is not set" })
end)

test("machine, system and image, the likelier cause first", function()
  local function one(kernel, driver, flags, governor)
    return { kernel = kernel, gpus = { { name = "H100", driver = driver }, { name = "H100", driver = driver } },
      cpu = { model = "X", flags = flags, allowed = "0-3" }, settings = { governor = governor }, cuda = "12.4",
      libraries = { libcudnn = driver == "560" and "9.2.0" or "9.1.0" },
      image = { labels = { version = governor } } }
  end
  local a, b = one("6.1", "550", { "avx2", "avx512f" }, "performance"), one("6.8", "560", { "avx2" }, "powersave")
  b.checkouts, b.gpus[3] = { jax = "abc" }, { name = "H100", driver = "560" }
  test.equal(said(a, b), { "libcudnn 9.1.0 -> 9.2.0", "GPU driver 550 -> 560", "number of GPUs 2 -> 3",
    "CPU flags lost avx512f", "governor performance -> powersave", "kernel 6.1 -> 6.8",
    "label version performance -> powersave" })
  a.checkouts = { jax = "def" }
  test.equal(said(a, b)[1], "checkout jax def -> abc")
end)

test("what differs within an end, or was not collected at one of them, is not a finding", function()
  local function one(run, dpkg) return { variables = { RUN = run, X = "1" }, packages = { dpkg = dpkg } } end
  local a, b = { one("1"), one("2") }, { one("3", { p = "1" }), one("4", { p = "1" }) }
  test.equal(said(a, b), {})
  b[1].variables.X, b[2].variables.X = "2", "2"
  test.equal(said(a, b), { "X 1 -> 2" })
end)

test("conda names what pip sees, too", function()
  local function one(version)
    return { packages = { pip = { numpy = version }, conda = { numpy = version .. " h1", zlib = version .. " h1" } } }
  end
  test.equal(said(one "1", one "2"), { "numpy 1 -> 2", "zlib 1 h1 -> 2 h1" })
end)

test("conda's packages, by the files of its folder", function()
  reg.fs.mkdir "prefix/conda-meta"
  reg.fs.write("prefix/conda-meta/zlib-ng-2.0.7-h5eee18b_0.json", "{}")
  reg.fs.write("prefix/conda-meta/history", "")
  test.equal(with { CONDA_PREFIX = reg.fs.absolute "prefix" }.packages.conda, { ["zlib-ng"] = "2.0.7 h5eee18b_0" })
end)

test("what cannot be collected says why", function()
  reg.process.run { shell = 'mkdir tools && ln -s "$(command -v sh)" tools/sh' }
  local here = with { PATH = reg.fs.absolute "tools" }
  test.equal({ here.packages, here.python }, { {}, nil })
  test.truthy(here.missing.pip:find "python3.*not found", here.missing.pip)
  test.truthy(here.missing.dpkg:find "dpkg%-query.*not found", here.missing.dpkg)
  reg.fs.mkdir "strange"
  reg.fs.write("strange/case.lua", [[
    local found = reg.environment.collect()
    print(found.missing.kernel, found.missing.variables, found.variables)]])
  local run = reg.process.run { shell = 'XDG_STATE_HOME=$PWD/elsewhere "$REGENGINE" case.lua', cwd = "strange" }
  test.equal(run.stdout, "not permitted: process=sh\tnot permitted: process=sh\tnil\n", run.stderr)
end)

test("the driver of the GPUs", function()
  reg.fs.write("gpus", "gpu0.uuid=GPU-env\n")
  reg.fs.write("case.lua", "print(reg.json.encode(reg.environment.collect().gpus))")
  local run = reg.process.run { shell = 'REGENGINE_FAKE_NVML=$PWD/gpus REGENGINE_NVML=$REGENGINE_FAKES/nvml.so "$REGENGINE" case.lua' }
  local gpu = reg.json.decode(run.stdout)[1]
  test.truthy(gpu and gpu.driver and gpu.name, run.stdout .. run.stderr)
end)

test("misuse", function()
  test.raises("takes a table of options", function() environment.collect "x" end, "usage")
  test.raises("takes what was collected", function() environment.diff({}, nil) end, "usage")
  test.raises("unknown option 'evn'", function() environment.collect { evn = {} } end, "usage")
end)

test("an image that is a folder", function()
  reg.fs.mkdir "image"
  local found = environment.collect { image = "image", runtime = "local", env = { A = "1" } }
  test.equal({ found.variables.A, found.image.name }, { "1", "image" })
end)

test.with_each_engine("an image, and one with an entrypoint", function(name, image)
  local o = { image = image, runtime = name, network = "none", env = { XLA_FLAGS = "--a --b" } }
  local a = environment.collect(o)
  test.equal({ a.variables.XLA_FLAGS, #a.image.layers > 0, a.image.name }, { "--a --b", true, image })
  test.truthy(a.missing.pip and a.missing.dpkg, "an image of busybox has no packages")
  o.env.XLA_FLAGS = "--b"
  test.equal(said(a, environment.collect(o)), { "XLA_FLAGS lost --a" })
  test.equal(reg.process.run({ shell = "id=$(" .. name .. " create " .. image .. " true) && " .. name .. " export $id | "
    .. name .. [[ import --change 'ENTRYPOINT ["/bin/echo"]' - environment-entry; ]] .. name .. " rm $id" }).code, 0)
  local entry = environment.collect { image = "environment-entry", runtime = name, network = "none", pull = "never" }
  test.equal({ entry.kernel, entry.missing.kernel }, { a.kernel, nil })
end)

return test.finish()
