local test = require "harness"

test("JSON goes both ways, keys sorted, null kept", function()
  local text = '{"a":[1,2.5,"x"],"b":{"c":null,"d":true}}'
  test.equal(reg.json.encode(reg.json.decode(text)), text)
  test.equal(reg.json.decode("[null]")[1], reg.json.null)
  test.equal(reg.json.encode({}), "{}")
  test.equal(reg.json.encode { list = reg.json.array {} }, '{"list":[]}')
  test.equal(reg.json.encode(reg.json.decode('{"a":[],"b":{}}')), '{"a":[],"b":{}}')
  test.equal(reg.json.encode({ a = 1 }, { pretty = true }), '{\n  "a": 1\n}')
end)

test("what has no JSON form says where it is", function()
  local loop = {}
  loop.loop = loop
  test.raises("nested too deeply", function() reg.json.encode(loop) end, "usage")
  test.raises("value.x[2]: NaN", function() reg.json.encode { x = { 1, 0 / 0 } } end, "usage")
  test.raises("value.f: a function", function() reg.json.encode { f = print } end, "usage")
  test.raises("both a list and names", function() reg.json.encode { 1, a = 2 } end, "usage")
  test.raises("breaks at byte", function() reg.json.decode("{") end, "corrupt")
end)

return test.finish()
