local test = require "harness"
local metric = reg.metric

-- A failed trial, which a sweep records, not an error of the script.
local function fails(text, f)
  local why = test.raises(text, f, "failed_trial")
  test.equal(why.status, "test_failed")
end

test("a number is found behind its words, however it is written", function()
  for written, number in pairs { ["587.9"] = 587.9, ["-3"] = -3, ["+4"] = 4, ["1e3"] = 1000, ["1.5e-3"] = 0.0015, [".5"] = 0.5,
    ["3.5ms"] = 3.5, ["12s"] = 12, ["2E+2"] = 200 } do
    test.equal(metric.find("x\nMLUPS: " .. written .. "\ny", "MLUPS: {number}"), number + 0.0, written)
  end
end)

test("punctuation around {number} means itself; without {number} it is a Lua pattern", function()
  test.equal(metric.find("[speed] (GB/s) = 12.5%", "[speed] (GB/s) = {number}%"), 12.5)
  test.equal(metric.find("took 12 ms, 13 ms", "took %d+ ms, (%d+) ms"), 13.0)
end)

test("the first number counts, and all() has every one in order", function()
  local text = "step 12ms\nstep 13.5ms\nstep 11ms\n"
  test.equal(metric.find(text, "step {number}ms"), 12.0)
  test.equal(metric.all(text, "step {number}ms"), { 12.0, 13.5, 11.0 })
end)

test("no number, or no finite one, is a failed trial that says what was looked for", function()
  fails("the output has no match for 'MLUPS: {number}'", function() metric.find("nothing\nhere", "MLUPS: {number}") end)
  fails("here", function() metric.find("nothing\nhere", "MLUPS: {number}") end)
  for _, word in ipairs { "nan", "inf", "-inf", "NaN", "fast" } do
    fails("gives '" .. word .. "', which is not a finite number", function() metric.find("MLUPS: " .. word, "MLUPS: {number}") end)
  end
  fails("has no match", function() metric.all("", "MLUPS: {number}") end)
  fails("not a finite number", function() metric.all("a 1 a nan", "a {number}") end)
end)

test("a number with a thousands separator is no number, and a comma behind one is none of it", function()
  for _, text in ipairs { "MLUPS: 1,234.5", "MLUPS: 1,234" } do
    fails("not a finite number", function() metric.find(text, "MLUPS: {number}") end)
  end
  test.equal(metric.find("MLUPS: 587.9, loss: 2", "MLUPS: {number}"), 587.9)
  test.equal(metric.find("it took 12.", "took {number}"), 12.0)
end)

test("a pattern that is none is the script's mistake", function()
  test.raises("the pattern 'MLUPS' captures no number", function() metric.find("MLUPS: 3", "MLUPS") end, "usage")
  test.raises("not a valid pattern", function() metric.find("text", "[") end, "usage")
  test.raises("must be a string", function() metric.find("text", 5) end, "usage")
  test.raises("must be a string", function() metric.find("text", "") end, "usage")
end)

test("JSON is read whole, or its last line that is JSON", function()
  test.equal(metric.json('{"a":{"b":[1,{"c":2.5}]}}', "a.b[2].c"), 2.5)
  test.equal(metric.json('log\n{"x":1}\n{"x":2}\nbye {"x":3}\n', "x"), 2.0)
  test.equal(metric.json('{"x":"3.5"}', "x"), 3.5)
  fails("the output has no JSON", function() metric.json("plain text", "x") end)
  fails("the JSON in the output has no 'y.z'", function() metric.json('{"x":1}', "y.z") end)
  fails("the JSON in the output has no 'x.z'", function() metric.json('{"x":1}', "x.z") end)
  fails("not a finite number", function() metric.json('{"x":null}', "x") end)
  fails("not a finite number", function() metric.json('{"x":[1]}', "x") end)
end)

test("several metrics come by name, and one that is missing fails the trial", function()
  test.equal(metric.table("a: 1\nb: 2\n", { first = "a: {number}", second = "b: {number}" }), { first = 1.0, second = 2.0 })
  fails("c: {number}", function() metric.table("a: 1", { a = "a: {number}", c = "c: {number}" }) end)
end)

test("a metric's short name is the words its pattern begins with", function()
  test.equal(metric.name "MLUPS: {number}", "MLUPS")
  test.equal(metric.name "p50.ms", "p50.ms")
  test.equal(metric.name "Mitems/s: {number}", "Mitems/s")
  test.equal(metric.name "step time = {number} ms", "step time")
  test.equal(metric.name "{number} ms", "value")
  test.equal(metric.name "%d+ (%d+)", "value")
end)

return test.finish()
