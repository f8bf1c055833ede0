#!/usr/bin/env regengine
--- A search on simulated nodes of a cluster beside one on a single node: how often it says a change that is not there,
--- how often it misses one, and its runs. Rivals: the numbers of all nodes as they are; and a run of the good end on
--- each node alone. Needs tests/support/private_stdlib; see bench_nodes.sh.

local Cluster = require "cluster"
local Nodes = reg.private "lib/cluster/nodes"

local opt = reg.options {
  traces = { "histories of each kind", type = "integer", default = 100 },
  seed = { "other ones", type = "string", default = "dev-1" },
  cells = { "only the kinds with this text in their names", type = "string", default = "" },
  rivals = { "also the rivals", type = "boolean" },
}

-- Unless it says otherwise: 8 nodes whose factors have a standard deviation of 5 % (normal), one of them 56 % slower; a step
-- of 15 % in two of three histories; rounds of 8. `most`: at most so many histories, and the memory that they take.
local KINDS = {
  { "8 nodes, 1 % noise", n = 100, noise = 0.01 },
  { "8 nodes, 1 % noise, one at a time", n = 100, noise = 0.01, parallel = 1 },
  { "8 nodes, 5 % noise", n = 100, noise = 0.05 },
  { "8 nodes, 30 % noise", n = 100, noise = 0.3, size = 0.4 },
  { "3 subjects, 1 % noise", n = 3, noise = 0.01 },
  { "3 subjects, 5 % noise", n = 3, noise = 0.05 },
  { "2 nodes, 1 % noise", n = 100, noise = 0.01, nodes = 2 },
  { "1 node", n = 100, noise = 0.01, nodes = 1 },
  { "a node that comes late", n = 100, noise = 0.01, late = true },
  { "a node that slows down by 12 %", n = 100, noise = 0.01, slows = true },
  { "64 nodes, 10,000 subjects", n = 10000, noise = 0.01, nodes = 64, parallel = 64, most = 6 },
}

-- FNV-1a
local function hash(text)
  local h = 2166136261
  for c in text:gmatch "." do h = ((h ~ c:byte()) * 16777619) & 0xffffffff end
  return h
end

-- The nodes; of a search on one of them only that.
local function nodes_of(kind, seed, one)
  local count = kind.nodes or 8
  local list = Cluster.nodes(count, kind.sd or 0.05, count > 1 and 1 / 2.27 or nil, seed)
  return one and { { name = "one", factor = 1 } } or list
end

-- The memory of the engine in MiB, without what Lua has not yet freed.
local function memory()
  collectgarbage()
  return reg.fs.read("/proc/self/status"):match "VmRSS:%s+(%d+)" // 1024
end

local function play(kind, rival, number)
  local seed = hash(opt.seed .. "/" .. kind[1] .. "/" .. number)
  local steps, at = number % 3 > 0, 2 + hash("at" .. seed) % (kind.n - 1)
  local cluster = Cluster.new { nodes = nodes_of(kind, seed, rival.one), noise = kind.noise, seed = seed,
    hides = rival.hides, level = Cluster.steps(kind.size or 0.15, steps and at or kind.n + 1) }
  if kind.late and not rival.one then
    local all = cluster.nodes
    cluster.nodes = table.move(all, 1, #all - 2, 1, {})
    cluster.on_run = function(_, _, _, made) if made == 16 then cluster.nodes = all end end
  elseif kind.slows and not rival.one then
    cluster.on_run = function(node, _, count)
      return node == cluster.nodes[1] and count > 2 and node.factor * 0.88 or nil
    end
  end
  local first, most = nil, 0 -- after the first round and later
  local measure = cluster:measure()
  local function watched(subject, trial)
    if kind.most and #cluster.made >= kind.parallel and #cluster.made % 8 == 0 then
      first = first or memory()
      most = math.max(most, memory() - first)
    end
    return measure(subject, trial)
  end
  local series = reg.sweep(Cluster.subjects(kind.n), { config = { of = rival[1] .. seed }, metric = "v", better = "higher",
    parallel = kind.parallel or 8, into = "bench.db", measure = watched })
  local found, wrong = false, 0
  for _, change in ipairs(series.changes) do
    local is_true = steps and change.lo.place < at and change.hi.place >= at and (change.open or change.untested == 0)
      and change.kind == "step"
    found, wrong = found or is_true, wrong + (is_true and 0 or 1)
  end
  local used = {}
  for _, run in ipairs(cluster.made) do used[run.node] = true end
  local count = 0
  for _ in pairs(used) do count = count + 1 end
  return { wrong = wrong > 0 and 1 or 0, missed = steps and not found and 1 or 0, steps = steps and 1 or 0,
    unsure = series.verdict == "inconclusive" and 1 or 0, runs = #cluster.made, nodes = count,
    more = most }
end

-- The factor of each node by its run of the good end alone.
local function of_good_end(all)
  local known, build = {}, all.builds[all.good]
  for node, values in pairs(build) do
    known[node] = { offset = math.log(values[1] / build[all.reference][1]), error = 0, without = {} }
  end
  return known
end

local function nothing() end
local function none() return {} end

-- `replaces`: functions of lib/cluster/nodes. `confirm`, `pin` and `judge` look at one node before the answer.
local RIVALS = {
  { "reg.sweep" }, { "one node", one = true }, { "as they are", hides = true },
  { "the good end alone", replaces = { fit = of_good_end, confirm = none, pin = nothing, judge = nothing } },
  { "not confirmed", replaces = { confirm = none, judge = nothing } },
  { "the same, confirmed", replaces = { fit = of_good_end } },
}

-- Puts these functions in the module; returns those that were there.
local function replace(functions)
  local before = {}
  for name, f in pairs(functions) do before[name], Nodes[name] = Nodes[name], f end
  return before
end

print(string.format("%-34s %-20s %5s  %6s %6s %6s  %6s %5s %4s %7s", "", "", "n", "false", "missed", "unsure", "runs",
  "nodes", "+MiB", "allowed"))
for _, kind in ipairs(KINDS) do
  local one
  for i, rival in ipairs(kind[1]:find(opt.cells, 1, true) and RIVALS or {}) do
    if i <= 2 or opt.rivals then
      local before = replace(rival.replaces or {})
      local sum = { wrong = 0, missed = 0, steps = 0, unsure = 0, runs = 0, nodes = 0, more = 0 }
      local n = math.min(opt.traces, kind.most or opt.traces)
      for number = 1, n do
        for name, value in pairs(play(kind, rival, number)) do sum[name] = sum[name] + value end
      end
      replace(before)
      if rival.one then one = sum.runs / n end
      print(string.format("%-34s %-20s %5d  %6.3f %6.3f %6.3f  %6.1f %5.1f %4.0f %7s", kind[1], rival[1], n, sum.wrong / n,
        sum.missed / math.max(sum.steps, 1), sum.unsure / n, sum.runs / n, sum.nodes / n,
        sum.more / n, rival.one and string.format("%.1f", 1.3 * one + (kind.nodes or 8)) or ""))
    end
  end
end
