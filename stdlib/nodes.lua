-- reg.nodes: which nodes of a cluster are unlike the others.

local Queue = require "lib/sweep/queue"
local direction = require "lib/direction"
local investigation = require "lib/sweep/investigation"
local numbers = require "lib/report/numbers"
local trials = require "lib/sweep/trial"
local values = require "lib/values"

local map, median = values.map, values.median

local KEYS = { "measure", "metric", "better", "title", "into", "config", "files", "redo", "suspect" }

local LEAST <const> = 0.02  -- relative: nearer nodes are alike
local SIGMAS <const> = 3
local AGAIN <const> = 2     -- further runs of a node that looks odd, and of two that do not
local GOOD <const> = 2

local Nodes = {}
Nodes.__index = Nodes

-- Runs the test once on each of these nodes, at the same time.
local function measure(self, list, progress)
  reg.parallel(list, function(node)
    local trial = node.queue:take()
    local value = trials.value(trial, self.run.metric)
    self.runs = self.runs + 1
    if value then table.insert(node.values, value) else node.failure = trial.message or trial.status end
    progress:update { done = self.runs, subject = node.name,
      note = Queue.shown({ value = value, status = trial.status }, self.run) }
  end, { at_most = core.cluster.backend.slots })
end

-- The level of the nodes, and how far a node may be from it by chance, relative.
local function level_of(list)
  local medians = map(list, function(node) return #node.values > 0 and median(node.values) or nil end)
  if #medians == 0 then return nil, LEAST end
  local level = median(medians)
  local away = map(medians, function(value) return math.abs(value / level - 1) end)
  return level, math.max(LEAST, SIGMAS * 1.4826 * median(away))
end

-- Whether all runs of a node are on one side of all runs of the others, and their medians differ.
local function is_apart(node, others)
  local all = values.sorted(values.flat(others, function(other) return other.values end))
  table.sort(node.values)
  local apart = node.values[1] > all[#all] or node.values[#node.values] < all[1]
  return apart and math.abs(median(node.values) / median(all) - 1) >= LEAST
end

function Nodes:go(progress)
  measure(self, self.list, progress)
  local level, far = level_of(self.list)
  local odd, good = {}, {}
  for _, node in ipairs(self.list) do
    local off = #node.values > 0 and math.abs(node.values[1] / level - 1)
    if off and off > far then odd[#odd + 1] = node elseif off then good[#good + 1] = node end
    node.off = off
  end
  table.sort(good, function(a, b) return a.off < b.off end)
  good = { table.unpack(good, 1, math.min(GOOD, #good)) }
  if #odd == 0 or #good == 0 then return end
  local again = table.move(odd, 1, #odd, #good + 1, { table.unpack(good) })
  for _ = 1, AGAIN do measure(self, again, progress) end
  for _, node in ipairs(odd) do node.odd = is_apart(node, good) end
end

function Nodes:knows() return self.runs > 0 end

--- What the runs so far say.
function Nodes:answer()
  local level, far = level_of(self.list)
  local found = { nodes = reg.json.array {}, metric = self.run.metric, unit = self.o.unit, level = level, within = far,
    odd = 0, failed = 0, runs = self.runs, better = self.o.better }
  for i, node in ipairs(self.list) do
    local value = #node.values > 0 and median(node.values) or nil
    found.nodes[i] = { name = node.name, value = value, runs = #node.values, off = value and value / level - 1,
      odd = node.odd or false, failure = not value and node.failure or nil }
    if node.odd then found.odd = found.odd + 1 end
    if not value then found.failed = found.failed + 1 end
  end
  found.title = found.odd + found.failed == 0 and "all nodes are alike"
    or found.failed == #self.list and "no node gave a number"
    or string.format("%d of %d nodes are odd", found.odd + found.failed, #self.list)
  return found
end

local function words(found)
  local first = found.nodes[1].failure
  if first and not values.find(found.nodes, function(node) return node.failure ~= first end) then
    return "No node gave a number: " .. first:match "^[^\n]*" .. "."
  end
  local lines = map(found.nodes, function(node)
    return node.odd and string.format("%s is odd: %s, %s from the others, in %d runs.", node.name,
      numbers.named(node.value, found), numbers.percent(node.off), node.runs)
      or node.failure and string.format("%s: %s.", node.name, node.failure:match "^[^\n]*") or nil
  end)
  return #lines > 0 and table.concat(lines, "\n")
    or string.format("The %d nodes are alike within %s.", #found.nodes, numbers.percent(found.within))
end

---@class nodes.Options: sweep.CommonOptions
---@field measure fun(node: table, trial: sweep.Trial): any one run on a node, as in reg.sweep
---@field metric? string name or pattern of the number, such as "MLUPS: {number}"

---@class nodes.Node
---@field name string
---@field value? number median; absent if no run gave a number
---@field runs integer
---@field off? number from the median of all nodes, relative
---@field odd boolean
---@field failure? string why it has no number

---@class nodes.Answer
---@field nodes nodes.Node[]
---@field level? number the median of the nodes
---@field within number how far from it a node may be, relative, and not look odd
---@field odd integer how many are odd
---@field failed integer how many gave no number
---@field runs integer
---@field text string the answer in words

--- Runs a test once on each node of the cluster that the command line names (the shared options "cluster"). Those that
--- are far from the median are run twice more, beside two that are not: odd is a node all of whose runs are on one side
--- of theirs, by 2 % or more. Raises usage without a cluster.
--- ```lua
--- local opt = reg.options { "container", "cluster", "metric" }
--- local runner <close> = reg.runner { folders = { "." }, options = opt }
--- if opt.hosts then
---   print(reg.nodes({ metric = opt.metric, measure = function(_, trial)
---     return trial:test(runner:command "./bench", opt)
---   end }).text)
--- end
--- ```
---@param options nodes.Options
---@return nodes.Answer answer
return function(given)
  local o = investigation.options("nodes", given, KEYS, 1, { kind = "node" })
  if not core.cluster then
    core.fail("usage", "nodes: needs a cluster", "Pass --runtime slurm or --hosts a,b,c.")
  end
  o.unit = direction.unit(o.metric or "value")
  o.parallel = #core.cluster.backend.nodes
  return investigation.conduct(o, words, { unit = "run" }, function(run)
    local list = map(core.cluster.backend.nodes, function(name)
      local subject = { id = name, label = name, node = name }
      return { name = name, values = {}, queue = Queue.of(run, subject, name) }
    end)
    return setmetatable({ o = o, run = run, list = list, runs = 0 }, Nodes)
  end)
end
