-- reg.gpu against the fake driver (tests/support/fakes/nvml). Each case runs an engine of its own, since the
-- environment chooses the driver. The last line that it prints is JSON, which with_fake decodes.

local test = require "harness"
local fake_gpu = {}
local count = 0

-- state: lines of the fake's file. Returns what the code returned, the run, and the path of the state file. For the code,
-- and the Lua of `prelude` before it, FAKE is that path, UUID the GPU's, and STORE a store of its own, with `goes_on` that
-- of the case before; now(lines) adds to the state as it was at first.
function fake_gpu.with_fake(state, code, options, variables, prelude, goes_on)
  if not goes_on then count = count + 1 end
  local path = reg.fs.absolute("fake" .. count)
  local uuid = "GPU-" .. reg.process.run({ shell = "cat /proc/sys/kernel/random/uuid" }).stdout:gsub("\n", "")
  reg.fs.write(path, string.format("gpu0.uuid=%s\ngpu1.uuid=%s-b\ngpu2.uuid=%s-c\n", uuid, uuid, uuid)
    .. state:gsub(" ", "\n"):gsub("~", " "))
  reg.fs.write("case.lua", string.format([[
local FAKE, UUID, STORE = %q, %q, %q
local FIRST = reg.fs.read(FAKE)
local function now(lines) reg.fs.write(FAKE, FIRST .. "\n" .. lines .. "\n") end
]], path, uuid, "case" .. count .. ".db") .. (prelude or "") .. "local function run()\n" .. code
    .. "\nend\nprint(reg.json.encode { result = run() })")
  local run = reg.process.run { env = test.merged({ REGENGINE_FAKE_NVML = path }, variables),
    shell = 'REGENGINE_NVML="${FAKE:-$REGENGINE_FAKES/nvml.so}" exec "$REGENGINE" ' .. (options or "") .. " case.lua" }
  reg.process.run { shell = "rm -f /run/lock/regengine-" .. uuid .. "*.lock /tmp/regengine-" .. uuid .. "*.lock" }
  local last = run.stdout:match "([^\n]+)\n$"
  local log = reg.fs.exists(path .. ".log") and reg.fs.read(path .. ".log") or ""
  return run.ok and last and reg.json.decode(last).result, run, { path = path, uuid = uuid, log = log }
end

-- What the code raised: { kind, message, hint }.
function fake_gpu.raised_with(state, code)
  local got, run = fake_gpu.with_fake(state, "local ok, why = pcall(function() " .. code ..
    " end) return { ok = ok, kind = why.kind, message = why.message, hint = why.hint }")
  if not got or got.ok then error("nothing was raised: " .. run.stdout .. run.stderr, 2) end
  return got
end

function fake_gpu.calls(log)
  local names = {}
  for name, rest in log:gmatch "%d+ %d+ (%a+)([^\n]*)" do
    if name ~= "Init" and name ~= "Shutdown" then names[#names + 1] = name .. (rest:match " %d+ %d+$" or "") end
  end
  return names
end

return fake_gpu
