-- Whether a metric such as @cpu can be measured where the test runs: checked before anything is run.

local measured = require "lib/measured"

local check = {}

local function refuse(metric, hint) core.fail("usage", metric .. " is not measured in a container", hint) end

--- Raises usage or unavailable if not. `metric`: any, or nil; `place`: see lib/measured.
function check.at(metric, place)
  local one = measured[metric]
  if not one then return end
  local hint = one.not_in and one.not_in[place]
  if hint then refuse(metric, hint) end
  if not one.check or core.settings().dry_run then return end
  local ok, why = pcall(one.check, place)
  if not ok then core.fail(why.kind, metric .. ": " .. why.message, why.hint) end
end

--- Raises usage if no container measures it. For where it is not yet known which container it will be: an engine for it
--- has not been looked for.
function check.in_any_container(metric)
  local one = measured[metric]
  local not_in = one and one.not_in or {}
  if not_in.container and not_in.kept and not_in["local"] then refuse(metric, not_in.container) end
end

return check
