local test = require "harness"

local function npy(name, descr, shape, bytes)
  local header = string.format("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
  reg.fs.write(name, "\x93NUMPY\1\0" .. string.pack("<s2", header) .. bytes)
  return name
end

local function floats(name, ...)
  return npy(name, "<f4", "(" .. select("#", ...) .. ",)", string.pack("<" .. string.rep("f", select("#", ...)), ...))
end

local eager = floats("eager.npy", 1, 2, 4, 8)
local close = floats("close.npy", 1, 2, 4, 8.5)   -- mean relative error 0.0625 / 4
local far = floats("far.npy", 1, 2, 4, 10)        -- 0.25 / 4

local function verify(result, options)
  return reg.verify(test.merged({ reference = eager, result = result }, options))
end

test("PASS and FAIL by the mean relative error, and always the numbers", function()
  local pass = verify(close)
  test.equal({ pass.code, pass.tolerance, pass.value }, { "PASS", 0.02, 0.0625 / 4 })
  local fail = verify(far)
  test.equal({ fail.code, fail.value, fail.largest_difference, fail.largest_at }, { "FAIL", 0.0625, 2.0, { 3 } })
  test.equal({ fail.count, fail.different, fail.unmatched, fail.off_zero }, { 4, 1, 0, 0 })
  test.equal(fail.message, "mean relative error 0.0625, tolerance 0.02; largest difference 2 at (3): 10, reference 8; "
    .. "1 of 4 differ")
  test.equal(verify(far, { tolerance = 0.0625 }).code, "PASS", "at the tolerance")
  test.equal({ verify(far, { tolerance = 0.0624 }).code, verify(eager, { tolerance = 0 }).code }, { "FAIL", "PASS" })
end)

test("a reference that differs from its repeat verifies nothing, and its numbers are said", function()
  local answer = verify(close, { repeat_reference = floats("again.npy", 1, 2, 4, 8.000001) })
  test.equal({ answer.code, answer.value }, { "NONDETERMINISTIC_EAGER_RUN", 0.0625 / 4 })
  test.truthy(answer.repeat_value > 0 and answer.repeat_value < 1e-6, "the repeat's own error")
  test.has(answer.message, "1 of 4 numbers of the reference differ in its repeat")
  local shape = verify(close, { repeat_reference = floats("short.npy", 1, 2) })
  test.equal({ shape.code, shape.repeat_value }, { "NONDETERMINISTIC_EAGER_RUN", math.huge })
  local same = verify(close, { repeat_reference = eager })
  test.equal({ same.code, same.repeat_value }, { "PASS", 0.0 })
end)

test("what cannot be read has a code by whose it is, and a line that names the file", function()
  local broken = npy("broken.npy", "<f4", "(5,)", "1234")
  local complex = npy("complex.npy", "<c8", "(1,)", "12345678")
  for _, row in ipairs { { "none.npy", eager, nil, "EAGER_FAILED", "not_found", "none.npy" },
    { broken, eager, nil, "EAGER_FAILED", "corrupt",
      "broken.npy: has 4 bytes of numbers, fewer than its shape (5,) takes" },
    { eager, "none.npy", nil, "VERIFIER_DIDNT_RUN", "not_found", "none.npy" },
    { eager, broken, nil, "EXCEPTION_RAISED", "corrupt", "broken.npy: has 4 bytes" },
    { complex, complex, nil, "VERIFIER_SKIPPED", "unavailable", "numbers of type '<c8'" },
    { eager, close, "none.npy", "EAGER_FAILED", "not_found", "none.npy", 0.0625 / 4 },
    { eager, close, complex, "VERIFIER_SKIPPED", "unavailable", "numbers of type '<c8'", 0.0625 / 4 } } do
    local answer = reg.verify { reference = row[1], result = row[2], repeat_reference = row[3] }
    test.equal({ answer.code, answer.kind, answer.value }, { row[4], row[5], row[7] })
    test.truthy(answer.message:find(row[6], 1, true) and not answer.message:find "\n", answer.message)
  end
end)

test("shapes that differ fail, and nothing at all is skipped", function()
  local answer = verify(npy("two.npy", "<f4", "(2, 2)", string.pack("<ffff", 1, 2, 4, 8)))
  test.equal({ answer.code, answer.value, answer.count }, { "FAIL", math.huge, nil })
  test.equal(answer.message, "the shape is (2, 2), the reference's is (4,)")
  local empty = npy("empty.npy", "<f4", "(0,)", "")
  local skipped = reg.verify { reference = empty, result = empty }
  test.equal({ skipped.code, skipped.value }, { "VERIFIER_SKIPPED", 0.0 })
end)

test("zeros, NaN and infinities", function()
  local off = reg.verify { reference = floats("zeros.npy", 0, 0, 2), result = floats("off.npy", 0, 0.001, 2) }
  test.equal({ off.code, off.value, off.off_zero }, { "FAIL", math.huge, 1 })
  test.has(off.message, "1 are not 0 where the reference is 0")
  local special = floats("special.npy", 0 / 0, math.huge, -math.huge, 0)
  local same = reg.verify { reference = special, result = floats("same.npy", 0 / 0, math.huge, -math.huge, -0.0) }
  test.equal({ same.code, same.different, same.largest_difference }, { "PASS", 0, 0.0 })
  for _, pair in ipairs { { 0 / 0, 1 }, { 1, 0 / 0 }, { math.huge, 1 }, { 1, -math.huge }, { math.huge, -math.huge },
    { 0 / 0, math.huge } } do
    local lost = reg.verify { reference = floats("a.npy", 1, pair[1], 3), result = floats("b.npy", 1, pair[2], 3.5) }
    test.equal({ lost.code, lost.value, lost.unmatched, lost.largest_difference, lost.largest_at },
      { "FAIL", math.huge, 1, math.huge, { 1 } })
  end
end)

test("what makes no sense is refused", function()
  test.refuses("usage", reg.verify, { { "needs { reference =, result = }", eager },
    { "result must be the name of a .npy file", { reference = eager } },
    { "reference must be the name of a .npy file", { reference = { eager }, result = eager } },
    { "did you mean 'tolerance'?", { reference = eager, result = close, tolerence = 1 } },
    { "tolerance must be a number of at least 0", { reference = eager, result = close, tolerance = -1 } },
    { "tolerance must be a number of at least 0", { reference = eager, result = close, tolerance = 0 / 0 } } })
end)

return test.finish()
