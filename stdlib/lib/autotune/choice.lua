-- What XLA chose for an operation, in words, from an AutotuneResult.

local sorted_names = require "lib/sorted_names"

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
  for _, knob in ipairs(key.tuning_knobs or {}) do
    knobs[#knobs + 1] = number(knob, "key") .. "=" .. number(knob, "value")
  end
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

local KINDS <const> = {
  { "triton", triton },
  { "gemm", function(key) return "cuBLAS algorithm " .. number(key, "algorithm") end },
  { "algorithm", cudnn },
  { "conv", function(key) return "cuDNN algorithm " .. number(key, "algorithm") end },
  { "cuda_conv_plan", function(key) return "cuDNN plan " .. number(key, "exec_plan_id") end },
  { "custom_kernel_fusion", function(key) return "custom kernel " .. number(key, "kernel_index") end },
  { "other", function(key) return number(key, "name") .. " " .. flat(first(key, "config") or {}) end },
}

--- "cuBLAS algorithm 7"; nil for a result without a choice.
return function(result)
  for _, kind in ipairs(KINDS) do
    local key = first(result, kind[1])
    if type(key) == "table" then return kind[2](key) end
  end
end
