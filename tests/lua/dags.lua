-- Random histories, and what each of their commits does: branches in branches, octopus merges, merges that bring a
-- change themselves, commits that cannot be tested.

local dags = {}

local function random_of(seed)
  local state = seed * 2654435761 % 2147483648
  local function random()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  end
  for _ = 1, 5 do random() end
  return random
end
dags.random_of = random_of

-- Parents of commit i: mostly one of the heads, sometimes several, or an older commit from which a branch begins.
local function parents_of(i, heads, random)
  if i == 1 then return {} end
  if #heads > 1 and random() < 0.3 then
    local parents = {}
    for _ = 1, random() < 0.25 and math.min(#heads, 2 + math.floor(3 * random())) or 2 do
      parents[#parents + 1] = table.remove(heads, 1 + math.floor(#heads * random()))
    end
    return parents
  end
  if random() < 0.2 then
    local from = math.max(1, i - 1 - math.floor(8 * random()))
    for at, head in ipairs(heads) do
      if head == from then table.remove(heads, at) end
    end
    return { from }
  end
  return { table.remove(heads, 1 + math.floor(#heads * random())) }
end

local function ancestors(dag, i, seen)
  seen = seen or {}
  local rest = { i }
  while #rest > 0 do
    local at = table.remove(rest)
    if not seen[at] then
      seen[at] = true
      for _, parent in ipairs(dag.parents[at]) do rest[#rest + 1] = parent end
    end
  end
  return seen
end
dags.ancestors = ancestors

local function pick(list, random) return table.remove(list, 1 + math.floor(#list * random())) end

-- Whether no two sets of the changes have the same number: they would hide each other.
local function distinct(dag)
  local sums = { 0 }
  for _, i in ipairs(dag.changed) do
    for k = 1, #sums do sums[#sums + 1] = sums[k] + math.log(1 + dag.effects[i]) end
  end
  table.sort(sums)
  for k = 2, #sums do
    if sums[k] - sums[k - 1] < 0.08 then return false end
  end
  -- Nor is a difference that two of them make on one side of a merge that of one of them on the other side.
  local effects, ambiguous = dag.effects, false
  for i, a in pairs(effects) do
    for j, b in pairs(effects) do
      for k, c in pairs(effects) do
        ambiguous = ambiguous or i ~= j and j ~= k and k ~= i and math.abs((1 + a) * ((1 + b) * (1 + c) - 1) - b) < 0.06
      end
    end
  end
  return not ambiguous
end

--- { n =, parents =, good =, bad =, untestable = { [i] = true }, effects = { [i] = }, changed = { i }, within = { i } } of
--- a seed; commits are numbers, parents come first. `good` is on the first-parent line of `bad`.
function dags.new(seed)
  local random = random_of(seed)
  local dag = { n = 2 + math.floor(59 * random()), parents = {}, untestable = {}, effects = {}, changed = {},
    within = {}, seed = seed }
  local heads = {}
  for i = 1, dag.n - 1 do
    dag.parents[i] = parents_of(i, heads, random)
    heads[#heads + 1] = i
  end
  dag.parents[dag.n] = { pick(heads, random) }
  while #heads > 0 and #dag.parents[dag.n] < 4 do table.insert(dag.parents[dag.n], pick(heads, random)) end
  dag.bad = dag.n
  local line, at = {}, dag.parents[dag.n][1]
  while at do
    table.insert(line, 1, at)
    at = dag.parents[at][1]
  end
  dag.good = line[1 + math.floor(random() ^ 2 * #line)]
  local old, candidates = ancestors(dag, dag.good), {}
  for i = 1, dag.n do
    if ancestors(dag, dag.bad)[i] and not old[i] then table.insert(dag.within, i) end
    if i ~= dag.good and i ~= dag.bad and random() < 0.2 then dag.untestable[i] = true end
  end
  table.move(dag.within, 1, #dag.within, 1, candidates)
  for _ = 1, math.min(#candidates, 1 + math.floor(3 * random())) do
    table.insert(dag.changed, pick(candidates, random))
  end
  repeat
    for _, i in ipairs(dag.changed) do dag.effects[i] = (random() < 0.3 and -1 or 1) * (0.08 + 0.3 * random()) end
  until distinct(dag)
  table.sort(dag.changed)
  return dag
end

--- Whether a commit has any of the changes.
function dags.fails(dag, i)
  local all = ancestors(dag, i)
  for _, changed in ipairs(dag.changed) do
    if all[changed] then return true end
  end
  return false
end

--- The number of a commit: 1000 times what each of its changes makes of it.
function dags.number(dag, i)
  local all, number = ancestors(dag, i), 1000
  for _, changed in ipairs(dag.changed) do
    if all[changed] then number = number * (1 + dag.effects[changed]) end
  end
  return number
end

--- The commands of `git fast-import` that make the branch `dag<seed>`.
function dags.stream(dag)
  local parts = {}
  for i = 1, dag.n do
    local base = 1600000000 + 60 * i
    parts[#parts + 1] = string.format("commit refs/heads/dag%d\nmark :%d\ncommitter Ada <a@b> %d +0000\ndata <<E\n"
      .. "dag %d commit %d\nE\n", dag.seed, 1000 * dag.seed + i, base, dag.seed, i)
    for at, parent in ipairs(dag.parents[i]) do
      parts[#parts + 1] = string.format("%s :%d\n", at == 1 and "from" or "merge", 1000 * dag.seed + parent)
    end
    parts[#parts + 1] = string.format("M 100644 inline n\ndata <<E\n%d\nE\n\n", i)
  end
  return table.concat(parts)
end

--- A history in a few lines, to look at.
function dags.show(dag)
  local lines = { string.format("good %d, bad %d", dag.good, dag.bad) }
  for i = 1, dag.n do
    lines[#lines + 1] = string.format("%d <- %s%s%s", i, table.concat(dag.parents[i], " "),
      dag.untestable[i] and "  untestable" or "", dag.effects[i] and string.format("  %+.3f", dag.effects[i]) or "")
  end
  return table.concat(lines, "\n")
end

return dags
