-- Which half of what differs between two ends takes the slowdown along: variables, the Python with its packages, the
-- image, and the command itself are exchanged one at a time, in pairs back to back.

local command = require "lib/why/command"
local sorted_names = require "lib/sorted_names"
local wording = require "lib/environment/wording"

local PAIRS <const> = 3         -- a factor at each end: 6 pairs a factor
local MOST_FACTORS <const> = 4  -- more variables than these are not exchanged: pairs cost time
local T_5 <const> = 2.571       -- half of a 95 % interval of 6 values, in standard errors

local swap = {}

local function names_of(a, b)
  local names = {}
  for _, parts in ipairs { a, b } do
    for name in pairs(parts.env) do names[name] = true end
  end
  return sorted_names(names)
end

--- What differs between two ends and can be exchanged: { kind =, name =, what = }.
function swap.factors(a, b)
  local one, other, list = a.parts, b.parts, {}
  if a.call.image ~= b.call.image then
    list[1] = { kind = "image", name = "the image", what = string.format("image %s -> %s", a.call.image or "none",
      b.call.image or "none") }
  end
  for _, name in ipairs(names_of(one, other)) do
    local before, after = one.env[name], other.env[name]
    if before ~= after then
      list[#list + 1] = { kind = "variable", name = name, what = wording.value(name, before, after) }
    end
  end
  if one.python ~= other.python then
    list[#list + 1] = { kind = "python", name = "the Python", what = string.format("%s -> %s",
      one.python or "another program", other.python or "another program") }
  end
  if one.rest ~= other.rest then list[#list + 1] = { kind = "command", name = "the command", what = "the command" } end
  return list
end

local function with_variable(parts, name, value)
  local env, names = {}, {}
  for _, own in ipairs(parts.names) do
    if own ~= name then env[own], names[#names + 1] = parts.env[own], own end
  end
  if value ~= nil then env[name], names[#names + 1] = value, name end
  return env, names
end

--- The end `one` with a factor as the end `from` has it.
function swap.exchanged(one, factor, from)
  local parts, call = {}, {}
  for key, value in pairs(one.parts) do parts[key] = value end
  for key, value in pairs(one.call) do call[key] = value end
  if factor.kind == "variable" then
    parts.env, parts.names = with_variable(parts, factor.name, from.parts.env[factor.name])
  elseif factor.kind == "python" then
    parts.python = from.parts.python
  elseif factor.kind == "image" then
    call.image = from.call.image
  else
    parts.rest = from.parts.rest
  end
  call.shell = command.join(parts)
  return { name = one.name .. " with " .. factor.name .. " of " .. from.name, parts = parts, call = call }
end

local function mean_of(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

-- The slowdown while these pairs ran: a machine may be busier than it was before.
local function slowdown_of(alone, without)
  return mean_of(without.values.b) - mean_of(alone.values.a)
end

-- Adds the difference within each pair as a part of the slowdown. Returns their mean.
local function add_shares(shares, compared, difference)
  local own = {}
  for i, before in ipairs(compared.values.a) do own[i] = (compared.values.b[i] - before) / difference end
  table.move(own, 1, #own, #shares + 1, shares)
  return mean_of(own)
end

-- The mean and its 95 % interval.
local function estimate(shares)
  local mean, squares = mean_of(shares), 0
  for _, x in ipairs(shares) do squares = squares + (x - mean) ^ 2 end
  local half = #shares > 1 and T_5 * math.sqrt(squares / (#shares - 1) / #shares) or math.huge
  return mean, mean - half, mean + half
end

local function measure(factor, a, b, slowdown, compare)
  local adding = compare(a, swap.exchanged(a, factor, b))
  local removing = compare(swap.exchanged(b, factor, a), b)
  local difference, shares = slowdown_of(adding, removing), {}
  if difference * (slowdown.b - slowdown.a) <= 0 then difference = slowdown.b - slowdown.a end
  local alone, without = add_shares(shares, adding, difference), add_shares(shares, removing, difference)
  local share, low, high = estimate(shares)
  return { level = "swap", kind = factor.kind, name = factor.name, what = factor.what, share = share, low = low,
    high = high, confidence = 0.95, alone = alone, without = without, pairs = #shares }
end

-- Of a single difference between the ends there is nothing to exchange: the slowdown is its effect.
local function only(factor)
  return { level = "swap", kind = factor.kind, name = factor.name, what = factor.what, share = 1, confidence = 0.95,
    only = true, pairs = 0 }
end

--- The share of the slowdown that moves with each factor, the largest first; and why others have none. `slowdown`: the
--- levels `a` and `b`. `compare(one, other, pairs)`: as reg.ab.
function swap.shares(a, b, slowdown, compare)
  local factors, list, whys = swap.factors(a, b), {}, {}
  if #factors == 1 then
    return factors[1].kind ~= "command" and { only(factors[1]) } or {}, whys
  end
  if #factors > MOST_FACTORS then
    return {}, { string.format("%d things differ: at most %d are exchanged", #factors, MOST_FACTORS) }
  end
  for _, factor in ipairs(factors) do
    local ok, found = pcall(measure, factor, a, b, slowdown, function(one, other) return compare(one, other, PAIRS) end)
    if ok then
      list[#list + 1] = found
    elseif type(found) == "table" and found.kind == "failed_trial" then
      whys[#whys + 1] = string.format("%s cannot be exchanged: %s", factor.name, found.message:match "^[^\n]*")
    else
      error(found, 0)
    end
  end
  table.sort(list, function(x, y) return x.share > y.share end)
  return list, whys
end

return swap
