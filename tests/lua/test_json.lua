local test = require "harness"

test("JSON goes both ways, keys sorted, null kept", function()
  local text = '{"a":[1,2.5,"x"],"b":{"c":null,"d":true}}'
  test.equal({ reg.json.encode(reg.json.decode(text)), reg.json.decode("[null]")[1] }, { text, reg.json.null })
  test.equal(reg.json.encode({}), "{}")
  test.equal(reg.json.encode { list = reg.json.array {} }, '{"list":[]}')
  test.equal(reg.json.encode(reg.json.decode('{"a":[],"b":{}}')), '{"a":[],"b":{}}')
  test.equal(reg.json.encode({ a = 1 }, { pretty = true }), '{\n  "a": 1\n}')
end)

test("a value without a JSON form raises an error with its path", function()
  local loop = {}
  loop.loop = loop
  test.refuses("usage", reg.json.encode, { { "nested too deeply", loop }, { "value.x[2]: NaN", { x = { 1, 0 / 0 } } },
    { "value.f: a function", { f = print } }, { "both list elements and named keys", { 1, a = 2 } } })
  test.raises("error at byte", function() reg.json.decode("{") end, "corrupt")
end)

test("JSON that would overflow the stack or take all memory is refused", function()
  test.raises("nested more than 200 levels deep", function() reg.json.decode(("["):rep(1e6) .. ("]"):rep(1e6)) end, "corrupt")
  test.raises("too large, such as 1e999", function() reg.json.decode "[1e999]" end, "corrupt")
  test.equal(reg.json.decode(("["):rep(100) .. "\"[[\\\"[[\"" .. ("]"):rep(100)) ~= nil, true)
  local often = {}
  for _ = 1, 60 do often = { often, often } end
  test.raises("the JSON is too large", function() reg.json.encode(often) end, "usage")
end)

return test.finish()
