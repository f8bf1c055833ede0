local test = require "harness"

local function measure_of(quiet, name)
  for _, measure in ipairs(quiet:record()) do
    if measure.measure == name then return measure end
  end
end

local function say(shell) return (reg.process.run({ shell = shell }).stdout:gsub("\n$", "")) end

local CPUS <const> = "sed -n 's/^Cpus_allowed_list:\t//p' /proc/%s/status"

test("variables apply to commands that run until close, and a command's own variables win", function()
  do
    local quiet <close> = reg.machine.tune { env = { QUIET_A = "1", QUIET_B = "2" } }
    test.equal(say "echo $QUIET_A $QUIET_B", "1 2")
    test.equal(reg.process.run({ shell = "echo $QUIET_A $QUIET_B", env = { QUIET_A = "own" } }).stdout, "own 2\n")
    test.equal(reg.process.run({ shell = "echo $QUIET_A ${QUIET_B-none}", unset = { "QUIET_B" } }).stdout, "1 none\n")
    test.equal(measure_of(quiet, "env").state, "done")
    do
      local inner <close> = reg.machine.tune { env = { QUIET_A = "inner" } }
      test.equal({ say "echo $QUIET_A $QUIET_B", #inner:record() }, { "inner 2", 1 })
    end
    test.equal(say "echo $QUIET_A $QUIET_B", "1 2")
  end
  test.equal(say "echo ${QUIET_A-none}", "none")
end)

test("containers get the variables, too; the record is a copy and stays after close, which may come twice", function()
  local quiet <close> = reg.machine.tune { env = { QUIET_A = "1" } }
  reg.fs.mkdir "image"
  test.equal(reg.container.run { image = "image", shell = "echo $QUIET_A", runtime = "local" }.stdout, "1\n")
  local kept <close> = reg.container.start { image = "image", runtime = "local" }
  test.equal({ kept:exec({ shell = "echo $QUIET_A" }).stdout, #quiet:record() }, { "1\n", 1 })
  quiet:record()[1].state = "spoilt"
  quiet:close()
  quiet:close()
  test.equal(quiet:record()[1].state, "done")
end)

test("commands run on the given CPUs, the engine stays where it was", function()
  local allowed = say(CPUS:format "self")
  local first = allowed:match "^%d+"
  do
    local quiet <close> = reg.machine.tune { cpus = first }
    local measure = measure_of(quiet, "cpus")
    test.equal({ measure.state, measure.was, measure.now }, { "done", allowed, first })
    test.equal({ say(CPUS:format "self"), say(CPUS:format "$PPID") }, { first, allowed })
  end
  test.equal(say(CPUS:format "self"), allowed)
  local quiet <close> = reg.machine.tune { cpus = "1000" }
  test.equal(measure_of(quiet, "cpus").state, "not supported")
  test.has(measure_of(quiet, "cpus").why, allowed)
  test.equal(say "echo it runs", "it runs")
end)

test("invalid options are refused", function()
  test.refuses("usage", reg.machine.tune, { { "no measures given", {} },
    { "did you mean 'governor'?", { govenor = "performance" } }, { "takes a table", "performance" },
    { "'min_freq' must be \"max\"", { min_freq = "3 GHz" } }, { "unknown option 'warmup'", { warmup = true } },
    { "not a valid environment variable", { env = { ["A=B"] = "1" } } } })
  for _, cpus in ipairs { "", "all", "1-", "-1", "3-1", "1,,2", "0-99999", "1 2" } do
    test.raises("not a valid CPU list", function() reg.machine.tune { cpus = cpus } end, "usage")
  end
end)

test("warm_up keeps the GPUs busy until their temperature is steady, or for the given time", function()
  local folder = test.variable "REGENGINE_FAKES"
  if folder == "" then test.skip "no folder of fakes: run it under ctest" end
  reg.fs.write("cuda.txt", "kernel regengine_heat 500\n")
  local function heated(code, temperature)
    reg.fs.write("nvml", "gpu0.uuid=GPU-00102030-4050-6070-8090-a0b0c0d0e0f0\n" .. temperature)
    return reg.process.run { shell = [["$REGENGINE" -e "$CODE"]],
      env = { CODE = code, REGENGINE_NVML = folder .. "/nvml.so",
      REGENGINE_FAKE_NVML = "nvml", REGENGINE_LIBCUDA = folder .. "/cuda.so", REGENGINE_CUBLAS = "/nowhere/libcublas.so",
      REGENGINE_FAKE_CUDA = "cuda.txt" } }
  end
  local code = [[local quiet <close> = reg.machine.tune { warm_up = "1s" } print(reg.json.encode(quiet:record()))]]
  local run = heated(code, "gpu0.temperature=61\n")
  local measure = reg.json.decode(run.stdout)[1]
  test.equal({ measure.measure, measure.state }, { "warm_up", "done" })
  test.truthy(measure.now:find "^61 C after ", measure.now)
  -- Several work at once: none cools down while another one is waited for.
  reg.fs.write("cuda.txt", "devices 2\nkernel regengine_heat 500\nlog calls\n")
  run = heated(code, "gpus=2\ngpu1.uuid=GPU-01112131-4151-6171-8191-a1b1c1d1e1f1\n")
  test.equal(reg.json.decode(run.stdout)[1].state, "done")
  local launches = 0
  for call in reg.fs.read("calls"):gmatch "[^\n]+" do
    if call:find "^cuLaunchKernel regengine_heat" then launches = launches + 1 end
    if call:find "^cuEventSynchronize" then break end  -- for what was queued before
  end
  test.equal(launches, 2 * 2 * 2)
  reg.fs.write("cuda.txt", "kernel regengine_heat 500\n")
  -- A temperature that another process keeps raising is never steady.
  run = heated([[reg.spawn(function()
    for t = 62, 200, 2 do
      reg.fs.write("nvml", "gpu0.uuid=GPU-00102030-4050-6070-8090-a0b0c0d0e0f0\ngpu0.temperature=" .. t .. "\n")
      reg.sleep(0.1)
    end
  end) ]] .. code, "gpu0.temperature=60\n")
  measure = reg.json.decode(run.stdout)[1]
  test.has(measure.now, ", not steady yet after")
  measure = reg.json.decode(heated(code, "rc.nvmlDeviceGetTemperature=3\nrc.nvmlDeviceGetTemperatureV=3\n").stdout)[1]
  test.equal(measure.state, "not supported")
  test.has(measure.why, "does not report its temperature")
end)

return test.finish()
