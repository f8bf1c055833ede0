-- reg.needs as a script's author sees it; what its user sees is tests/scripts/test_permissions.sh.

local test = require "harness"

test("a script that is its user's own may say what it reaches, once and again, and goes on", function()
  reg.needs { process = "echo", files = { "out/*", "/data/*:ro" }, gpu = "lock" }
  reg.needs { container = { "ghcr.io/nvidia/jax:jax-{date}", "network=host" }, git = "https://github.com/jax-ml/*", machine = "turbo" }
  reg.needs {}
  test.equal(reg.process.run { cmd = { "true" } }.code, 0)
end)

test("a kind that does not exist, or a pattern that makes no sense, is a mistake wherever it is made", function()
  test.raises("did you mean 'process'?", function() reg.needs { proces = "make" } end, "usage")
  test.raises("unknown option 'network'", function() reg.needs { network = "github.com" } end, "usage")
  test.raises("an empty pattern for files", function() reg.needs { files = "" } end, "usage")
  test.raises("control character", function() reg.needs { files = "a\0b" } end, "usage")
  test.raises("control character", function() reg.needs { git = { "a\27[2J" } } end, "usage")
  test.raises("must be a list of strings", function() reg.needs { git = { {} } } end, "usage")
  test.raises("must be a list", function() reg.needs { process = { make = true } } end, "usage")
end)

return test.finish()
