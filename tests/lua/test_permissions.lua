-- reg.needs from the author's side; the user's side is in tests/scripts/test_permissions.sh.

local test = require "harness"

test("a trusted script may declare its needs, more than once, and continues", function()
  reg.needs { process = "echo", files = { "out/*", "/data/*:ro" }, gpu = "lock" }
  reg.needs { container = { "ghcr.io/nvidia/jax:jax-{date}", "network=host" }, git = "https://github.com/jax-ml/*",
    machine = "turbo" }
  reg.needs {}
  test.equal(reg.process.run { cmd = { "true" } }.code, 0)
end)

test("an unknown kind or an invalid pattern is an error, also in a trusted script", function()
  test.raises("did you mean 'process'?", function() reg.needs { proces = "make" } end, "usage")
  test.raises("unknown option 'network'", function() reg.needs { network = "github.com" } end, "usage")
  test.raises("the pattern for files is empty", function() reg.needs { files = "" } end, "usage")
  test.raises("control character", function() reg.needs { files = "a\0b" } end, "usage")
  test.raises("control character", function() reg.needs { git = { "a\27[2J" } } end, "usage")
  test.raises("must be a list of strings", function() reg.needs { git = { {} } } end, "usage")
  test.raises("must be a list", function() reg.needs { process = { make = true } } end, "usage")
end)

return test.finish()
