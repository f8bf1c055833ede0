-- Numbers and times exactly as Python prints them, for reports that other tools compare.

local decimals = {}

local FIXED = {}
for digits = 1, 20 do FIXED[digits] = "%." .. digits .. "f" end

--- The shortest text that reads as the same number, with ".0" for a whole one: 0.1, 1.0, 1e-05, inf.
function decimals.repr(x)
  x = x * 1.0
  if x ~= x then return "nan" end
  if x == math.huge or x == -math.huge then return x > 0 and "inf" or "-inf" end
  local text = core.shortest(x)
  local fraction, exponent = text:match "^-?%d%.?(%d*)e(.*)$"
  local power = math.tointeger(tonumber(exponent))
  if x ~= 0 and (power < -4 or power >= 16) then return text end
  return string.format(FIXED[math.max(1, #fraction - power)], x)
end

--- Rounds to so many decimals, half to even.
function decimals.round(x, digits)
  local scaled = x * 10.0 ^ digits
  if math.abs(scaled) >= 2 ^ 52 then return x end
  local below = math.floor(scaled)
  local rest = scaled - below
  if rest > 0.5 or (rest == 0.5 and below % 2 == 1) then below = below + 1 end
  return below / 10.0 ^ digits
end

--- 1699680738.7234068 as "2023-11-11 05:32:18.723407"; a whole second has no fraction. UTC.
function decimals.datetime(timestamp)
  local whole = math.floor(timestamp)
  local micro = math.tointeger(decimals.round((timestamp - whole) * 1e6, 0))
  if micro == 1000000 then whole, micro = whole + 1, 0 end
  local text = reg.time.format(math.tointeger(whole), "%Y-%m-%d %H:%M:%S")
  return micro == 0 and text or string.format("%s.%06d", text, micro)
end

return decimals
