-- The two ends of a comparison, each collected once or several times, and what of them differs by more than an end
-- differs from itself.

local ends = {}

local FACTOR <const> = 1.5  -- how much more the ends differ than one of them within itself

--- The collected tables of an end: a list stays, and one table becomes a list.
function ends.list(collected) return collected[1] ~= nil and collected or { collected } end

local function range(numbers)
  local low, high = math.huge, -math.huge
  for _, x in ipairs(numbers) do low, high = math.min(low, x), math.max(high, x) end
  return low, high
end

--- Whether numbers of one end differ from those of the other: the smallest difference between the ends is larger than
--- `least`, and than 1.5 times the largest within an end. Two runs an end are few: chance alone passes the second in
--- one of 13 comparisons, so `least` is to be what matters, and more than such numbers usually vary.
function ends.differ(before, after, least)
  if #before == 0 or #after == 0 then return false end
  local low, high = range(before)
  local low_after, high_after = range(after)
  local between = math.max(low_after - high, low - high_after)
  return between > least and between > FACTOR * math.max(high - low, high_after - low_after)
end

--- The number of each collected table where `read` finds one.
function ends.numbers(collected, read)
  local numbers = {}
  for _, one in ipairs(collected) do
    local number = read(one)
    if type(number) == "number" then numbers[#numbers + 1] = number end
  end
  return numbers
end

return ends
