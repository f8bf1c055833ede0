local test = require "harness"

local function npy(name, descr, shape, bytes)
  local header = string.format("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
  reg.fs.write(name, "\x93NUMPY\1\0" .. string.pack("<s2", header) .. bytes)
  return name
end

local function floats(name, ...)
  return npy(name, "<f4", "(" .. select("#", ...) .. ",)", string.pack("<" .. string.rep("f", select("#", ...)), ...))
end

local function json(name, text)
  reg.fs.write(name, text)
  return name
end

local eager = floats("eager.npy", 1, 2, 4, 8)
local close = floats("close.npy", 1, 2, 4, 8.5)   -- mean relative error 0.0625 / 4
local far = floats("far.npy", 1, 2, 4, 10)        -- 0.25 / 4

local function verify(result, options)
  local o = { reference = eager, result = result }
  for key, value in pairs(options or {}) do o[key] = value end
  return reg.verify(o)
end

test("PASS and FAIL by the mean relative error, and always the numbers", function()
  local pass = verify(close)
  test.equal({ pass.code, pass.metric, pass.tolerance, pass.value }, { "PASS", "mre", 0.02, 0.0625 / 4 })
  local fail = verify(far)
  test.equal({ fail.code, fail.value, fail.mean_relative_error }, { "FAIL", 0.0625, 0.0625 })
  test.equal({ fail.rmse, fail.largest_difference, fail.largest_at }, { 1.0, 2.0, { 3 } })
  test.near(fail.relative_rmse, math.sqrt(4 / 85), 1e-12)
  test.equal({ fail.count, fail.different, fail.unmatched, fail.off_zero }, { 4, 1, 0, 0 })
  test.equal(fail.message, "mean relative error 0.0625, tolerance 0.02; largest difference 2 at (3): 10, reference 8; "
    .. "1 of 4 differ")
  test.equal(verify(far, { tolerance = 0.0625 }).code, "PASS", "at the tolerance")
  test.equal(verify(far, { tolerance = 0.0624 }).code, "FAIL")
  test.equal(verify(eager, { tolerance = 0 }).code, "PASS")
end)

test("the relative RMSE, and numpy's allclose", function()
  local fail = verify(far, { metric = "rmse" })
  test.equal({ fail.code, fail.value == fail.relative_rmse }, { "FAIL", true })
  test.equal(verify(far, { metric = "rmse", tolerance = 0.22 }).code, "PASS")
  local apart = verify(far, { metric = "allclose" })
  test.equal({ apart.code, apart.value, apart.not_close, apart.tolerance }, { "FAIL", 0.25, 1, 1e-5 })
  test.equal(verify(far, { metric = "allclose", tolerance = 0.25 }).code, "PASS")
  test.equal(verify(far, { metric = "allclose", tolerance = 0.125, atol = 0.99 }).code, "FAIL")
  test.equal(verify(far, { metric = "allclose", tolerance = 0.125, atol = 1 }).code, "PASS")
end)

test("a reference that differs from its repeat verifies nothing, and its numbers are said", function()
  local answer = verify(close, { repeat_reference = floats("again.npy", 1, 2, 4, 8.000001) })
  test.equal({ answer.code, answer.value }, { "NONDETERMINISTIC_EAGER_RUN", 0.0625 / 4 })
  test.truthy(answer.repeat_value > 0 and answer.repeat_value < 1e-6, "the repeat's own error")
  test.truthy(answer.message:find("1 of 4 numbers of the reference differ in its repeat", 1, true), answer.message)
  local shape = verify(close, { repeat_reference = floats("short.npy", 1, 2) })
  test.equal({ shape.code, shape.repeat_value }, { "NONDETERMINISTIC_EAGER_RUN", math.huge })
  local same = verify(close, { repeat_reference = eager })
  test.equal({ same.code, same.repeat_value }, { "PASS", 0.0 })
  test.equal(verify(far, { repeat_reference = eager, metric = "allclose" }).code, "FAIL")
end)

test("what cannot be read has a code by whose it is, and a line that names the file", function()
  local broken = npy("broken.npy", "<f4", "(5,)", "1234")
  local complex = npy("complex.npy", "<c8", "(1,)", "12345678")
  local function check(options, code, kind, text)
    local answer = reg.verify(options)
    test.equal({ answer.code, answer.kind, answer.value }, { code, kind, nil })
    test.truthy(answer.message:find(text, 1, true) and not answer.message:find "\n", answer.message)
  end
  check({ reference = "none.npy", result = eager }, "EAGER_FAILED", "not_found", "none.npy")
  check({ reference = broken, result = eager }, "EAGER_FAILED", "corrupt",
    "broken.npy: holds 4 bytes of numbers, fewer than float32")
  check({ reference = eager, result = "none.npy" }, "VERIFIER_DIDNT_RUN", "not_found", "none.npy")
  check({ reference = eager, result = broken }, "EXCEPTION_RAISED", "corrupt", "broken.npy: holds 4 bytes")
  check({ reference = complex, result = complex }, "VERIFIER_SKIPPED", "unavailable",
    "complex.npy: its numbers are <c8")
  local again = verify(close, { repeat_reference = "none.npy" })
  test.equal({ again.code, again.value, again.kind }, { "EAGER_FAILED", 0.0625 / 4, "not_found" })
  test.truthy(again.message:find("none.npy", 1, true), again.message)
  test.equal(verify(close, { repeat_reference = complex }).code, "VERIFIER_SKIPPED")
end)

test("shapes that differ fail, and nothing at all is skipped", function()
  local answer = verify(json("two.json", "[[1, 2], [4, 8]]"))
  test.equal({ answer.code, answer.value, answer.count }, { "FAIL", math.huge, nil })
  test.equal(answer.message, "the shape is (2, 2), the reference's is (4,)")
  local empty = json("empty.json", "[]")
  local skipped = reg.verify { reference = empty, result = empty, metric = "allclose" }
  test.equal({ skipped.code, skipped.value }, { "VERIFIER_SKIPPED", 0.0 })
end)

test("zeros, NaN and infinities", function()
  local zeros = json("zeros.json", "[0, 0, 2]")
  local off = reg.verify { reference = zeros, result = json("off.json", "[0, 0.001, 2]") }
  test.equal({ off.code, off.value, off.off_zero }, { "FAIL", math.huge, 1 })
  test.truthy(off.message:find("use rmse or allclose for those", 1, true), off.message)
  test.equal(reg.verify { reference = zeros, result = "off.json", metric = "rmse" }.code, "PASS")
  local special = json("special.json", "[NaN, Infinity, -Infinity, 1]")
  test.equal(reg.verify { reference = special, result = special }.code, "PASS")
  local lost = reg.verify { reference = special, result = json("lost.json", "[NaN, Infinity, Infinity, 1]"),
    metric = "rmse" }
  test.equal({ lost.code, lost.value, lost.unmatched }, { "FAIL", math.huge, 1 })
end)

test("raw bytes by dtype, shape, order and endian", function()
  reg.fs.write("c.raw", string.pack("<fff fff", 1, 2, 3, 4, 5, 6))
  reg.fs.write("f.bin", string.pack(">ddd ddd", 1, 4, 2, 5, 3, 6))
  local c = { file = "c.raw", dtype = "f32", shape = { 2, 3 } }
  test.equal(reg.verify { reference = c,
    result = { file = "f.bin", dtype = "float64", shape = { 2, 3 }, order = "F", endian = "big" },
    metric = "allclose" }.code, "PASS")
  local wrong = reg.verify { reference = c,
    result = { file = "f.bin", dtype = "f64", shape = { 2, 3 }, endian = "big" } }
  test.equal({ wrong.code, wrong.largest_at }, { "FAIL", { 0, 1 } })
  test.equal(reg.verify { reference = c, result = json("c.json", "[[1, 2, 3], [4, 5, 6]]") }.value, 0.0)
  local bf16 = npy("bf16.npy", "<V2", "(1,)", "\xc0\x3f")
  local one = json("one.json", "[1.5]")
  test.equal(reg.verify { reference = one, result = { file = bf16, dtype = "bf16" } }.value, 0.0)
  local untold = reg.verify { reference = one, result = bf16 }
  test.equal(untold.code, "VERIFIER_SKIPPED")
  test.truthy(untold.hint:find('dtype = "bf16"', 1, true), untold.hint)
end)

test("every file read is an effect that the guard sees", function()
  reg.fs.write("case.lua", 'print(reg.verify { reference = "eager.npy", result = "close.npy" }.code)')
  local run = reg.process.run { shell = [[exec "$REGENGINE" --audit audit.jsonl case.lua]] }
  test.equal(run.stdout, "PASS\n", run.stderr)
  local audit = reg.fs.read "audit.jsonl"
  test.truthy(audit:find("read eager.npy", 1, true) and audit:find("read close.npy", 1, true), audit)
end)

test("what makes no sense is refused", function()
  local function refused(text, options) test.raises(text, function() reg.verify(options) end, "usage") end
  test.raises("needs { reference =, result = }", function() reg.verify(eager) end, "usage")
  refused("result must be a file name", { reference = eager })
  refused("reference must be a file name", { reference = { dtype = "f32" }, result = eager })
  refused("unknown option 'tolerence' (did you mean 'tolerance'?)",
    { reference = eager, result = close, tolerence = 1 })
  refused("unknown option 'type' (did you mean", { reference = { file = "a.raw", type = "f32" }, result = close })
  refused("not a valid metric: 'mse'", { reference = eager, result = close, metric = "mse" })
  refused("tolerance must be a number of at least 0", { reference = eager, result = close, tolerance = -1 })
  refused("tolerance must be a number of at least 0", { reference = eager, result = close, tolerance = 0 / 0 })
  refused("atol is for the metric allclose only", { reference = eager, result = close, atol = 1 })
  refused("raw bytes need a dtype and a shape: a.raw", { reference = "a.raw", result = close })
  refused("'shape' is for raw bytes only: eager.npy", { reference = { file = eager, shape = { 4 } }, result = close })
  refused("its numbers are float32, not float64", { reference = { file = eager, dtype = "f64" }, result = close })
  refused("'dtype' is not for JSON, whose numbers are doubles: two.json",
    { reference = { file = "two.json", dtype = "f64" }, result = close })
  refused("not a valid dtype: 'f31'", { reference = { file = "c.raw", dtype = "f31", shape = { 6 } }, result = close })
  refused("must not be negative", { reference = { file = "c.raw", dtype = "f32", shape = { -6 } }, result = close })
  refused('order must be "C"',
    { reference = { file = "c.raw", dtype = "f32", shape = { 6 }, order = "fortran" }, result = close })
  refused('endian must be "little" or "big"',
    { reference = { file = "c.raw", dtype = "f32", shape = { 6 }, endian = "<" }, result = close })
end)

return test.finish()
