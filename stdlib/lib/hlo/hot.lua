-- The module that matters most where it is not known how long each takes.

local match = require "lib/hlo/match"

--- The largest pair of modules that differ, or else the largest pair: { before, after }, each { module, fingerprint,
--- size }, and how many instructions all modules have. nil without a pair.
return function(before, after)
  local hot, hot_differs, sum = nil, false, 0
  for _, pair in ipairs((match.modules(before, after))) do
    local differs = pair.before.fingerprint ~= pair.after.fingerprint
    local larger = not hot or math.max(pair.before.size, pair.after.size) > math.max(hot.before.size, hot.after.size)
    if differs and not hot_differs or differs == hot_differs and larger then hot, hot_differs = pair, differs end
    sum = sum + pair.before.size + pair.after.size
  end
  return hot, sum
end
