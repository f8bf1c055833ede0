-- The nodes of a cluster in one search: their speeds are not taken for regressions.

local test = require "harness"
local Cluster = require "cluster"
local shown = require "shown"
local core = reg.private "lib/core"

local function sweep(cluster, n, o)
  local options = test.merged({ config = {}, metric = "v", better = "higher", parallel = 8, into = test.fresh ".db",
    measure = cluster:measure() }, o)
  return reg.sweep(Cluster.subjects(n), options)
end

-- Three nodes, the last one slower with every build.
local function three(more)
  return Cluster.new(test.merged({ noise = 0.0005, level = Cluster.steps(0.1, 38),
    nodes = { { name = "node1", factor = 1 }, { name = "node2", factor = 1 }, { name = "node3", factor = 0.94 } },
  }, more))
end

local function changes(series)
  return table.concat(test.map(series.changes, function(change) return change.last_good .. ">" .. change.first_bad end), " ")
end

local function said(series) return table.concat(shown(series), " ") end

local function with_option(name, f)
  local before = core.options
  core.options = { [name] = true }
  local ok, why = pcall(f)
  core.options = before
  if not ok then error(why, 0) end
end

test("nodes that differ are not a regression, and a step of every node is one", function()
  for seed = 1, 8 do
    for _, at in ipairs { 38, 1000 } do
      local cluster = Cluster.new { nodes = Cluster.nodes(8, 0.05, 0.44, seed), noise = 0.01, seed = seed,
        level = Cluster.steps(0.15, at) }
      test.equal(changes(sweep(cluster, 100)), at == 38 and "s037>s038" or "", "seed " .. seed)
    end
  end
  local wrong = 0
  for seed = 1, 20 do
    local cluster = Cluster.new { nodes = Cluster.nodes(8, 0.05, 0.44, seed), noise = 0.01, seed = seed,
      level = Cluster.steps(0.15, 3) }
    wrong = wrong + (changes(sweep(cluster, 3)) == "s002>s003" and 0 or 1)
  end
  test.truthy(wrong <= 1, wrong .. " of 20 searches among 3 subjects")
end)

test("each node runs the good end once, and the answer says how they differ", function()
  local cluster = three()
  local series, runs = sweep(cluster, 100), {}
  for _, entry in ipairs(series.asked) do
    test.truthy(entry.node and entry.raw)
    if entry.reason == "node" then
      runs[#runs + 1] = entry.node
      test.equal({ entry.label, entry.why }, { "s001", "shows how its node compares with the others" })
    end
    test.near(entry.value / (entry.place < 38 and 100 or 90), 1, 0.07)
    local factor = series.nodes.reference == "node3" and 1 / 0.94 or 1
    test.near(entry.raw / entry.value, factor * (entry.node == "node3" and 0.94 or 1), 0.01)
  end
  test.equal({ #runs, changes(series) }, { 2, "s037>s038" })
  local text = said(series)
  test.truthy(text:find "Measured on 3 nodes %(node%d, node%d, node%d%)%.", text)
  test.truthy(text:find "With every build node3 is [56]%.%d+ %% lower than node%d; its numbers are corrected for it%."
    or text:find "With every build node%d is [56]%.%d+ %% higher than node3, node%d [56]%.%d+ %% higher;", text)
  for id, entry in pairs { [series.asked[1].trial] = series.asked[1] } do
    local store <close> = reg.store.open(series.store.path)
    test.equal(store:query("SELECT id FROM trials WHERE id = ?", id)[1].id, entry.trial)
  end
end)

test("the same question again runs nothing, and says the same", function()
  local into = test.fresh ".db"
  local first = sweep(three(), 100, { into = into })
  local again = sweep(three { seed = 9 }, 100, { into = into })
  test.equal({ again.runs, changes(again) }, { 0, changes(first) })
  test.equal(said(again):match "Measured.*it%.", said(first):match "Measured.*it%.")
end)

test("an odd node is named, also where it ran the good end first", function()
  for odd = 1, 8 do
    local nodes = Cluster.nodes(8, 0.01)
    nodes[odd].factor = 0.44
    local text = said(sweep(Cluster.new { nodes = nodes, noise = 0.01, seed = odd, level = Cluster.steps(0.15, 38) }, 100))
    test.has(text, "node" .. odd .. " differs more than nodes usually do: check it.")
  end
end)

test("both sides of a change are compared on one node", function()
  for seed = 1, 5 do
    local series, of = sweep(three { seed = seed, noise = 0.01 }, 100), { s037 = {}, s038 = {} }
    for _, entry in ipairs(series.asked) do (of[entry.label] or {})[entry.node] = true end
    local is_common = false
    for node in pairs(of.s037) do is_common = is_common or of.s038[node] end
    test.equal({ changes(series), is_common }, { "s037>s038", true }, "seed " .. seed)
  end
end)

for what, case in pairs {
  ["a node that becomes slower during the search is not a regression"] = { "", { noise = 0.01,
    level = Cluster.steps(0, 1),
    on_run = function(node, _, count) return node.name == "node2" and count > 1 and 0.85 or nil end } },
  ["where a node cannot be had, another one is used"] = { "s037>s038", { gone = "node2" } },
} do
  test(what, function()
    for seed = 1, 8 do
      local series = sweep(three(test.merged({ seed = seed }, case[2])), 100)
      test.equal({ changes(series), series.skipped }, { case[1], 0 }, "seed " .. seed)
    end
  end)
end

test("--same-node runs everything on the node of the first run", function()
  with_option("same_node", function()
    local cluster = three()
    local series, used = sweep(cluster, 100), {}
    for _, run in ipairs(cluster.made) do used[run.node] = true end
    local count = 0
    for _ in pairs(used) do count = count + 1 end
    test.equal({ changes(series), count }, { "s037>s038", 1 })
    test.truthy(said(series):find "Measured on node%d%.", said(series))
  end)
end)

test("--spread measures both sides of each change on each node, and says the differences", function()
  with_option("spread", function()
    local series = sweep(three(), 100)
    test.equal(changes(series), "s037>s038")
    test.truthy(said(series):find "s038 on each node: node%d %-[19][%d.]+ %%, node%d %-[19][%d.]+ %%, node%d %-[19][%d.]+ %%%.",
      said(series))
  end)
end)

test("a test that fails on one node is not a regression, and that is said", function()
  for seed = 1, 8 do
    local cluster = three { seed = seed }
    cluster.hides = true  -- what it is given to `passes` by hand
    local measure = cluster:measure()
    local series = reg.sweep(Cluster.subjects(100), { config = {}, parallel = 8, into = test.fresh ".db",
      passes = function(subject, trial)
        measure(subject, trial)
        local node = cluster.made[#cluster.made].node
        trial.info.node = { name = node }
        return subject.place < 38 and node ~= "node3"
      end })
    test.equal(changes(series), "s037>s038", "seed " .. seed)
    local text = said(series)
    test.truthy(text:find "s%d+ passes on node[12] and fails on node3: the answer is that of node[12] alone%."
      or text:find "s%d+ fails on node3 and passes on node[12]: the answer is that of node[12] alone%.", text)
  end
end)

test("exact numbers are not corrected, and where they differ between nodes is said", function()
  local function run(odd)
    return sweep(three { noise = 0, level = function(place) return place < 38 and 1000 or 1100 end,
      on_run = function(node) return node.name == "node3" and odd or 1 end }, 100, { metric = "bytes", better = "lower", exact = true })
  end
  local series = run(1)
  test.equal({ changes(series), next(series.nodes.factors) }, { "s037>s038" })
  test.truthy(said(series):find "Measured on %d nodes", said(series))
  test.equal(changes(run(0.5)), "s037>s038")
end)

test("without a cluster nothing is said of nodes", function()
  local cluster = Cluster.new { nodes = { { name = "here", factor = 1 } }, noise = 0.01, level = Cluster.steps(0.15, 38),
    hides = true }
  local series = sweep(cluster, 100)
  test.equal({ changes(series), series.nodes }, { "s037>s038" })
  test.lacks(said(series), "Measured on")
end)

return test.finish()
