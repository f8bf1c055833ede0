-- Whether a metric such as @cpu can be measured where the test runs: checked before anything is run.

local measured = require "lib/measured"

--- Raises usage or unavailable if not. `metric`: any, or nil; `place`: "host", "container" (one for each run) or "kept"
--- (one for several).
return function(metric, place)
  local one = measured[metric]
  if not one then return end
  local hint = one.not_in and one.not_in[place]
  if hint then core.fail("usage", metric .. " is not measured in a container", hint) end
  if one.check and not core.settings().dry_run then one.check() end
end
