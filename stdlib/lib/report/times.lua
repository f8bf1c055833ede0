-- Dates in labels, as positions on a time axis.

local times = {}

-- "2024-03-08", "2024-03-08 13:00", "2024-03-08T13:00:05.5Z", "2024-03-08 13:00 UTC" as seconds since 1970; nil for
-- anything else.
local function seconds_of(label)
  if type(label) ~= "string" then return nil end
  local day, clock = label:gsub(" UTC$", ""):match "^(%d%d%d%d%-%d%d%-%d%d)(.*)$"
  if not day then return nil end
  local hour, minute, rest = clock:match "^[T ](%d%d):?(%d?%d?)(.*)$"
  if clock ~= "" and not hour then return nil end
  local second = (rest or "") == "" and 0 or rest == "Z" and 0 or tonumber(rest:match "^:(%d%d%.?%d*)Z?$")
  local ok, time = pcall(reg.time.parse, hour and string.format("%s %s:%s", day, hour, minute == "" and "00" or minute)
    or day)
  return ok and second and time + second or nil
end

--- The labels as seconds since 1970 if all are dates in ascending order, else nil.
function times.of(labels)
  local list = {}
  for i, label in ipairs(labels) do
    list[i] = seconds_of(label)
    if not list[i] or (i > 1 and list[i] < list[i - 1]) then return nil end
  end
  return list
end

--- Days, "2024-03-02", with ranges of consecutive ones: "2024-03-02, 2024-03-05 to 2024-03-06".
function times.ranges(dates)
  local parts, first, last = {}, nil, nil
  local function close()
    if first then parts[#parts + 1] = first == last and first or first .. " to " .. last end
  end
  for _, date in ipairs(dates) do
    local now, before = seconds_of(date), last and seconds_of(last)
    if not (now and before and now == before + 86400) then
      close()
      first = date
    end
    last = date
  end
  close()
  return table.concat(parts, ", ")
end

return times
