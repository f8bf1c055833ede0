-- A simulated cluster: nodes that run everything faster or slower by a factor, and a `measure` for reg.sweep that runs on
-- the node that the trial is pinned to, or on the next one of a shuffled row, as a round is spread over free nodes.

local Cluster = {}
Cluster.__index = Cluster

-- Around 0, with a standard deviation of 1. The generator is its own, so that a search draws the same again.
local function random(self)
  self.state = (self.state * 1103515245 + 12345) % 2147483648
  return (self.state + 0.5) / 2147483648
end
local function normal(self) return math.sqrt(-2 * math.log(random(self))) * math.cos(2 * math.pi * random(self)) end

--- `o`: nodes (a list of { name =, factor = }), level(place), noise (of a run, relative), seed; hides (its trials do not
--- say where they ran), gone (a node that pinned runs do not get), on_run(node, place, count) may return a number in
--- place of the factor, or a reg.skip.
function Cluster.new(o)
  local self = setmetatable({ made = {}, of = {}, waiting = {}, state = (o.seed or 1) * 7919 % 2147483648 }, Cluster)
  for name, value in pairs(o) do self[name] = value end
  for _ = 1, 5 do random(self) end
  return self
end

--- Nodes whose speeds differ by `sd` (of a normal distribution), the first one `odd` times as fast.
function Cluster.nodes(count, sd, odd, seed)
  local list, draws = {}, setmetatable({ state = (seed or 1) * 104729 % 2147483648 }, Cluster)
  for _ = 1, 5 do random(draws) end
  local at = odd and 1 + math.floor(count * random(draws))
  for i = 1, count do list[i] = { name = "node" .. i, factor = i == at and odd or math.exp(sd * normal(draws)) } end
  return list
end

local function next_node(self)
  if #self.waiting == 0 then
    for i, node in ipairs(self.nodes) do table.insert(self.waiting, 1 + math.floor(i * random(self)), node) end
  end
  return table.remove(self.waiting)
end

local function named(self, name)
  for _, node in ipairs(self.nodes) do
    if node.name == name then return node end
  end
end

--- The `measure` of reg.sweep for subjects with a `place`.
function Cluster:measure()
  return function(subject, trial)
    local wanted = trial.node
    if wanted and wanted == self.gone then return reg.skip("node not available: " .. wanted, "", "crashed") end
    local node = wanted and named(self, wanted) or next_node(self)
    table.insert(self.made, { node = node.name, place = subject.place, pinned = wanted ~= nil })
    self.of[node.name] = (self.of[node.name] or 0) + 1
    local factor = self.on_run and self.on_run(node, subject.place, self.of[node.name], #self.made) or node.factor
    if not self.hides then trial.info.node = { name = node.name } end
    if type(factor) == "table" then return factor end
    return self.level(subject.place) * factor * (1 + self.noise * math.max(normal(self), -3))
  end
end

function Cluster.subjects(n)
  local list = {}
  for place = 1, n do list[place] = { id = string.format("s%03d", place), place = place } end
  return list
end

--- A level of 100 that is `size` lower from each of the places on.
function Cluster.steps(size, ...)
  local places = { ... }
  return function(place)
    local level = 100
    for _, at in ipairs(places) do level = place >= at and level * (1 - size) or level end
    return level
  end
end

return Cluster
