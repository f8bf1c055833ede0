-- The nodes of a cluster that make the runs of one search. A node that is slower with every build is not a regression:
-- each runs the good end once, and noisy numbers are divided by its factor, estimated from what several nodes ran.
-- The ends, and both sides of a change, are compared on one node. Numbers without noise have no factors: if a test
-- passes on one node and fails on another at one build, the search goes on with the node on which it passes.

local values = require "lib/values"

local find, grouped, map, median, only = values.find, values.grouped, values.map, values.median, values.only

local USUAL = 0.05         -- standard deviation of the nodes' factors
local FAR = 3              -- standard deviations: a node that is not as others are
local PASSES = 10          -- of the fit
local FEWEST = 3           -- degrees of freedom that tell the noise
local ENOUGH = 4           -- the same for each node: from there on all runs correct each build
local SMALL = 0.001        -- a change of a factor that no search sees
local OF_NOISE = 0.25      -- the same, as a part of the noise
local LEAST_NOISE = 0.003  -- builds differ by that much
local MOST_OF_PAIR = 2.2   -- of the evidence, so that a single odd run decides nothing
local SHOWN = 2            -- the evidence that a change is there
local DENIED = -4          -- and that it is not
local MOST_PAIRS = 3       -- made for one change
local ODD = 0.15           -- a difference from the other nodes that is worth a sentence

local Nodes = {}
Nodes.__index = Nodes

--- `known`: what is known of each node; `noise`: of a run; `tried`: since when nodes were to run the good end; `lost`:
--- nodes that a pinned run did not get; `pairs`: how many were made for each change.
function Nodes.new() return setmetatable({ known = {}, tried = {}, lost = {}, pairs = {} }, Nodes) end

-- Whether numbers are corrected: not while it is not known whether they are exact.
local function has_factors(session)
  return session.asking.kind == "noisy" and not (session.exactness and not session.exactness.known)
end

-- What was measured: the runs; of each build (by its first place) the numbers by node; the nodes in the order of their
-- first runs; and the build of the good end with the node that ran it first, nil where numbers have no logarithm.
local function measured(session)
  local all, seen, least = { names = {}, builds = {}, rows = {} }, {}, math.huge
  for _, entry in ipairs(session.asked) do
    local value, node, head = entry.raw or entry.value, entry.node, session.head[entry.place]
    if node and not seen[node] then all.names[#all.names + 1], seen[node] = node, true end
    if node and value then
      local build = all.builds[head] or {}
      all.builds[head], build[node] = build, build[node] or {}
      table.insert(build[node], value)
      table.insert(all.rows, { head = head, node = node, y = value > 0 and math.log(value) })
      if head < (all.good or math.huge) then all.good, all.reference = head, node end
      least = math.min(least, value)
    end
  end
  if least <= 0 or not has_factors(session) then all.good = nil end
  return all
end

-- The number of an entry without what is its node's.
local function corrected(known, session, entry)
  local node = known[entry.node]
  local offset = node and (node.without[session.head[entry.place]] or node.offset)
  return entry.raw and offset and entry.raw / math.exp(offset) or entry.raw
end

--- The node of an entry, unless it cannot be had.
function Nodes:at(entry) return entry and not self.lost[entry.node or ""] and entry.node or nil end

--- Notes a run before the search is told of it; `wanted`: the node that it was pinned to.
function Nodes:note(session, entry, wanted)
  if wanted and entry.node ~= wanted then self.lost[wanted], entry.unplaced = true, not entry.value or nil end
  if has_factors(session) then
    entry.raw = entry.value
    entry.value = corrected(self.known, session, entry)
  end
end

-- Medians of the rows' y, less what `less` has of their field `of`, by their field `by`; and these rows.
local function medians(rows, by, less, of)
  local found, groups, lists = {}, grouped(rows, function(row) return row[by] end)
  for key, list in pairs(lists) do
    found[key] = median(map(list, function(row) return row.y - (less[row[of]] or 0) end))
  end
  return found, lists, #groups
end

--- What is known of each node that ran the good end, by name: its offset from the one that ran it first, a logarithm,
--- with a standard error, and the offset `without` each build, as a correction by its own numbers would hide their
--- noise. And the noise, or nil. By Tukey's median polish; what few noisy runs tell is shrunk to what nodes differ by.
function Nodes.fit(all)
  local rows = only(all.rows, function(row) return all.builds[all.good][row.node] end)
  local shared = only(rows, function(row) return next(all.builds[row.head], (next(all.builds[row.head]))) end)
  local levels, offsets, lists, count = medians(shared, "head", {}, "node"), nil, nil, nil
  for _ = 1, PASSES do
    offsets, lists, count = medians(shared, "node", levels, "head")
    levels = medians(shared, "head", offsets, "node")
  end
  local all_levels, _, builds = medians(rows, "head", offsets, "node")
  local nodes, freedom = {}, #rows - builds - math.max(count - 1, 0)
  local sum = values.sum(rows, function(r) return math.abs(r.y - (offsets[r.node] or 0) - all_levels[r.head]) end)
  local noise = freedom >= FEWEST and math.sqrt(math.pi / 2) * sum / freedom or nil
  local function shrunk(offset, runs)
    offset = offset - offsets[all.reference]
    local variance = (noise or 0) ^ 2 * (1 / runs + 1 / #lists[all.reference])
    local is_usual = math.abs(offset) <= FAR * math.sqrt(USUAL ^ 2 + variance)
    return is_usual and offset * USUAL ^ 2 / (USUAL ^ 2 + variance) or offset, math.sqrt(variance)
  end
  for node, offset in pairs(offsets) do
    nodes[node] = { without = {} }
    nodes[node].offset, nodes[node].error = shrunk(offset, #lists[node])
  end
  for _, row in ipairs(freedom < ENOUGH * (count - 1) and shared or {}) do
    local others = only(shared, function(other) return other.node == row.node and other.head ~= row.head end)
    local offset = medians(others, "node", levels, "head")[row.node]
    nodes[row.node].without[row.head] = offset and shrunk(offset, #others)
  end
  return nodes, noise
end

-- The first build with results that differ between nodes each of which always gave the same; nil where there is none.
local function differing(all, session)
  for head = 1, #session.head do
    local list = {}
    for _, node in ipairs(all.builds[head] and all.names or {}) do
      local seen = all.builds[head][node]
      if seen and find(seen, function(value) return value ~= seen[1] end) then break end
      list[#list + 1] = seen and { node = node, value = seen[1] }
      if seen and seen[1] ~= list[1].value then
        return { label = session.labels[head], on = { list[1], list[#list] } }
      end
    end
  end
end

--- After the search was told of runs: whether it was started again, with other factors or with the runs of one node.
function Nodes:update(session)
  local all, moved = measured(session), false
  if session.asking.chance and session.asking.kind == "exact" and not self.only then
    local differs = differing(all, session)
    if not differs then return false end
    self.differing, self.only = differs, differs.on[differs.on[1].value == 0 and 1 or 2].node
    session:restart(function(entry) return entry.node == self.only end)
    return true
  end
  if not all.good then return false end
  local known
  known, self.noise = self.fit(all)
  for _, entry in ipairs(session.asked) do
    entry.raw = entry.raw or entry.value
    local value = corrected(known, session, entry)
    moved = moved or value and math.abs(value / entry.value - 1) > math.max(SMALL, OF_NOISE * (self.noise or 0))
  end
  if not moved then return false end
  self.known = known
  for _, entry in ipairs(session.asked) do entry.value = corrected(known, session, entry) end
  session:restart(function() return true end)
  return true
end

local function request(place, reason, node, lo, hi, p)
  return { place = place, reason = reason, lo = lo, hi = hi, p = p or 0, node = node }
end

--- Runs of the good end on nodes that did not run it yet, as requests.
function Nodes:compare(session)
  local all = measured(session)
  local nodes = only(all.good and not self.only and all.names or {}, function(node)
    return not all.builds[all.good][node] and self.tried[node] ~= session.since and not self.lost[node]
  end)
  for _, node in ipairs(nodes) do self.tried[node] = session.since end
  return map(nodes, function(node) return request(all.good, "node", node, all.good, all.good) end)
end

-- The numbers of a place on a node; nil for none.
local function on(all, session, place, node) return (all.builds[session.head[place]] or {})[node] end

-- The node on which to compare two places: one that ran both or one, less what `against` has of it; nil for none.
local function node_for(self, all, session, lo, hi, against)
  local best, most = nil, -1
  for _, node in ipairs(all.names) do
    local points = (on(all, session, lo, node) and 1 or 0) + (on(all, session, hi, node) and 1 or 0)
      - (against[node] or 0)
    if not self.lost[node] and points > most then best, most = node, points end
  end
  return best
end

--- The node that makes all runs: with --same-node, and where the others failed; nil for none.
function Nodes:one(session)
  return self.only or core.options and core.options.same_node and self:at(session.asked[1]) or nil
end

local TOGETHER = { ends = true, confirm = true, chance = true }

--- Pins the runs of a round that compare two builds to one node.
function Nodes:pin(session, round)
  local all, of, used = measured(session), {}, {}
  for _, one in ipairs(round) do
    local lo, hi = one.lo, one.hi
    if one.reason == "ends" then lo, hi = 1, #session.head end
    local pair = lo .. ":" .. hi
    if not one.node and TOGETHER[one.reason] then
      local is_chance = one.reason == "chance"  -- which another node shows best
      for _, node in ipairs(is_chance and all.names or {}) do
        used[node] = on(all, session, one.place, node) and 1.5 or nil
      end
      of[pair] = not is_chance and of[pair] or node_for(self, all, session, lo, hi, used)
      one.node = of[pair]
      if one.node then used[one.node] = (used[one.node] or 0) + 0.001 end
    end
    one.node = self:one(session) or one.node
  end
end

-- Each place where a change begins or ends: lo, hi, change, and what the nodes that ran both sides say: above 0 that it
-- is there; nil where none did. A test that has one outcome may have it by its node: then the ends.
local function steps_of(self, all, session, found)
  local list, noise = {}, math.max(self.noise or 0, found.noise, LEAST_NOISE)
  local function add(lo, hi, change, size)
    local says
    for _, node in ipairs(all.names) do
      local before, after = on(all, session, lo, node), on(all, session, hi, node)
      if before and after then
        local rise = all.good and math.log(median(after) / median(before)) or size
        local likelier = (rise - size / 2) * size / (noise ^ 2 * (1 / #before + 1 / #after))
        local most = MOST_OF_PAIR * math.min(#before, #after)
        says = (says or 0) + math.max(-most, math.min(most, likelier))
      end
    end
    list[#list + 1] = { lo = lo, hi = hi, change = change, says = says }
  end
  for _, change in ipairs(found.changes) do
    local size = all.good and math.log(change.after / change.before) or 1
    add(change.lo, change.hi, change, size)
    if change.leave_hi then add(change.leave_lo, change.leave_hi, change, -size) end
  end
  if #found.changes == 0 and session.asking.kind == "exact" then add(1, #session.head, {}, 1) end
  return list
end

--- Before the answer: runs that show each change on one node, as requests; with --spread, on each.
function Nodes:confirm(session)
  local found, round, all = session.search:answer(), {}, measured(session)
  if self.only or session.asking.kind == "flaky" then return round end
  for _, step in ipairs(steps_of(self, all, session, found)) do
    local lo, hi, says = step.lo, step.hi, step.says
    local pair, wanted, against, again = session.head[lo] .. ":" .. session.head[hi], {}, {}, false
    if core.options and core.options.spread and step.change.p and (says or 0) > DENIED then
      wanted = all.names
    elseif (not says or says < SHOWN and says > DENIED) and (self.pairs[pair] or 0) < MOST_PAIRS then
      self.pairs[pair] = (self.pairs[pair] or 0) + 1
      -- Rather another node than one that does not show it, or on which a test may always fail.
      for _, node in ipairs(all.names) do
        local has_lo = on(all, session, lo, node)
        against[node] = has_lo and (on(all, session, hi, node) and 1.5 or not all.good and 0.5) or nil
      end
      wanted, again = { node_for(self, all, session, lo, hi, against) }, true
    end
    for _, node in ipairs(wanted) do
      local has_lo, has_hi = on(all, session, lo, node), on(all, session, hi, node)
      for _, place in ipairs(self.lost[node] and {} or { lo, hi }) do
        local is_there = place == lo and has_lo or place == hi and has_hi
        if not is_there or again and has_lo and has_hi then
          round[#round + 1] = request(place, "one_node", node, lo, hi, step.change.p)
        end
      end
    end
  end
  return round
end

--- Takes changes that no single node shows out of what the search found.
function Nodes:judge(session, found)
  local all, unsure = measured(session), {}
  if self.only or #all.names < 2 or session.asking.kind == "flaky" then return end
  for _, step in ipairs(steps_of(self, all, session, found)) do
    if not (step.says and step.says > 0) and step.change.p then
      unsure[step.change] = true
      found.why = string.format("%s and %s %s on one node", session.labels[step.lo], session.labels[step.hi],
        step.says and "do not differ" or "were not compared")
    end
  end
  found.changes = only(found.changes, function(change) return not unsure[change] end)
  if #found.changes == 0 and next(unsure) then found.verdict = "inconclusive" end
end

---@class sweep.Nodes
---@field names string[] in the order of their first runs
---@field reference? string the node that the factors, which the numbers of others were divided by, are relative to
---@field factors table<string, number>
---@field odd string[] those that differ from the others by more than nodes usually do
---@field differing? table a build with results that differ: its label, and `on` two nodes { node =, value = }
---@field only? string the node whose runs alone count, since they differ
---@field spread? table[] with --spread, of each change: its label, and `on` each node { node =, effect = }

-- With --spread: the size of each change on each node that ran both of its sides.
local function spread_of(self, all, session, found)
  return map(steps_of(self, all, session, found), function(step)
    return { label = session.labels[step.hi], on = map(all.names, function(node)
      local before, after = on(all, session, step.lo, node), on(all, session, step.hi, node)
      local effect = before and after and median(before) ~= 0 and median(after) / median(before) - 1
      return effect and { node = node, effect = effect } or nil
    end) }
  end)
end

--- What the answer says of the nodes.
function Nodes:summary(session, found)
  local all, offsets = measured(session), {}
  local series = { names = all.names, only = self.only, factors = {}, odd = {},
    reference = all.good and all.reference or nil }
  local is_exact = session.asking.kind == "exact" or session.exactness and session.exactness.told
  series.differing = self.differing or is_exact and differing(all, session) or nil
  if core.options and core.options.spread then series.spread = spread_of(self, all, session, found) end
  for _, node in pairs(self.known) do offsets[#offsets + 1] = node.offset end
  for _, name in ipairs(all.good and all.names or {}) do
    local node = self.known[name] or { offset = 0, error = 0 }
    local least = math.max(LEAST_NOISE, 2 * node.error)
    if math.abs(node.offset) > least then series.factors[name] = math.exp(node.offset) end
    if #offsets > 0 and math.abs(node.offset - median(offsets)) > math.max(least, ODD) then
      table.insert(series.odd, name)
    end
  end
  return series
end

return Nodes
