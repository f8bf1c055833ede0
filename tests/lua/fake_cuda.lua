-- What the tests of reg.cuda share: engines on the fake driver and cuBLAS of tests/support/fakes, one for each case,
-- since a driver is loaded once.

local test = require "harness"

local ENGINE = test.variable "REGENGINE"

local fake = { FOLDER = test.variable "REGENGINE_FAKES" }

local PRELUDE = [==[
local function say(value) print(reg.json.encode(value)) end
local function raised(f)
  local ok, why = pcall(f)
  if ok then return { kind = "nothing", message = "nothing was raised" } end
  if type(why) ~= "table" then return { kind = "lua", message = tostring(why) } end
  return { kind = why.kind, message = why.message, hint = why.hint }
end
local PTX = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry work() { ret; }\n"
  .. ".visible .entry other() { ret; }\n"
]==]

--- Runs `code` in an engine; `script` is the fake driver's (tests/support/fakes/cuda/script.h). Returns the last line
--- it said, decoded, and the run.
function fake.engine(script, code, env, flags)
  if fake.FOLDER == "" then test.skip "REGENGINE_FAKES is not set: run under ctest" end
  if reg.fs.exists "log.txt" then reg.fs.remove "log.txt" end
  reg.fs.write("fake.txt", script .. "\nlog log.txt\n")
  reg.fs.write("script.lua", PRELUDE .. code)
  local all = test.merged({ REGENGINE_LIBCUDA = fake.FOLDER .. "/cuda.so", REGENGINE_CUBLAS = fake.FOLDER .. "/cublas.so",
                REGENGINE_FAKE_CUDA = "fake.txt" }, env)
  local cmd = { ENGINE }
  for _, flag in ipairs(flags or {}) do cmd[#cmd + 1] = flag end
  cmd[#cmd + 1] = "script.lua"
  local run = reg.process.run { cmd = cmd, env = all, timeout_s = "10m" }
  if run.code ~= 0 then error("the engine said " .. run.code .. ": " .. run.stdout .. run.stderr, 2) end
  local last = run.stdout:match "([^\n]*)\n$"
  return last and reg.json.decode(last), run
end

--- The driver's log: each call, as it came.
function fake.log_lines() return test.lines(reg.fs.read("log.txt")) end

--- How many lines of the driver's log match.
function fake.count(pattern)
  local n = 0
  for _, line in ipairs(fake.log_lines()) do n = n + (line:find(pattern) and 1 or 0) end
  return n
end

--- A fake NVRTC ("nvrtc") or cuBLAS ("cublas") at each of these paths, of the CUDA in the path's name.
function fake.place(what, paths)
  for _, path in ipairs(paths) do
    reg.fs.mkdir(path:match "(.*)/")
    reg.process.run { cmd = { "cp", fake.FOLDER .. "/" .. what .. ".so", path } }
  end
end

-- How most cases begin: a GPU, its kernel "work", and a function that launches it.
fake.GPU = 'local gpu = reg.cuda.open() local work = gpu:load(PTX):kernel "work" '
fake.LAUNCH = fake.GPU .. 'local function f() work:launch { grid = 1, block = 32 } end '

return fake
