-- The counters of this GPU: the fields of NVML that the engine reads, by a reader that knows only their numbers, beside
-- nvidia-smi's; ncu, which needs the counters for itself; and a kernel that NVRTC compiles.

local t = require "rows"

if t.lacks_gpu() then return 77 end

local TYPES = { [0] = "double", "unsigned int", "unsigned long", "unsigned long long", "long long", "int", "unsigned short" }

reg.fs.write("fields.py", [==[
import ctypes, json, os, sys
nvml = ctypes.CDLL(os.environ.get("REGENGINE_NVML") or "libnvidia-ml.so.1")
class Field(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("at", ctypes.c_longlong), ("latency", ctypes.c_longlong),
                ("type", ctypes.c_int), ("result", ctypes.c_int), ("value", ctypes.c_ulonglong)]
nvml.nvmlInit_v2()
gpu = ctypes.c_void_p()
nvml.nvmlDeviceGetHandleByUUID(sys.argv[1].encode(), ctypes.byref(gpu))
fields = (Field * 10)(*[Field(id=i) for i in (74, 75, 251, 252, 253, 269, 270, 271, 91, 230)])
result = nvml.nvmlDeviceGetFieldValues(gpu, len(fields), fields)
print(json.dumps([[f.id, result or f.result, f.type, f.value if f.type != 1 else f.value & 0xffffffff] for f in fields]))
]==])

-- What nvidia-smi says of its counters, in microseconds, and by which fields the engine reads them.
local SMI = { sw_power_cap = { 74 }, sw_thermal_slowdown = { 269, 251 }, hw_thermal_slowdown = { 270, 252 },
  hw_power_brake_slowdown = { 271, 253 } }
local NEAR_NS = 1e9  -- the two are read one after the other

t.part("fields of NVML", function()
  local gpu = reg.gpu.get(0)
  local run = reg.process.run { cmd = { "python3", "fields.py", gpu.uuid } }
  assert(run.ok, run.stderr)
  local counters = {}
  for _, field in ipairs(reg.json.decode(run.stdout)) do
    local id, result, kind, value = table.unpack(field)
    if result == 0 and kind == 3 then counters[id] = value end
    local seen = result == 0 and TYPES[kind] .. " " .. value or "result " .. result
    local known = id > 75 or result == 0 and kind == 3
    t.row("driver " .. gpu.driver .. ": field " .. id, seen, id <= 75 and "unsigned long long" or "", known)
  end
  if t.shell "command -v nvidia-smi" == "" then return end
  for name, ids in pairs(SMI) do
    local said = t.shell("nvidia-smi --query-gpu=clocks_event_reasons_counters." .. name
      .. " --format=csv,noheader,nounits -i " .. gpu.uuid)
    local expected, seen = tonumber(said), counters[ids[1]] or counters[ids[2]]
    if not expected then
      t.row("nvidia-smi: " .. name, said)
    else
      t.row("nvidia-smi: " .. name .. ", ns", tostring(seen), string.format("%.0f", expected * 1000),
        seen ~= nil and math.abs(seen - expected * 1000) < NEAR_NS)
    end
  end
end)

t.part("NVRTC", function()
  if not reg.cuda.versions().nvrtc then return t.row("NVRTC", "is not here") end
  local gpu <close> = reg.cuda.open()
  local out = gpu:alloc(1, "i32")
  gpu:load(reg.cuda.compile [[extern "C" __global__ void answer(int* out) { *out = 42; }]]):kernel("answer"):launch {
    grid = 1, block = 1, args = { out } }
  gpu:synchronize()
  local got = out:download()[1]
  t.row("a kernel that NVRTC compiled", tostring(got), "42", got == 42)
end)

t.part("ncu", function()
  local ncu = reg.ncu.status()
  if not ncu.ok then return t.row("ncu", "is not here") end
  t.script("counted.lua", "for _ = 1, 3 do nothing:run() end gpu:synchronize()")
  local ok, run = pcall(reg.ncu.profile, { cmd = { t.engine(), "counted.lua" }, output = "counted.csv", timeout_s = 60 })
  if not ok then return t.row("ncu " .. ncu.version, run.message, "3 launches, or why not", run.kind == "unavailable") end
  local time = run.launches[1] and run.launches[1].metrics["gpu__time_duration.sum"]
  t.row("ncu " .. ncu.version .. ": launches", tostring(#run.launches), "3", #run.launches == 3)
  t.row("ncu: duration of the first", time and time.value .. " " .. time.unit or "absent", "> 0 ns",
    time ~= nil and time.value > 0 and time.unit:find "^n" ~= nil)
end)

return t.finish()
