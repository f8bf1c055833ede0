-- GPUs that a script has to itself, against the fake driver.

local test = require "harness"
local fake_gpu = require "with_fake_gpu"

local with_fake, raised_with = fake_gpu.with_fake, fake_gpu.raised_with

test("leased GPUs are free for no other lease until it is closed", function()
  local got, run = with_fake("gpus=3", [[
    local function attempt(options)
      options.timeout_s = 0
      local ok, lease = pcall(reg.gpu.lease, options)
      if not ok then return lease.kind .. ": " .. lease.message end
      local _ <close> = lease
      return #lease.gpus
    end
    local lease <close> = reg.gpu.lease { gpus = "0,1" }
    local first = { lease.gpus[1].index, lease.gpus[2].uuid == reg.gpu.get(1).uuid, lease.gpus[1].name, lease.waited_s }
    local taken = { attempt { gpus = 0 }, attempt { count = 2 }, attempt { gpus = "1,2" } }
    local free = attempt { count = 1 }
    lease:close()
    lease:close()
    return { first, taken, free, attempt {} }]])
  test.equal(got, { { 0, true, "Fake GPU", 0.0 }, { "conflict: cannot lease GPU 0: this regengine uses GPU 0",
    "conflict: cannot lease 2 free GPUs of 0, 1, 2: this regengine uses GPU 0, 1",
    "conflict: cannot lease GPU 1, 2: this regengine uses GPU 1" }, 1, 3 })
  test.equal(run.stderr, "")
end)

test("a lease waits for a GPU and says once who has it, and whoever waits goes first", function()
  local got, run = with_fake("", [[
    local order, lease = {}, reg.gpu.lease()
    local function work(name)
      return function()
        local mine <close> = reg.gpu.lease()
        order[#order + 1] = { name, mine.waited_s > 0 }
      end
    end
    local waiter = reg.spawn(work "first")
    reg.sleep(0.15)
    lease:close()
    local late = reg.spawn(work "second")
    waiter:wait()
    late:wait()
    return order]])
  test.equal(got, { { "first", true }, { "second", false } })
  test.equal(run.stderr, "waiting for GPU 0: this regengine uses GPU 0\n")
end)

test("a lease refuses what can never be, and GPUs of different models", function()
  local function message(state, code)
    local why = raised_with(state, code)
    return why.kind .. ": " .. why.message
  end
  test.equal(message("gpus=2", "reg.gpu.lease { count = 3 }"), "usage: cannot lease 3 of 2 GPUs: 0, 1")
  test.equal(message("", "reg.gpu.lease { count = 0 }"), "usage: gpu.lease: 'count' must be at least 1")
  test.equal(message("", "reg.gpu.lease { gpus = 4 }"), "not_found: no such GPU: 4")
  local mixed = "gpus=2 gpu1.name=Other~GPU"
  test.equal(message(mixed, "reg.gpu.lease { count = 1 }"), "usage: GPUs of different models: 0 Fake GPU; 1 Other GPU")
  test.equal(with_fake(mixed, "return #reg.gpu.lease().gpus"), 2)
end)

test("GPUs are listed by name, each once, and a UUID may be cut short", function()
  test.equal(with_fake("gpus=3 gpu2.uuid=GPU-00c1-22", [[
    local function indexes(which)
      local list = {}
      for i, gpu in ipairs(reg.gpu.list(which)) do list[i] = gpu.index end
      return list
    end
    local uuid = reg.gpu.get(2).uuid
    return { indexes(), indexes "all", indexes(1), indexes "2,0,2", indexes(uuid), indexes(uuid:sub(1, -2)) }]]),
    { { 0, 1, 2 }, { 0, 1, 2 }, { 1 }, { 2, 0 }, { 2 }, { 2 } })
  test.equal(raised_with("gpus=3", "reg.gpu.list 'GPU-'").kind, "not_found")
end)

test("a command with a lease sees its GPUs alone and runs on CPUs near them, unless the machine is tuned to others",
  function()
    local function near(cpus)
      return [[
        reg.fs.mkdir "machine/sys/bus/pci/devices/0000:02:00.0"
        reg.fs.write("machine/sys/bus/pci/devices/0000:02:00.0/local_cpulist", "]] .. cpus .. [[\n")
        local lease <close> = reg.gpu.lease { gpus = 1 }
        local function say(o)
          o.shell, o.lease = 'echo "$CUDA_VISIBLE_DEVICES $(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status)"', lease
          return o
        end
        local said = { lease.cpus or "none", reg.process.run(say {}).stdout:match " (.*)\n" }
        reg.fs.mkdir "image"
        said[3] = reg.container.run(say { image = "image", runtime = "local" }).stdout:match "^%S+" == lease.gpus[1].uuid
        local kept <close> = reg.container.start { runtime = "local", lease = lease }
        said[4] = kept:exec({ shell = 'echo "$CUDA_VISIBLE_DEVICES"' }).stdout == lease.gpus[1].uuid .. "\n"
        local tuning <close> = reg.machine.tune { cpus = "0" }
        said[5] = reg.process.run(say {}).stdout:match " (.*)\n"
        return said]]
    end
    local function said(cpus) return with_fake("gpus=2", near(cpus), "", { REGENGINE_SYSFS = "machine" }) end
    test.equal(said "0", { "0", "0", true, true, "0" })
    test.equal(said "1000-1001"[1], "none", "CPUs that this process may not use")
  end)

test("the option `lease` takes an open lease, and nothing else chooses GPUs", function()
  local function message(code) return raised_with("", "local lease = reg.gpu.lease() " .. code).message end
  test.equal(message "lease:close() reg.process.run { shell = 'true', lease = lease }", "process.run: the lease is closed")
  test.truthy(message("reg.process.run { shell = 'true', lease = 'all' }"):find("'lease' must be a result of reg.gpu.lease",
    1, true))
  test.truthy(message("reg.process.run { shell = 'true', lease = lease, env = { CUDA_VISIBLE_DEVICES = '0' } }"):find(
    "'lease' and the variable CUDA_VISIBLE_DEVICES both choose GPUs", 1, true))
  test.truthy(message("reg.container.run { runtime = 'local', shell = 'true', lease = lease, gpus = 'all' }"):find(
    "'lease' and 'gpus' both choose GPUs", 1, true))
end)

test("a dry run leases nothing", function()
  test.equal(with_fake("gpus=2", [[
    local lease = reg.gpu.lease { count = 1 }
    return { #lease.gpus, #reg.gpu.lease { gpus = "0,1", timeout_s = 0 }.gpus }]], "--dry-run"), { 1, 2 })
end)

test("an instance is one word: a lease, the variable of CUDA, and the GPU that is watched and locked", function()
  local state = "gpus=2 gpu1.mig=1 gpu1.instances=MIG-a1~MIG-b2"
  local got = with_fake(state, [[
    local lease <close> = reg.gpu.lease { gpus = "1:0,1:1", count = 1 }
    local one, command = lease.gpus[1], 'echo "$CUDA_VISIBLE_DEVICES"'
    local monitor = reg.gpu.monitor { device = one.uuid }
    local lock <close> = reg.gpu.lock { sm = 1500, device = "1:0" }
    return { one.index, one.instance, one.uuid, one.name,
      reg.process.run { shell = command, lease = lease }.stdout,
      reg.container.run { runtime = "local", gpus = "1:1", shell = command }.stdout,
      reg.runner({ folders = { "." }, options = { gpus = "1:1,0" } }):command(command).env.CUDA_VISIBLE_DEVICES,
      monitor:stop().gpus[1].index, lock.gpus[1].index }]])
  local whole = got[7]:match ",(GPU%-.*)$"
  test.equal(got, { 1, 0, "MIG-a1", "Fake GPU MIG 1g.10gb", "MIG-a1\n", "MIG-b2\n", "MIG-b2," .. tostring(whole), 1, 1 })
  test.equal(with_fake(state, "local all = reg.gpu.lease({ gpus = 'visible' }).gpus return { #all, all[1].uuid }", "",
    { CUDA_VISIBLE_DEVICES = "MIG-b2,nonsense,0" }), { 1, "MIG-b2" })
  local unknown = raised_with(state, 'reg.container.run { runtime = "local", gpus = "1:7", shell = "true" }')
  test.equal({ unknown.kind, unknown.message }, { "not_found", "no such GPU instance: 1:7" })
end)

return test.finish()
