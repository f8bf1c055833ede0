-- reg.autotune: what XLA's autotuner chose for each operation (--xla_gpu_dump_autotune_results_to), and how two such
-- files differ.

local choice = require "lib/autotune/choice"
local sorted_names = require "lib/sorted_names"
local textproto = require "lib/autotune/textproto"
local wire = require "lib/autotune/wire"

local NANOSECOND <const> = 1e-9
local HINT <const> = "Dump them: XLA_FLAGS=--xla_gpu_dump_autotune_results_to=FILE.txt."

-- "gemm", "convolution", or what else the operation ends in; of a fusion, what is tuned in it.
local function kind_of(hlo)
  if hlo:find "%f[%w]dot%(" or hlo:find "gemm" or hlo:find "__cublas" then return "gemm" end
  if hlo:find "%f[%w]convolution%(" or hlo:find "__cudnn%$conv" then return "convolution" end
  return hlo:match "ROOT [^=]*= %S+ ([%w_-]+)%(" or hlo:match "([%w_-]+)%(" or "operation"
end

local function run_time(result)
  local time = result.run_time and result.run_time[1]
  if type(time) ~= "table" then return nil end
  local function of(name) return time[name] and tonumber(time[name][1]) or 0 end
  return of "seconds" + of "nanos" * NANOSECOND
end

-- The results of a file in their order; dots and convs are what XLA called them in 2022.
local function entries_of(message)
  local list = {}
  for _, name in ipairs { "results", "dots", "convs" } do
    for _, entry in ipairs(message[name] or {}) do list[#list + 1] = entry end
  end
  return list
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
--- and the binary form of protocol buffers into others: both are read. Of back ends whose configuration XLA packs, the
--- binary form has only bytes, so their choices look different from those in text form. Raises not_found for a missing
--- file, and corrupt for one that is cut or does not hold such results.
--- ```lua
--- for _, one in ipairs(reg.autotune.read("tuned.txt").choices) do print(one.name, one.choice) end
--- ```
---@param path string
---@return autotune.Results read
function autotune.read(path)
  if type(path) ~= "string" then core.fail("usage", "autotune.read: takes the path of a file") end
  local data = reg.fs.read(path)
  local is_binary = data:find "[%z\1-\8\14-\31]"  -- which text has only as escapes
  local form = is_binary and "in binary form" or "as text"
  local function fail(why) core.fail("corrupt", ("not autotuning results %s: %s: %s"):format(form, why, path), HINT) end
  local message, why = (is_binary and wire or textproto)(data)
  if not message then fail(why) end
  if not message.version then fail "no version" end
  local read, places = { version = math.tointeger(tonumber(message.version[1])), choices = {} }, {}
  for _, entry in ipairs(entries_of(message)) do
    local hlo, result = entry.hlo and entry.hlo[1], entry.result and entry.result[1]
    if type(hlo) ~= "string" or type(result) ~= "table" then
      fail "a result without an operation"
    end
    local kind = kind_of(hlo)
    places[kind] = (places[kind] or 0) + 1
    table.insert(read.choices, { name = kind .. " " .. places[kind], kind = kind, hlo = hlo,
      device = entry.device and entry.device[1], choice = choice(result) or "nothing", run_time_s = run_time(result) })
  end
  return read
end

-- The choices by operation: what the file calls an operation's number depends on the order of compilation.
local function by_operation(given, who)
  local read = type(given) == "string" and autotune.read(given) or given
  if type(read) ~= "table" or type(read.choices) ~= "table" then
    core.fail("usage", who .. ": takes the path of a file, or what autotune.read returns")
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
  local old, new = by_operation(before, "autotune.diff"), by_operation(after, "autotune.diff")
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
