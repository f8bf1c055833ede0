-- What an option asks of others that the script has: not_after = "to" (its value must not be greater), needs =
-- { "metric" } (they must be given too), not_with = { "metric" } (they must not be given), needs_direction (it must be
-- known whether higher or lower values of --metric are better).

local direction = require "lib/direction"
local flag_of = require("lib/options/command_line").flag_of
local sorted_names = require "lib/sorted_names"

-- Times compare as times; what is not a valid one was reported before.
local function comparable(value) return type(value) == "string" and reg.time.parse(value) or value end

--- Adds to `problems` what the values of options ask of one another in vain.
return function(all, values, given, problems)
  for _, name in ipairs(sorted_names(all)) do
    local spec, value = all[name], values[name]
    local other = value ~= nil and spec.not_after and values[spec.not_after]
    if other and comparable(value) > comparable(other) then
      problems:add(string.format("%s %s is %s %s %s", flag_of(name), value,
        type(value) == "string" and "after" or "greater than", flag_of(spec.not_after), other), "Swap the two.")
    end
    local wants = value and spec.needs_direction and values.metric and not values.better
    if wants and not direction.of(values.metric) then
      local what, hint = direction.unknown(values.metric)
      problems:add(flag_of(name) .. ": " .. what, hint)
    end
    for _, needed in ipairs(given.values[name] and spec.needs or {}) do
      if all[needed] and not given.values[needed] and not given.meant[needed] then
        problems:add(flag_of(name) .. " needs " .. flag_of(needed))
      end
    end
    for _, excluded in ipairs(given.values[name] and spec.not_with or {}) do
      if given.values[excluded] then
        problems:add(flag_of(name) .. " cannot be used with " .. flag_of(excluded), "Remove one of the two.")
      end
    end
  end
end
