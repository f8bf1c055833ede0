-- reg.verify{ reference =, result = }: whether the numbers that a command dumped equal those of a reference. C++ reads
-- the files and computes (core.nouns.verify); this file decides: the verification codes of pytorch/xla's benchmarks.

local function usage(message) core.fail("usage", "verify: " .. message) end

local function checked(o)
  if type(o) ~= "table" then usage "needs { reference =, result = }" end
  core.check_keys("verify", o, { "reference", "result", "repeat_reference", "tolerance" })
  for _, key in ipairs { "reference", "result", "repeat_reference" } do
    if type(o[key]) ~= "string" and (key ~= "repeat_reference" or o[key] ~= nil) then
      usage(key .. " must be the name of a .npy file")
    end
  end
  local tolerance = o.tolerance or 0.02
  if type(tolerance) ~= "number" or not (tolerance >= 0 and tolerance < math.huge) then
    usage "tolerance must be a number of at least 0"
  end
  return tolerance
end

local function shapes_differ(found)
  return string.format("the shape is %s, the reference's is %s", found.result_shape, found.reference_shape)
end

local function describe(found)
  local parts = { string.format("mean relative error %.4g, tolerance %g", found.value, found.tolerance) }
  if found.different > 0 then
    parts[#parts + 1] = string.format("largest difference %.4g at (%s): %.9g, reference %.9g", found.largest_difference,
      table.concat(found.largest_at, ", "), found.result_there, found.reference_there)
    parts[#parts + 1] = string.format("%d of %d differ", found.different, found.count)
  end
  if found.unmatched > 0 then parts[#parts + 1] = found.unmatched .. " are NaN or infinite on one side only" end
  if found.off_zero > 0 then parts[#parts + 1] = found.off_zero .. " are not 0 where the reference is 0" end
  return table.concat(parts, "; ")
end

-- Code and message if there are no numbers to compare.
local function code_without_numbers(found, missing)
  if found.failed then
    if found.kind == "unavailable" then return "VERIFIER_SKIPPED", found.message end
    if found.failed == "reference" then return "EAGER_FAILED", found.message end
    return found.kind == "not_found" and missing or "EXCEPTION_RAISED", found.message
  elseif found.count == 0 then
    return "VERIFIER_SKIPPED", "no numbers to compare: the shape is " .. found.reference_shape
  end
end

-- Compares the reference with its repeat: code and message if the reference cannot verify anything.
local function check_repeat(answer, reference, again)
  local found = core.nouns.verify.difference(reference, again)
  answer.repeat_value = found.value
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

---@class verify.Options
---@field reference string .npy file of the expected numbers, such as those of the eager run
---@field result string .npy file
---@field repeat_reference? string the reference run once more; if it differs at all, nothing is verified
---@field tolerance? number the largest mean relative error that passes; default 0.02

---@alias verify.Code "PASS"|"FAIL"|"NONDETERMINISTIC_EAGER_RUN"|"EAGER_FAILED"|"EXCEPTION_RAISED"|"VERIFIER_SKIPPED"
---|"VERIFIER_DIDNT_RUN"

---@class verify.Answer
---@field code verify.Code
---@field message string the error and what differs, or why there is none, in one line
---@field tolerance number
---@field value? number mean relative error, infinite for different shapes; absent if a file cannot be read
---@field repeat_value? number the same for the reference and its repeat
---@field largest_difference? number
---@field largest_at? integer[] its index, from 0 as in numpy
---@field reference_there? number
---@field result_there? number
---@field count? integer numbers compared; absent, like the numbers above, for different shapes
---@field different? integer numbers that are not equal
---@field unmatched? integer NaN or infinite on one side only
---@field off_zero? integer 0 in the reference only
---@field reference_shape string "(2, 3)"; "" if it cannot be read
---@field result_shape string
---@field kind? string of the error, if a file cannot be compared: not_found, corrupt, unavailable, permission, io
---@field hint? string what to do about it

--- Whether the numbers that a command dumped with numpy.save equal those of its reference, with the verification codes
--- of pytorch/xla's benchmarks.
---
--- PASS: the mean relative error, of |result - reference| / |reference|, is at most the tolerance. FAIL: it is larger,
--- or the shapes differ. NONDETERMINISTIC_EAGER_RUN: the reference differs from its repeat. EAGER_FAILED: the reference
--- or its repeat cannot be read. VERIFIER_DIDNT_RUN: the result does not exist. EXCEPTION_RAISED: the result cannot be
--- read or is corrupt. VERIFIER_SKIPPED: the files hold nothing to compare, or only numbers such as complex ones.
---
--- Reads little-endian floats (bfloat16 too), integers and booleans, a few MiB at a time. NaN equals NaN and an
--- infinity equals itself; on one side only the difference is infinite. The relative error is infinite where the
--- reference is 0 and the result is not. Raises usage for misuse only.
--- ```lua
--- local header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n"
--- for name, value in pairs { eager = 2.0, compiled = 2.01 } do
---   reg.fs.write(name .. ".npy", string.pack("<c8s2dd", "\x93NUMPY\1\0", header, 1.0, value))
--- end
--- local answer = reg.verify { reference = "eager.npy", result = "compiled.npy", tolerance = 0.02 }
--- print(answer.code, answer.value, answer.message)
--- ```
---@param options verify.Options
---@return verify.Answer answer
return function(o)
  local tolerance = checked(o)
  local answer = core.nouns.verify.difference(o.reference, o.result)
  answer.tolerance = tolerance
  local code, message
  if o.repeat_reference and answer.failed ~= "reference" then
    code, message = check_repeat(answer, o.reference, o.repeat_reference)
  end
  if not code then code, message = code_without_numbers(answer, "VERIFIER_DIDNT_RUN") end
  if not code then
    code = answer.value <= tolerance and "PASS" or "FAIL"
    message = answer.count and describe(answer) or shapes_differ(answer)
  end
  answer.code, answer.message, answer.failed = code, message, nil
  return answer
end
