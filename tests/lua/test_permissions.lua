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
  test.refuses("usage", reg.needs, { { "did you mean 'process'?", { proces = "make" } },
    { "unknown option 'network'", { network = "github.com" } }, { "the pattern for files is empty", { files = "" } },
    { "control character", { files = "a\0b" } }, { "control character", { git = { "a\27[2J" } } },
    { "must be a list of strings", { git = { {} } } }, { "must be a list", { process = { make = true } } } })
end)

return test.finish()
