-- reg.strategy(name): a shipped strategy, to be called with its options. At the prompt it is the global of that name.

local strategies = require "lib/strategies"
local usage = require "lib/options/usage"

return function(name)
  name = tostring(name):gsub("%.lua$", "")
  return strategies.named(name) or core.fail("not_found",
    "no such strategy: '" .. name .. "'" .. core.did_you_mean(name, usage.shipped()),
    "shipped strategies: " .. table.concat(usage.shipped(), ", "))
end
