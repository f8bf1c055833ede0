-- Times as people write them, beside the usual forms: today, yesterday, 14d ago, 2 weeks ago, -14d. In UTC, as all
-- times.

local DAY_S = 86400
local UNIT = { minute = "m", hour = "h", day = "d", week = "w" }

-- Seconds before now; nil for any other text.
local function ago(text)
  if text == "today" then return 0 end
  if text == "yesterday" then return DAY_S end
  local duration = text:match "^%-(%d[%w.]*%a)$" or text:match "^(%d[%w.]*%a) ago$"
  local number, unit = text:match "^(%d+) (%a-)s? ago$"
  if UNIT[unit] then duration = number .. UNIT[unit] end
  local ok, seconds = pcall(reg.time.seconds, duration or "")
  return ok and seconds or nil
end

--- The time that the text means, as the text of a date if `type` is "date" or the text names a day, else to the minute;
--- nil for a text in another form.
return function(text, type)
  local seconds = ago(text)
  if not seconds then return nil end
  local at = math.floor(reg.time.now() - seconds)
  local of_days = seconds % DAY_S == 0
  return reg.time.format(at, (type == "date" or of_days) and "%Y-%m-%d" or "%Y-%m-%dT%H:%M")
end
