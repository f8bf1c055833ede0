-- Which half of what differs between two ends takes the slowdown along: variables, the Python with its packages, the
-- image, and the command itself are exchanged one at a time. Four commands run in rounds: both ends, and each with a
-- half of the other.

local Turns = require "lib/ab/turns"
local command = require "lib/why/command"
local ends = require "lib/why/two_ends"
local environment = require "lib/environment/findings"
local investigation = require "lib/sweep/investigation"
local values_of = require "lib/values"
local words = require "lib/report/words"
local xla = require "lib/why/levels/xla"

local map, merged, only, sorted_names = values_of.map, values_of.merged, values_of.only, values_of.sorted_names

local MOST_FACTORS <const> = 4  -- more variables than these are not exchanged: pairs cost time
local ROUNDS <const> = 3        -- of a factor: with a pair at each end, 6 pairs
local T_5 <const> = 2.571       -- half of a 95 % interval of 6 values, in standard errors

local swap = {}

--- The numbers of the rounds as a list for each of four commands, and how many runs that took; the store keeps them. A
--- round runs each command once, every second one backwards, so that load and drift hit all alike. `labels`: of the
--- commands, in the order of a round; `names`: what messages call them. `options`: metric, better, into, title and
--- measure, as of reg.ab.
function swap.rounds(labels, names, options)
  local o = merged(options, { kind = "command",
    config = { crossed = labels, contents = investigation.contents(labels) } })
  local function text_of(found) return words.count(found.rounds, "round") .. " of four commands in turn." end
  local found = investigation.conduct(o, text_of, { unit = "round", total = ROUNDS }, function(run)
    local values, by_name, runs = map(labels, function() return reg.json.array {} end), {}, 0
    for side, name in ipairs(names) do by_name[name] = values[side] end
    return { knows = function() return false end, go = function(_, progress)
      local turns = Turns.new { subjects = labels, ids = names, names = names, run = run }
      turns:go(progress, function() return turns.n == ROUNDS end, function(round)
        for side, turn in ipairs(round) do table.insert(values[side], turn.value) end
        progress:update { done = turns.n }
      end, function()
        for side = 2, 3 do turns:warm_up(side) end  -- the ends themselves have run before
        runs = 2
      end)
      runs = runs + #labels * (turns.n - turns.reused)
    end, answer = function()
      return { verdict = "measured", rounds = ROUNDS, runs = runs, cells = values, values = by_name }
    end }
  end)
  return found.cells, found.runs
end

-- A variable of which several flags differ is a factor for each of them. `removed` and `added`: its values with the
-- factor of A and of B, nil where it is not set.
local function add_variable(list, name, before, after)
  local function side_of(value) return value and { name .. "=" .. value } or {} end
  local ok, flags = pcall(reg.flags, side_of(before), side_of(after))
  if not ok or #flags.items == 1 then
    list[#list + 1] = { kind = "variable", name = name, removed = before, added = after,
      what = environment.value(name, before, after) }
    return
  end
  for i, item in ipairs(flags.items) do
    local others = only(flags.items, function(_, k) return k ~= i end)
    local added, removed = flags:env { item }, flags:env(others)
    list[#list + 1] = { kind = "flag", name = item:gsub("^without ", ""):match "^[^=%s]+", variable = name,
      added = added[name], removed = removed[name], what = environment.value(name, before, added[name]) }
  end
end

-- What differs between two ends and can be exchanged: { kind =, name =, what = }.
local function factors_of(a, b)
  local one, other, list = a.parts, b.parts, {}
  if a.call.image ~= b.call.image then
    list[1] = { kind = "image", name = "the image", what = string.format("image %s -> %s", a.call.image or "none",
      b.call.image or "none") }
  end
  for _, name in ipairs(sorted_names(merged(one.env, other.env))) do
    local before, after = one.env[name], other.env[name]
    if before ~= after then add_variable(list, name, before, after) end
  end
  if one.python ~= other.python then
    list[#list + 1] = { kind = "python", part = "python", name = "the Python", what = string.format("%s -> %s",
      one.python or "another program", other.python or "another program") }
  end
  if one.rest ~= other.rest then
    list[#list + 1] = { kind = "command", part = "rest", name = "the command", what = "the command" }
  end
  return list
end

-- The end `one` with a factor as the end `from` has it.
local function exchanged(one, factor, from)
  local parts, call = merged(one.parts), merged(one.call)
  if factor.kind == "flag" or factor.kind == "variable" then
    local name, value = factor.variable or factor.name, factor[from.name == "A" and "removed" or "added"]
    parts.env, parts.names = merged(parts.env), only(parts.names, function(own) return own ~= name end)
    parts.env[name], parts.names[#parts.names + 1] = value, value ~= nil and name or nil
  elseif factor.part then
    parts[factor.part] = from.parts[factor.part]
  else
    call.image = from.call.image
  end
  call.shell = command.join(parts)
  return { name = one.name .. " with " .. factor.name .. " of " .. from.name, parts = parts, call = call,
    build = one.build }
end

-- Both mixtures of the ends, of which none has a flag that its XLA does not know.
local function mixtures_of(factor, a, b)
  local added, removed = exchanged(a, factor, b), exchanged(b, factor, a)
  local same_xla = a.call.image == b.call.image and a.parts.python == b.parts.python
    and a.parts.env.PYTHONPATH == b.parts.env.PYTHONPATH
  for _, one in ipairs(same_xla and {} or { added, removed }) do
    local flags = one.parts.env.XLA_FLAGS
    if flags and xla.knows(one, flags) == false then
      core.fail("failed_trial", "XLA does not know all flags of " .. one.name .. ": " .. flags)
    end
  end
  return added, removed
end

-- The four cells of a factor: each end, beside it the same with the factor of the other.
local function measure(factor, a, b, slowdown, run)
  local added, removed = mixtures_of(factor, a, b)
  local cells = run({ a, added, removed, b }, factor.name)
  -- The slowdown while the cells ran: a machine may be busier than it was before.
  local difference = ends.mean(cells[4]) - ends.mean(cells[1])
  if difference * (slowdown.b - slowdown.a) <= 0 then difference = slowdown.b - slowdown.a end
  local shares = {}
  for _, pair in ipairs { { cells[1], cells[2] }, { cells[3], cells[4] } } do
    for i, before in ipairs(pair[1]) do shares[#shares + 1] = (pair[2][i] - before) / difference end
  end
  local share, half = ends.mean(shares), T_5 * ends.deviation(shares) / math.sqrt(#shares)
  return { level = "swap", kind = factor.kind, name = factor.name, what = factor.what, variable = factor.variable,
    share = share, low = share - half, high = share + half, pairs = #shares,
    confidence = half == 0 and 1 or ends.student(T_5 * share / half, #shares - 1) }
end

--- The share of the slowdown that moves with each factor, the largest first; and why others have none. `slowdown`: the
--- levels `a` and `b`, and the confidence that they differ. `run(cells, name)`: the numbers of each of four ends.
function swap.shares(a, b, slowdown, run)
  local factors, list, whys = factors_of(a, b), {}, {}
  if #factors == 1 then  -- nothing is left to exchange: the slowdown is its effect
    local one = factors[1]
    list[1] = one.kind ~= "command" and { level = "swap", kind = one.kind, name = one.name, what = one.what, share = 1,
      only = true, pairs = 0, confidence = slowdown.confidence } or nil
    return list, whys
  end
  if #factors > MOST_FACTORS then
    return {}, { string.format("%d things differ: at most %d are exchanged", #factors, MOST_FACTORS) }
  end
  for _, factor in ipairs(factors) do
    -- A command with the half of the other end may fail.
    local found, failed = values_of.caught("failed_trial", measure, factor, a, b, slowdown, run)
    table.insert(found and list or whys, found
      or string.format("%s cannot be exchanged: %s", factor.name, failed.message:match "^[^\n]*"))
  end
  return values_of.sort_by(list, function(one) return -one.share end), whys
end

return swap
