-- reg.strategy: a shipped strategy as a function.

local strategies = require "lib/strategies"
local usage = require "lib/options/usage"

--- A shipped strategy, to be called with the options of its command line, `_` for each `-`: `gpus_per_trial = 1`,
--- `env = { "A=1", "B" }`, `flaky = true`. The call prints what the command prints, raises what it reports, and returns
--- its exit code. What stands there without an option is the list part: `ab { "./old", "./new" }`. At the prompt each
--- strategy is a global. Raises not_found.
--- ```lua
--- local bisect = reg.strategy "bisect"
--- bisect { repo = ".", good = "v1", bad = "main", build = "make", test = "./bench", metric = "speed: {number}" }
--- ```
---@param name string
---@return fun(options: table): integer? strategy
return function(name)
  name = tostring(name):gsub("%.lua$", "")
  return strategies.named(name) or core.fail("not_found",
    "no such strategy: '" .. name .. "'" .. core.did_you_mean(name, usage.shipped()),
    "shipped strategies: " .. table.concat(usage.shipped(), ", "))
end
