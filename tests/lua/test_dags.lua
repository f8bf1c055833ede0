-- reg.bisect on random histories. REGENGINE_DAGS is how many (40 unless given), REGENGINE_FIRST_DAG
-- the seed of the first one. Of a single one it prints the commits.

local test = require "harness"
local dags = require "dags"
local real_git = require "real_git"

local function from_environment(name, otherwise)
  return math.tointeger(tonumber(reg.process.run({ shell = 'echo "$' .. name .. '"' }).stdout)) or otherwise
end

local MANY <const> = from_environment("REGENGINE_DAGS", 40)
local FIRST <const> = from_environment("REGENGINE_FIRST_DAG", 1)
local NOISE <const> = 0.01

real_git.new_repo "dags"
local all, id_of, number_of = {}, {}, {}
do
  local streams = {}
  for seed = FIRST, FIRST + MANY - 1 do
    all[#all + 1] = dags.new(seed)
    streams[#streams + 1] = dags.stream(all[#all])
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
  for i = 1, dag.n do values[i], random[i] = value(i), dags.random_of(1000 * dag.seed + i) end
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
  for i = 1, dag.n do lines[i] = dag.untestable[i] and 125 or dags.fails(dag, i) and 1 or 0 end
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
    local is_first = dags.fails(dag, i)
    for _, parent in ipairs(dag.parents[i]) do is_first = is_first and not dags.fails(dag, parent) end
    if is_first then found[#found + 1] = i end
  end
  return found
end

-- The history with these culprits alone; what fails for another reason cannot be tested.
local function with_only(dag, culprits)
  local own = setmetatable({ changed = culprits, untestable = {} }, { __index = dag })
  for i = 1, dag.n do own.untestable[i] = dag.untestable[i] or dags.fails(dag, i) and not dags.fails(own, i) or nil end
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
    if not near(change.after, dags.number(dag, index(dag, change.hi))) then return text(list) .. ": after" end
    local before = dags.number(dag, index(dag, change.lo))
    -- What a merge leaves of the branches is measured nowhere.
    if not near(change.before, before) and not has_merge(dag, list) then return text(list) .. ": before" end
  end
  local ends = dags.number(dag, dag.bad) / dags.number(dag, dag.good)
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
  if MANY == 1 then print(dags.show(all[1])) end
  print(string.format("%s: %d of %d wrong, %d runs, %.0f s", kind, #failed, #all, runs, reg.time.now() - began))
  test.truthy(#failed == 0, #failed .. " wrong:\n" .. table.concat(failed, "\n"))
end

test("by exit code: git bisect's commit, or a set with it that is not larger", function()
  each("outcome", function(dag, i) return not dags.fails(dag, i) end, wrong_outcome)
end)

test("by a number: each change with the numbers of its sides, and all add up to the ends' difference", function()
  each("exact", dags.number, function(dag, series) return wrong_number(dag, series, 1e-6) end)
end)

test("by a number with noise", function()
  each("noisy", dags.number, function(dag, series) return wrong_number(dag, series, 0.03) end)
end)

return test.finish()
