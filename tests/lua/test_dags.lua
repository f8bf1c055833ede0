-- reg.bisect on random histories. REGENGINE_DAGS is how many (40 unless given), REGENGINE_FIRST_DAG
-- the seed of the first one. Of a single one it prints the commits.

local test = require "harness"
local real_git = require "real_git"

local function from_environment(name, otherwise)
  return math.tointeger(tonumber(reg.process.run({ shell = 'echo "$' .. name .. '"' }).stdout)) or otherwise
end

local MANY <const> = from_environment("REGENGINE_DAGS", 40)
local FIRST <const> = from_environment("REGENGINE_FIRST_DAG", 1)
local NOISE <const> = 0.01

-- --- Histories: branches in branches, octopus merges, merges that bring a change themselves, commits that fail.

local function random_of(seed)
  local state = seed * 2654435761 % 2147483648
  local function random()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  end
  for _ = 1, 5 do random() end
  return random
end

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

local function ancestors(dag, i)
  local seen, rest = {}, { i }
  while #rest > 0 do
    local at = table.remove(rest)
    if not seen[at] then
      seen[at] = true
      for _, parent in ipairs(dag.parents[at]) do rest[#rest + 1] = parent end
    end
  end
  return seen
end

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

-- { n =, parents =, good =, bad =, untestable = { [i] = true }, effects = { [i] = }, changed = { i } } of a seed.
-- Commits are numbers, parents come first. `good` is on the first-parent line of `bad`.
local function new_dag(seed)
  local random = random_of(seed)
  local dag, heads = { seed = seed, n = 2 + math.floor(59 * random()), parents = {}, untestable = {}, effects = {},
    changed = {} }, {}
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
    if ancestors(dag, dag.bad)[i] and not old[i] then table.insert(candidates, i) end
    if i ~= dag.good and i ~= dag.bad and random() < 0.2 then dag.untestable[i] = true end
  end
  for _ = 1, math.min(#candidates, 1 + math.floor(3 * random())) do
    table.insert(dag.changed, pick(candidates, random))
  end
  repeat
    for _, i in ipairs(dag.changed) do dag.effects[i] = (random() < 0.3 and -1 or 1) * (0.08 + 0.3 * random()) end
  until distinct(dag)
  table.sort(dag.changed)
  return dag
end

-- Whether a commit has any of the changes.
local function fails(dag, i)
  local all = ancestors(dag, i)
  for _, changed in ipairs(dag.changed) do
    if all[changed] then return true end
  end
  return false
end

-- The number of a commit: 1000 times what each of its changes makes of it.
local function number_at(dag, i)
  local all, number = ancestors(dag, i), 1000
  for _, changed in ipairs(dag.changed) do
    if all[changed] then number = number * (1 + dag.effects[changed]) end
  end
  return number
end

-- The commands of `git fast-import` that make the branch `dag<seed>`.
local function stream_of(dag)
  local parts = {}
  for i = 1, dag.n do
    parts[#parts + 1] = string.format("commit refs/heads/dag%d\nmark :%d\ncommitter Ada <a@b> %d +0000\ndata <<E\n"
      .. "dag %d commit %d\nE\n", dag.seed, 1000 * dag.seed + i, 1600000000 + 60 * i, dag.seed, i)
    for at, parent in ipairs(dag.parents[i]) do
      parts[#parts + 1] = string.format("%s :%d\n", at == 1 and "from" or "merge", 1000 * dag.seed + parent)
    end
    parts[#parts + 1] = string.format("M 100644 inline n\ndata <<E\n%d\nE\n\n", i)
  end
  return table.concat(parts)
end

-- A history in a few lines, to look at.
local function shown(dag)
  local lines = { string.format("good %d, bad %d", dag.good, dag.bad) }
  for i = 1, dag.n do
    lines[#lines + 1] = string.format("%d <- %s%s%s", i, table.concat(dag.parents[i], " "),
      dag.untestable[i] and "  untestable" or "", dag.effects[i] and string.format("  %+.3f", dag.effects[i]) or "")
  end
  return table.concat(lines, "\n")
end

-- --- Bisecting them.

real_git.new_repo "dags"
local all, id_of, number_of = {}, {}, {}
do
  local streams = {}
  for seed = FIRST, FIRST + MANY - 1 do
    all[#all + 1] = new_dag(seed)
    streams[#streams + 1] = stream_of(all[#all])
  end
  reg.fs.write("stream", table.concat(streams))
  reg.process.run { shell = "git -C dags fast-import --quiet --export-marks=$PWD/marks < stream" }
  real_git.git("dags", "checkout", "-q", "dag" .. FIRST)
  for mark, id in reg.fs.read("marks"):gmatch ":(%d+) (%x+)" do
    id_of[tonumber(mark)] = id
    number_of[id] = tonumber(mark)
  end
end
local repo = reg.git.open "dags"

local function id(dag, i) return id_of[1000 * dag.seed + i] end
local function index(dag, commit) return number_of[type(commit) == "table" and commit.id or commit] - 1000 * dag.seed end

local function bisect(dag, kind, value)
  local o = { repo = repo, into = "dags.db", config = { kind = kind }, try_skipped = true, metric = "v",
    exact = kind == "exact" or nil }
  local values, random = {}, {}
  for i = 1, dag.n do values[i], random[i] = value(i), random_of(1000 * dag.seed + i) end
  o[kind == "outcome" and "passes" or "measure"] = function(commit)
    local i = index(dag, commit)
    if dag.untestable[i] then return reg.skip("cannot build", "", "build_failed") end
    if kind ~= "noisy" then return values[i] end
    local draw = random[i]
    return values[i] * (1 + NOISE * math.sqrt(3) * (draw() + draw() + draw() + draw() - 2))
  end
  if kind == "outcome" then o.metric = nil end
  return reg.bisect(reg.history(repo, id(dag, dag.good), id(dag, dag.bad)), o)
end

-- The commits of a change: itself or the candidates.
local function named(dag, change)
  local list = {}
  if change.untested == 0 then return { index(dag, change.first_bad) } end
  for i, one in ipairs(change.candidates or {}) do list[i] = index(dag, one.id) end
  return list
end

-- The commits that `git bisect run` names.
local function by_git(dag)
  local lines = {}
  for i = 1, dag.n do lines[i] = dag.untestable[i] and 125 or fails(dag, i) and 1 or 0 end
  reg.fs.write("codes", table.concat(lines, "\n") .. "\n")
  local run = reg.process.run { shell = string.format("cd dags && git bisect start %s %s && "
    .. "git bisect run sh -c 'exit $(sed -n \"$(cat n)p\" ../codes)'; git bisect reset >/dev/null", id(dag, dag.bad),
    id(dag, dag.good)) }
  local found = run.stdout:match "(%x+) is the first bad commit"
  if found then return { index(dag, found) } end
  local list = {}
  for one in (run.stdout:match "could be any of:\n(.*)" or ""):gmatch "(%x+)\n" do
    if number_of[one] then list[#list + 1] = index(dag, one) end
  end
  assert(#list > 0, run.stdout .. run.stderr)
  return list
end

local function text(list) return table.concat(list, " ") end

local function holds(list, i)
  for _, one in ipairs(list) do
    if one == i then return true end
  end
  return false
end

-- The changes among these commits before which nothing failed.
local function culprits_of(dag, list)
  local found = {}
  for _, i in ipairs(list) do
    local is_first = fails(dag, i)
    for _, parent in ipairs(dag.parents[i]) do is_first = is_first and not fails(dag, parent) end
    if is_first then found[#found + 1] = i end
  end
  return found
end

-- The history with these culprits alone; what fails for another reason cannot be tested.
local function with_only(dag, culprits)
  local own = setmetatable({ changed = culprits, untestable = {} }, { __index = dag })
  for i = 1, dag.n do own.untestable[i] = dag.untestable[i] or fails(dag, i) and not fails(own, i) or nil end
  return own
end

-- What is wrong with an answer by exit code; nil if nothing. Where several commits began to fail, each of them is right,
-- and git may have come to another one: then it is asked about a history with this one alone.
local function wrong_outcome(dag, series)
  if #series.changes ~= 1 then return #series.changes .. " changes" end
  local mine, git = named(dag, series.changes[1]), by_git(dag)
  local culprits = culprits_of(dag, mine)
  if #culprits == 0 then return text(mine) .. " has none of " .. text(dag.changed) .. ", git: " .. text(git) end
  local same = false
  for _, i in ipairs(culprits) do same = same or holds(git, i) end
  if not same then git = by_git(with_only(dag, culprits)) end
  if #mine > #git then return text(mine) .. " is larger than git's " .. text(git) end
end

local function has_merge(dag, list)
  for _, i in ipairs(list) do
    if #dag.parents[i] > 1 then return true end
  end
  return false
end

-- The same for an answer by number, which has this relative error.
local function wrong_number(dag, series, tolerance)
  local product, seen = 1, {}
  local function near(got, wanted) return math.abs(got / wanted - 1) <= tolerance end
  for _, change in ipairs(series.changes) do
    local list, effect = named(dag, change), 1
    if change.kind ~= "step" then return "a " .. change.kind end
    product = product * change.after / change.before
    for _, i in ipairs(list) do
      if dag.effects[i] then
        if seen[i] then return i .. " is named twice" end
        seen[i], effect = true, effect * (1 + dag.effects[i])
      end
    end
    if not near(change.after / change.before, effect) then
      return string.format("%s: %.4f and not %.4f", text(list), change.after / change.before, effect)
    end
    if not near(change.after, number_at(dag, index(dag, change.hi))) then return text(list) .. ": after" end
    local before = number_at(dag, index(dag, change.lo))
    -- What a merge leaves of the branches is measured nowhere.
    if not near(change.before, before) and not has_merge(dag, list) then return text(list) .. ": before" end
  end
  local ends = number_at(dag, dag.bad) / number_at(dag, dag.good)
  tolerance = math.max(tolerance, series.resolution or 0)  -- the answer says that smaller ones may be missing
  if not near(product, ends) then return string.format("the sum is %.4f and not %.4f", product, ends) end
  for _, i in ipairs(dag.changed) do
    if not seen[i] and math.abs(dag.effects[i]) > tolerance then return i .. " is not named" end
  end
end

local function each(kind, value, wrong)
  local failed, runs, began = {}, 0, reg.time.now()
  for _, dag in ipairs(all) do
    local ok, series = pcall(bisect, dag, kind, function(i) return value(dag, i) end)
    if ok then
      runs = runs + series.runs
      local fine, why = pcall(wrong, dag, series)
      if why then failed[#failed + 1] = string.format("dag %d: %s", dag.seed, fine and why or "error " .. tostring(why)) end
    else
      failed[#failed + 1] = string.format("dag %d: raised %s", dag.seed, tostring(series))
    end
  end
  if MANY == 1 then print(shown(all[1])) end
  print(string.format("%s: %d of %d wrong, %d runs, %.0f s", kind, #failed, #all, runs, reg.time.now() - began))
  test.truthy(#failed == 0, #failed .. " wrong:\n" .. table.concat(failed, "\n"))
end

test("by exit code: git bisect's commit, or a set with it that is not larger", function()
  each("outcome", function(dag, i) return not fails(dag, i) end, wrong_outcome)
end)

test("by a number: each change with the numbers of its sides, and all add up to the ends' difference", function()
  each("exact", number_at, function(dag, series) return wrong_number(dag, series, 1e-6) end)
end)

test("by a number with noise", function()
  each("noisy", number_at, function(dag, series) return wrong_number(dag, series, 0.03) end)
end)

return test.finish()
