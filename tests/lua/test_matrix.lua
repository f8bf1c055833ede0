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

local function ids(matrix)
  local list = {}
  for i, configuration in ipairs(matrix) do list[i] = configuration.id end
  return list
end

test("every combination, the last axis fastest, and the unsupported ones dropped", function()
  test.equal(ids(readme()), { "dynamo=openxla xla=PJRT test=eval", "dynamo=openxla xla=PJRT test=train",
    "dynamo=inductor xla=null test=eval", "dynamo=inductor xla=null test=train" })
  test.equal(readme()[3].xla == null, true)
  test.equal(#reg.matrix { { a = { 1, 2, 3 } }, { b = { true, false } } }, 6)
end)

test("what is skipped stays, with its reason, and the first reason holds", function()
  local matrix = readme()
  local skipped = matrix:skip(function(c) return c.test == "train" end, "no training here")
    :skip(function() return true end, "nothing at all")
  test.equal(#skipped, 4)
  test.equal(skipped[1].skipped, "nothing at all")
  test.equal(skipped[2].skipped, "no training here")
  test.equal(matrix[2].skipped, nil)  -- the first one is as it was
end)

test("filters are regular expressions that ignore case, on the first axis or the named one", function()
  local matrix = reg.matrix { { model = { "alexnet", "AlexNet_quantized", "resnet18", "resnet50" } },
    { test = { "eval", "train" } } }
  test.equal(ids(matrix:filter("^alexnet$")), { "model=alexnet test=eval", "model=alexnet test=train" })
  test.equal(#matrix:filter { "alexnet", "50$" }, 6)
  test.equal(#matrix:filter {}, 8)
  test.equal(#matrix:exclude { "alexnet" }, 4)
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
  test.raises("axis 2 must be", function() reg.matrix { { a = { 1 } }, { b = {} } } end, "usage")
  test.raises("two axes are called 'a'", function() reg.matrix { { a = { 1 } }, { a = { 2 } } } end, "usage")
  test.raises("'skipped' is not a valid axis name", function() reg.matrix { { skipped = { 1 } } } end, "usage")
  test.raises("needs axes", function() reg.matrix { a = { 1 } } end, "usage")
  test.raises("needs axes", function() reg.matrix() end, "usage")
  test.raises("skip needs a reason", function() readme():skip(function() return true end) end, "usage")
end)

return test.finish()
