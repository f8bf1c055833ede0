local test = require "harness"

test("a format that does not fit its arguments is an error at the caller", function()
  test.raises("bad argument", function() reg.log.info("%d", "x") end)
  reg.log.info("100% of it")
  reg.log.info(nil)
end)

test("progress takes what it knows, once it is open", function()
  local p <close> = reg.progress { total = 2, title = "nights" }
  p:update { done = 1, subject = "a", note = "1.5" }
  test.raises("unknown option 'not' (did you mean 'note'?)", function() p:update { ["not"] = 1 } end, "usage")
  test.raises("must not be negative", function() p:update { total = -1 } end, "usage")
  p:close()
  p:close()
  test.raises("the object is closed", function() p:update { done = 2 } end, "usage")
end)

return test.finish()
