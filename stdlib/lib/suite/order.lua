-- The order in which processes of several configurations run. With a fixed order drift - heat, a full cache - hits the
-- same configuration each time and looks like a difference.

-- Random integers in 1..n that depend on the seed alone: SplitMix64 (Steele, Lea, Flood 2014). The script's own use of
-- math.random does not change them.
local function generator(seed)
  local state = seed
  return function(n)
    state = state + 0x9E3779B97F4A7C15
    local z = state
    z = (z ~ z >> 30) * 0xBF58476D1CE4E5B9
    z = (z ~ z >> 27) * 0x94D049BB133111EB
    return math.tointeger(((z ~ z >> 31) >> 1) % n) + 1
  end
end

local function forwards(n)
  local round = {}
  for i = 1, n do round[i] = i end
  return round
end

local function backwards(n)
  local round = {}
  for i = 1, n do round[i] = n + 1 - i end
  return round
end

local function shuffled(n, draw)
  local round = forwards(n)
  for i = n, 2, -1 do
    local j = draw(i)
    round[i], round[j] = round[j], round[i]
  end
  return round
end

local order = { choices = { "abba", "random", "none" } }

--- A list of 1..n, each `rounds` times. abba: forwards, backwards, forwards ...; random: each round shuffled by the
--- seed; none: all of 1, then all of 2, ...
function order.sequence(n, rounds, how, seed)
  local list, draw = {}, generator(seed)
  if how == "none" then
    for i = 1, n do
      for _ = 1, rounds do list[#list + 1] = i end
    end
    return list
  end
  for round = 1, rounds do
    local turn
    if how == "random" then turn = shuffled(n, draw) else turn = round % 2 == 1 and forwards(n) or backwards(n) end
    table.move(turn, 1, n, #list + 1, list)
  end
  return list
end

return order
