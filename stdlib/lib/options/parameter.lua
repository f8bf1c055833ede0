-- NAME=VALUE,VALUE and NAME=FIRST..LAST[:STEP] of a scan, as an axis for reg.matrix: { NAME = { "1", "2" } }.

local MOST = 1000  -- values
local RESERVED = { id = true, skipped = true }

local function numbers_of(text)
  local from, to, step = text:match "^(%-?%d[%d.]-)%.%.(%-?%d[%d.]*):?(.*)$"
  from, to, step = tonumber(from), tonumber(to), step == "" and 1 or tonumber(step)
  if not (from and to and step) or step <= 0 or to < from or (to - from) / step >= MOST then return nil end
  local values = {}
  for i = 0, (to - from) / step + 1e-9 do values[#values + 1] = string.format("%.10g", from + i * step) end
  return values
end

local function listed(text)
  local values = {}
  for value in (text .. ","):gmatch "([^,]*)," do
    if value == "" then return nil end
    values[#values + 1] = value
  end
  return values
end

--- The axis, or nil for a text that is not a valid parameter.
return function(text)
  local name, list = text:match "^([%a_][%w_]*)=(.+)$"
  if not name or RESERVED[name] then return nil end
  local values
  if list:find("..", 1, true) then values = numbers_of(list) else values = listed(list) end
  return values and { [name] = values }
end
