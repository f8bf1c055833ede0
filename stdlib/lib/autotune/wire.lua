-- Autotuning results in the binary form of protocol buffers, as the message that lib/autotune/textproto makes of text.
-- Field numbers: XLA's autotune_results.proto, autotuning.proto and dnn.proto; number 2 of the results was `dots` until
-- 2023, and `results` for some weeks.

local function text(value) return tostring(value) end
local function flag(value) return value ~= 0 and "true" or "false" end
local function bytes(value) return (value:gsub(".", function(one) return ("%02x"):format(one:byte()) end)) end

-- A field is { name, what its number becomes } or { name, what its bytes become, true }: a message, if that is a table.
local function number(name) return { name, text } end
local function string_of(name) return { name, text, true } end
local function message(name, fields) return { name, fields, true } end

local RESULT <const> = {
  [5] = message("conv", { number "algorithm", { "tensor_ops_enabled", flag } }),
  [6] = message("gemm", { number "algorithm", number "autotune_workspace_size" }),
  [8] = number "scratch_bytes",
  [9] = message("run_time", { number "seconds", number "nanos" }),
  [15] = message("cuda_conv_plan", { string_of "exec_plan_id" }),
  [16] = message("algorithm", { number "algo_id",
    { "math_type", function(value) return value == 1 and "TENSOR_OP_MATH" or "DEFAULT_MATH" end },
    [4] = message("tuning_knobs", { number "key", number "value" }) }),
  [17] = message("triton", { number "block_m", number "block_n", number "block_k", number "split_k",
    number "num_stages", number "num_warps", number "num_ctas", { "is_tma_allowed", flag } }),
  [18] = message("custom_kernel_fusion", { number "kernel_index" }),
  [19] = message("other", { string_of "name",
    message("config", { string_of "type_url", { "value", bytes, true } }) }),
}
local ENTRY <const> = { string_of "device", string_of "hlo", message("result", RESULT) }
local RESULTS <const> = { number "version", message("dots", ENTRY), message("convs", ENTRY), message("results", ENTRY) }

local function fail(at, what) error({ malformed = ("%s at byte %d"):format(what, at - 1) }, 0) end

-- A number of 7 bits a byte, the lowest first, and where it ends.
local function varint(data, at, stop)
  local value, shift, begin = 0, 0, at
  while true do
    local byte = at <= stop and data:byte(at) or fail(begin, "a number without an end")
    value, at = value | (byte & 127) << shift, at + 1
    if byte < 128 then return value, at end
    shift = shift + 7
    if shift > 63 then fail(begin, "a number of more than 64 bits") end
  end
end

local FIXED <const> = { [1] = 8, [5] = 4 }

-- The value of a field of this kind and where it ends: a number, or for the kinds that hold bytes where they begin.
local function value_of(data, at, stop, kind)
  if kind == 0 then return varint(data, at, stop) end
  local size = FIXED[kind]
  if kind == 2 then size, at = varint(data, at, stop) end
  if not size then fail(at, "no field") end
  if size < 0 or size > stop - at + 1 then fail(at, "a field that is cut") end
  return at, at + size
end

-- What the bytes or the number of a field become.
local function converted(data, field, value, stop, read)
  if type(field[2]) == "table" then return read(data, value, stop, field[2]) end
  return field[2](field[3] and data:sub(value, stop) or value)
end

local function read(data, at, stop, fields)
  local found = {}
  while at <= stop do
    local key, behind = varint(data, at, stop)
    if key >> 3 == 0 then fail(at, "no field") end
    local value, following = value_of(data, behind, stop, key & 7)
    local field = fields[key >> 3]
    if field then
      local name = field[1]
      if key & 7 ~= (field[3] and 2 or 0) then fail(at, "another type of " .. name) end
      found[name] = found[name] or {}
      table.insert(found[name], converted(data, field, value, following - 1, read))
    end
    at = following
  end
  return found
end

--- The message of binary data; nil and what is malformed.
return function(data)
  local ok, result = pcall(read, data, 1, #data, RESULTS)
  if ok then return result end
  if type(result) == "table" and result.malformed then return nil, result.malformed end
  error(result, 0)
end
