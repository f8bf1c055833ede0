-- The names that help accepts: functions, classes, nouns and shipped scripts.

local stubs = require "lib/help/stubs"
local usage = require "lib/options/usage"

return function()
  local names = usage.shipped()
  for name in pairs(stubs.all().functions) do names[#names + 1] = name end
  for name in pairs(stubs.all().classes) do names[#names + 1] = name end
  return names
end
