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

test("filters are regular expressions that ignore case, on the first axis or the named one", function()
  local matrix = reg.matrix { { model = { "alexnet", "AlexNet_quantized", "resnet18", "resnet50" } },
    { test = { "eval", "train" } } }
  test.equal(ids(matrix:filter("^alexnet$")), { "model=alexnet test=eval", "model=alexnet test=train" })
  test.equal({ #matrix:filter { "alexnet", "50$" }, #matrix:filter {}, #matrix:exclude { "alexnet" } }, { 6, 8, 4 })
  test.equal(#matrix:exclude {}, 8)
  test.equal(ids(matrix:filter("resnet18"):filter("^e", "test")), { "model=resnet18 test=eval" })
  test.equal(#matrix:only({ "resnet18", "alexnet" }), 4)
  test.raises("not a valid regular expression: '(?:a()': ", function() matrix:filter "a(" end, "usage")
  test.raises("no such axis: 'tset' (did you mean 'test'?)", function() matrix:filter("e", "tset") end, "usage")
end)

test("shards are alike, do not meet, and together are the whole", function()
  local matrix = reg.matrix { { a = { 1, 2, 3, 4, 5 } }, { b = { 1, 2 } } }
  local seen, sizes = {}, {}
  for i = 1, 3 do
    local shard = matrix:shard(i, 3)
    sizes[i] = #shard
    for _, id in ipairs(ids(shard)) do
      test.equal(seen[id], nil, id)
      seen[id] = true
    end
  end
  test.equal(sizes, { 4, 3, 3 })
  for _, id in ipairs(ids(matrix)) do test.truthy(seen[id], id) end
  test.raises("not a valid shard: 4 of 3", function() matrix:shard(4, 3) end, "usage")
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
