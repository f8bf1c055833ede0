local test = require "harness"
local null = reg.json.null

-- The example of pytorch/xla's benchmarks/README.
local function readme()
  return reg.matrix {
    { dynamo = { "openxla", "inductor" } },
    { xla = { "PJRT", null } },
    { test = { "eval", "train" } },
  }:where(function(c) return (c.dynamo == "openxla") == (c.xla == "PJRT") end)
end

local function ids(matrix) return test.map(matrix, "id") end

test("every combination, the last axis fastest, and the unsupported ones dropped", function()
  test.equal(ids(readme()), { "dynamo=openxla xla=PJRT test=eval", "dynamo=openxla xla=PJRT test=train",
    "dynamo=inductor xla=null test=eval", "dynamo=inductor xla=null test=train" })
  test.equal({ readme()[3].xla == null, #reg.matrix { { a = { 1, 2, 3 } }, { b = { true, false } } } }, { true, 6 })
end)

test("what is skipped stays, with its reason, and the first reason holds", function()
  local matrix = readme()
  local skipped = matrix:skip(function(c) return c.test == "train" end, "no training here")
    :skip(function() return true end, "nothing at all")
  test.equal({ #skipped, skipped[1].skipped, skipped[2].skipped }, { 4, "nothing at all", "no training here" })
  test.equal(matrix[2].skipped, nil)  -- the first one is as it was
end)

test("axes without order, without values, or twice are refused", function()
  test.raises("axis 1 must be { name = { value, ... } }", function() reg.matrix { { a = { 1 }, b = { 2 } } } end,
    "usage")
  test.refuses("usage", reg.matrix, { { "axis 2 must be", { { a = { 1 } }, { b = {} } } },
    { "two axes are called 'a'", { { a = { 1 } }, { a = { 2 } } } },
    { "'skipped' is not a valid axis name", { { skipped = { 1 } } } }, { "needs axes", { a = { 1 } } },
    { "needs axes" } })
  test.raises("skip needs a reason", function() readme():skip(function() return true end) end, "usage")
end)

return test.finish()
