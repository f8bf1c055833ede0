-- reg.autotune: what XLA's autotuner chose for each operation (--xla_gpu_dump_autotune_results_to), and how two such
-- files differ.

local sorted_names = require("lib/values").sorted_names
local textproto = require "lib/textproto"

local NANOSECOND <const> = 1e-9
local HINT <const> = "Dump them as text: XLA_FLAGS=--xla_gpu_dump_autotune_results_to=FILE.txt."

local function first(message, name) return message and message[name] and message[name][1] end

-- A field that is 0 is not written.
local function number(message, name) return first(message, name) or "0" end

local function triton(key)
  local words = ("Triton block %sx%sx%s"):format(number(key, "block_m"), number(key, "block_n"), number(key, "block_k"))
  for _, one in ipairs { { "split_k", "1", "split" }, { "num_stages", "1", "stages" }, { "num_warps", "4", "warps" },
    { "num_ctas", "1", "CTAs" } } do
    local value = first(key, one[1])
    if value and value ~= one[2] then words = words .. ", " .. value .. " " .. one[3] end
  end
  return words .. (first(key, "is_tma_allowed") == "true" and ", TMA" or "")
end

local function cudnn(key)
  local knobs = {}
  for i, knob in ipairs(key.tuning_knobs or {}) do knobs[i] = number(knob, "key") .. "=" .. number(knob, "value") end
  table.sort(knobs)
  local tensor = first(key, "math_type") == "TENSOR_OP_MATH" and ", tensor cores" or ""
  return "cuDNN algorithm " .. number(key, "algo_id") .. tensor
    .. (#knobs > 0 and ", knobs " .. table.concat(knobs, " ") or "")
end

-- A message in one line, its fields in order.
local function flat(message)
  if type(message) ~= "table" then return tostring(message) end
  local parts = {}
  for _, name in ipairs(sorted_names(message)) do
    for _, value in ipairs(message[name]) do parts[#parts + 1] = name .. ": " .. flat(value) end
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- The fields of an AutotuneResult, and each in words.
local KINDS <const> = {
  { "triton", triton },
  { "gemm", function(key) return "cuBLAS algorithm " .. number(key, "algorithm") end },
  { "algorithm", cudnn },
  { "conv", function(key) return "cuDNN algorithm " .. number(key, "algorithm") end },
  { "cuda_conv_plan", function(key) return "cuDNN plan " .. number(key, "exec_plan_id") end },
  { "custom_kernel_fusion", function(key) return "custom kernel " .. number(key, "kernel_index") end },
  { "other", function(key) return number(key, "name") .. " " .. flat(first(key, "config") or {}) end },
}

-- "cuBLAS algorithm 7"; "nothing" of a result without a choice.
local function choice_of(result)
  for _, kind in ipairs(KINDS) do
    local key = first(result, kind[1])
    if type(key) == "table" then return kind[2](key) end
  end
  return "nothing"
end

-- "gemm", "convolution", or what else the operation ends in; of a fusion, what is tuned in it.
local function kind_of(hlo)
  if hlo:find "%f[%w]dot%(" or hlo:find "gemm" or hlo:find "__cublas" then return "gemm" end
  if hlo:find "%f[%w]convolution%(" or hlo:find "__cudnn%$conv" then return "convolution" end
  return hlo:match "ROOT [^=]*= %S+ ([%w_-]+)%(" or hlo:match "([%w_-]+)%(" or "operation"
end

local function run_time(result)
  local time = first(result, "run_time")
  if type(time) ~= "table" then return nil end
  local function of(name) return tonumber(number(time, name)) or 0 end
  return of "seconds" + of "nanos" * NANOSECOND
end

--- What XLA's autotuner chose for each operation on a GPU, from the files that it dumps.
---@class reg.autotune
local autotune = {}

---@class autotune.Choice
---@field name string such as "gemm 12", the twelfth in the file
---@field kind string "gemm", "convolution", or the operation
---@field hlo string the operation as XLA wrote it
---@field device? string the GPU for which it was tuned
---@field choice string such as "cuBLAS algorithm 7" or "Triton block 64x64x32"
---@field run_time_s? number seconds, as the autotuner measured it

---@class autotune.Results
---@field version? integer of the file's format
---@field choices autotune.Choice[] in the order of the file

--- Reads the results of a program that ran with XLA_FLAGS=--xla_gpu_dump_autotune_results_to=FILE.txt; a program with
--- --xla_gpu_load_autotune_results_from=FILE.txt uses them. XLA writes text into files that end in .txt or .textproto,
--- which are read, and the binary form of protocol buffers into others. Raises not_found for a missing file, and
--- corrupt for one that is cut or does not hold such results as text.
--- ```lua
--- for _, one in ipairs(reg.autotune.read("tuned.txt").choices) do print(one.name, one.choice) end
--- ```
---@param path string
---@return autotune.Results read
function autotune.read(path)
  if type(path) ~= "string" then core.fail("usage", "autotune.read: takes the path of a file") end
  local function fail(why) core.fail("corrupt", ("not autotuning results as text: %s: %s"):format(why, path), HINT) end
  local data = reg.fs.read(path)
  if data:find "[%z\1-\8\14-\31]" then fail "it is in binary form" end
  local message, why = textproto(data)
  if not message then fail(why) end
  if not message.version then fail "no version" end
  local read, places = { version = math.tointeger(tonumber(message.version[1])), choices = {} }, {}
  for _, list in ipairs { "results", "dots", "convs" } do  -- the last two are what XLA called them in 2022
    for _, entry in ipairs(message[list] or {}) do
      local hlo, result = first(entry, "hlo"), first(entry, "result")
      if type(hlo) ~= "string" or type(result) ~= "table" then fail "a result without an operation" end
      local kind = kind_of(hlo)
      places[kind] = (places[kind] or 0) + 1
      table.insert(read.choices, { name = kind .. " " .. places[kind], kind = kind, hlo = hlo,
        device = first(entry, "device"), choice = choice_of(result), run_time_s = run_time(result) })
    end
  end
  return read
end

-- The choices by operation: what the file calls an operation's number depends on the order of compilation.
local function by_operation(given)
  local read = type(given) == "string" and autotune.read(given) or given
  if type(read) ~= "table" or type(read.choices) ~= "table" then
    core.fail("usage", "autotune.diff: takes the path of a file, or what autotune.read returns")
  end
  local found = {}
  for _, one in ipairs(read.choices) do found[one.hlo] = one end
  return found
end

-- Seconds by which an operation became slower, as the autotuner measured it.
local function slower(one, other)
  return one and other and one.run_time_s and other.run_time_s and math.abs(other.run_time_s - one.run_time_s) or 0
end

--- The operations for which another choice was made, those whose time changed most first; then those that only one of
--- the two has. An algorithm of cuBLAS or cuDNN is a number whose meaning may change with the library's version. Raises
--- as read does, and usage.
--- ```lua
--- for _, finding in ipairs(reg.autotune.diff("before.txt", "after.txt")) do print(finding.what) end
--- -- gemm 12 chose cuBLAS algorithm 7, before Triton block 64x64x32
--- ```
---@param before string|autotune.Results
---@param after string|autotune.Results
---@return environment.Finding[] findings
function autotune.diff(before, after)
  local old, new = by_operation(before), by_operation(after)
  local both, found = {}, {}
  for _, side in ipairs { old, new } do
    for hlo in pairs(side) do both[hlo] = true end
  end
  for _, hlo in ipairs(sorted_names(both)) do
    local one, other = old[hlo], new[hlo]
    if not one or not other or one.choice ~= other.choice then
      local what = not other and one.name .. " is not tuned, before " .. one.choice
        or ("%s chose %s, %s"):format(other.name, other.choice, one and "before " .. one.choice or "not tuned before")
      found[#found + 1] = { level = "autotune", what = what, before = one and one.choice,
        after = other and other.choice, seconds = slower(one, other), both = one and other and true or false }
    end
  end
  table.sort(found, function(a, b)
    if a.both ~= b.both then return a.both end
    return a.seconds > b.seconds or a.seconds == b.seconds and a.what < b.what
  end)
  for _, one in ipairs(found) do one.seconds, one.both = nil, nil end
  return found
end

return autotune
