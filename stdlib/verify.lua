-- reg.verify{ reference =, result = }: whether the numbers that a command dumped equal those of a reference. C++ reads
-- files and computes (core.nouns.verify); this file decides: the verification codes of pytorch/xla's benchmarks.

local check_keys = require "lib/options/check_keys"

local KEYS = { "reference", "result", "repeat_reference", "metric", "tolerance", "atol" }
local FILE_KEYS = { "file", "dtype", "shape", "order", "endian" }

local function usage(message, hint) core.fail("usage", "verify: " .. message, hint) end

-- The number that is compared with the tolerance, and the default tolerance.
local METRICS = {
  mre = { name = "mean relative error", tolerance = 0.02, value = function(d) return d.mean_relative_error end },
  rmse = { name = "relative RMSE", tolerance = 0.02, value = function(d) return d.relative_rmse end },
  -- It includes the tolerance: no number may be off.
  allclose = { name = "fraction not close", tolerance = 1e-5, limit = 0,
    value = function(d) return d.count == 0 and 0.0 or d.not_close / d.count end },
}

-- "dump.npy", or { file =, ... }, as core.nouns.verify takes it.
local function source(o, key)
  local given = o[key]
  if type(given) == "string" then given = { file = given } end
  if type(given) ~= "table" or type(given.file) ~= "string" then
    usage(key .. " must be a file name, or { file =, dtype =, shape = }")
  end
  check_keys("verify", given, FILE_KEYS)
  local suffix = given.file:lower():match "%.(%w+)$"
  local format = (suffix == "npy" or suffix == "json") and suffix or "raw"
  local order, endian = given.order or "C", given.endian or "little"
  if order ~= "C" and order ~= "F" then usage 'order must be "C" (last axis fastest) or "F" (first axis fastest)' end
  if endian ~= "little" and endian ~= "big" then usage 'endian must be "little" or "big"' end
  if format == "raw" and not (given.dtype and type(given.shape) == "table") then
    usage("raw bytes need a dtype and a shape: " .. given.file, 'Pass { file =, dtype = "f32", shape = { 2, 3 } }.')
  end
  for _, one in ipairs(format == "raw" and {} or { "shape", "order", "endian" }) do
    if given[one] ~= nil then usage("'" .. one .. "' is for raw bytes only: " .. given.file) end
  end
  if format == "json" and given.dtype then
    usage("'dtype' is not for JSON, whose numbers are doubles: " .. given.file)
  end
  return { file = given.file, format = format, dtype = given.dtype, shape = given.shape, fortran = order == "F",
    big = endian == "big" }
end

-- The message of a comparison, in one line.
local function describe(answer, metric)
  local parts = { string.format("%s %.4g, tolerance %g", metric.name, answer.value, answer.tolerance) }
  if answer.count and answer.different > 0 then
    parts[#parts + 1] = string.format("largest difference %.4g at (%s): %.9g, reference %.9g",
      answer.largest_difference, table.concat(answer.largest_at, ", "), answer.result_there, answer.reference_there)
    parts[#parts + 1] = string.format("%d of %d differ", answer.different, answer.count)
  end
  if (answer.unmatched or 0) > 0 then
    parts[#parts + 1] = answer.unmatched .. " are NaN or infinite on one side only"
  end
  if (answer.off_zero or 0) > 0 then
    parts[#parts + 1] = answer.off_zero .. " are not 0 where the reference is 0; use rmse or allclose for those"
  end
  return table.concat(parts, "; ")
end

-- The value of the metric, infinite for different shapes.
local function value_of(found, metric)
  if found.count then return metric.value(found) end
  return not found.failed and math.huge or nil
end

-- Code and message if there are no numbers to compare.
local function code_without_numbers(found, missing)
  if found.failed then
    if found.kind == "unavailable" then return "VERIFIER_SKIPPED", found.message end
    if found.failed == "reference" then return "EAGER_FAILED", found.message end
    if found.kind == "not_found" then return missing, found.message end
    return "EXCEPTION_RAISED", found.message
  elseif found.count == 0 then
    return "VERIFIER_SKIPPED", "no numbers to compare: the shape is " .. found.reference_shape
  end
end

local function shapes_differ(found)
  return string.format("the shape is %s, the reference's is %s", found.result_shape, found.reference_shape)
end

local function difference(reference, result, tolerance, atol)
  return core.nouns.verify.difference { reference = reference, result = result, relative = tolerance, absolute = atol }
end

-- Compares the reference with its repeat: code and message if the reference cannot verify anything.
local function check_repeat(answer, reference, again, metric)
  local found = difference(reference, again, 0, 0)
  answer.repeat_value = value_of(found, metric)
  answer.kind, answer.hint = found.kind or answer.kind, found.hint or answer.hint
  if found.failed and found.kind ~= "unavailable" then return "EAGER_FAILED", found.message end
  if found.failed or found.count == 0 then return code_without_numbers(found) end
  if not found.count then return "NONDETERMINISTIC_EAGER_RUN", "the reference's repeat: " .. shapes_differ(found) end
  if found.different > 0 then
    return "NONDETERMINISTIC_EAGER_RUN", string.format(
      "%d of %d numbers of the reference differ in its repeat, the largest by %.4g", found.different,
      found.count, found.largest_difference)
  end
end

local function checked(o)
  check_keys("verify", o, KEYS)
  local metric = METRICS[o.metric or "mre"]
  if not metric then usage("not a valid metric: '" .. tostring(o.metric) .. "'", "Valid: mre, rmse, allclose.") end
  for _, key in ipairs { "tolerance", "atol" } do
    local value = o[key]
    local fits = value == nil or (type(value) == "number" and value >= 0 and value < math.huge)
    if not fits then usage(key .. " must be a number of at least 0") end
  end
  if o.atol and o.metric ~= "allclose" then usage "atol is for the metric allclose only" end
  return metric, o.tolerance or metric.tolerance
end

---@class verify.File
---@field file string .npy, .json, or raw bytes, which need dtype and shape
---@field dtype? string "f32", "float32", "bf16", "i64", "u8", "bool", ...; for a .npy only if ml_dtypes wrote bfloat16
---@field shape? integer[] of raw bytes; {} for a scalar
---@field order? "C"|"F" of raw bytes: "C" (default), last axis fastest; "F", first axis fastest
---@field endian? "little"|"big" of raw bytes; default little

---@class verify.Options
---@field reference string|verify.File the expected numbers, such as those of the eager run
---@field result string|verify.File
---@field repeat_reference? string|verify.File the reference run once more; if it differs at all, nothing is verified
---@field metric? "mre"|"rmse"|"allclose" default mre
---@field tolerance? number default 0.02, for allclose 1e-5
---@field atol? number for allclose; default 1e-8

---@alias verify.Code "PASS"|"FAIL"|"NONDETERMINISTIC_EAGER_RUN"|"EAGER_FAILED"|"EXCEPTION_RAISED"|"VERIFIER_SKIPPED"
---|"VERIFIER_DIDNT_RUN"

---@class verify.Answer
---@field code verify.Code
---@field message string the value and what differs, or why there is none, in one line
---@field metric string
---@field tolerance number
---@field value? number of the metric: infinite for different shapes; absent if a file cannot be read
---@field repeat_value? number the same for the reference and its repeat
---@field mean_relative_error? number mean of |result - reference| / |reference|; infinite if only the reference is 0
---@field rmse? number sqrt(sum((result - reference)^2) / count)
---@field relative_rmse? number rmse divided by the root mean square of the reference
---@field largest_difference? number
---@field largest_at? integer[] its index, from 0 as in numpy
---@field reference_there? number
---@field result_there? number
---@field count? integer numbers compared; absent, like the numbers above, for different shapes
---@field different? integer numbers that are not equal
---@field not_close? integer numbers with |result - reference| > atol + tolerance * |reference|
---@field unmatched? integer NaN or infinite on one side only
---@field off_zero? integer 0 in the reference only
---@field reference_shape string "(2, 3)"; "" if it cannot be read
---@field result_shape string
---@field kind? string of the error, if a file cannot be compared: not_found, corrupt, unavailable, permission, io
---@field hint? string what to do about it

--- Whether the numbers that a command dumped equal those of its reference, with the verification codes of pytorch/xla's
--- benchmarks.
---
--- PASS: the mean relative error (mre) or the RMSE divided by the root mean square of the reference (rmse) is at most
--- the tolerance, or every number is close as in numpy.allclose (allclose). FAIL: not so, or the shapes differ.
--- NONDETERMINISTIC_EAGER_RUN: the reference differs from its repeat. EAGER_FAILED: the reference or its repeat cannot
--- be read. VERIFIER_DIDNT_RUN: the result does not exist. EXCEPTION_RAISED: the result cannot be read or is corrupt.
--- VERIFIER_SKIPPED: there are no numbers to compare, or only complex ones.
---
--- NaN equals NaN and an infinity equals itself; on one side only the difference is infinite. The relative error is
--- infinite where the reference is 0 and the result is not. Files are read a few MiB at a time, JSON as a whole, up to
--- 1 GiB. Raises usage for misuse only.
--- ```lua
--- reg.fs.write("eager.json", "[1.0, 2.0, 4.0]")
--- reg.fs.write("compiled.json", "[1.0, 2.01, 4.0]")
--- local answer = reg.verify { reference = "eager.json", result = "compiled.json", tolerance = 0.02 }
--- print(answer.code, answer.value, answer.message)
--- ```
---@param options verify.Options
---@return verify.Answer answer
return function(o)
  if type(o) ~= "table" then usage "needs { reference =, result = }" end
  local metric, tolerance = checked(o)
  local reference, result = source(o, "reference"), source(o, "result")
  local again = o.repeat_reference ~= nil and source(o, "repeat_reference")

  local answer = difference(reference, result, tolerance, o.atol)
  answer.metric, answer.tolerance, answer.value = o.metric or "mre", tolerance, value_of(answer, metric)
  local code, message
  if again and answer.failed ~= "reference" then code, message = check_repeat(answer, reference, again, metric) end
  if not code then code, message = code_without_numbers(answer, "VERIFIER_DIDNT_RUN") end
  if not code then
    code = answer.value <= (metric.limit or tolerance) and "PASS" or "FAIL"
    message = answer.count and describe(answer, metric) or shapes_differ(answer)
  end
  answer.code, answer.message = code, message
  answer.failed = nil
  return answer
end
