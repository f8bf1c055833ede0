-- Whether a commit makes up a difference: the share and its interval, and the verdict. tests/scripts/test_prove.sh has
-- the whole of it with a repository.

local test = require "harness"
local Proof = reg.private "lib/ab/proof"

-- A round of a commit that carries `share` of a loss of 10 %, with this noise per run.
local function round_of(share, sigma)
  local function run(level) return level * math.exp(sigma * test.normal()) end
  local loss = math.log(1.1)
  return { before = run(100), after = run(110), revert = run(100 * math.exp(loss * (1 - share))),
    apply = run(100 * math.exp(loss * share)) }
end

local function prove(share, sigma)
  local proof = Proof.new { sign = 1, revert = true, apply = true }
  while not proof:verdict(proof.n >= 30) do proof:add(round_of(share, sigma)) end
  return proof
end

test("of 200 innocent commits none is convicted, and of 200 culprits none is acquitted", function()
  local found = { [0] = {}, [1] = {}, [0.9] = {}, [0.5] = {}, [0.3] = {} }
  for share, verdicts in pairs(found) do
    for _ = 1, 200 do
      local verdict = prove(share, 0.01):verdict(true)
      verdicts[verdict] = (verdicts[verdict] or 0) + 1
    end
  end
  test.equal({ found[0].proved, found[1].not_this_commit, found[0.9].not_this_commit }, {})
  test.truthy(found[0].not_this_commit >= 190 and found[1].proved >= 190 and found[0.9].proved >= 190)
  test.truthy(found[0.5].one_of_several >= 170 and found[0.3].one_of_several >= 190)
end)

test("the intervals of 300 proofs hold the share in 95 of 100, wherever they end", function()
  local missed = 0
  for _ = 1, 300 do
    local _, low, high = prove(0.8, 0.01):share "revert"
    if low > 0.8 or high < 0.8 then missed = missed + 1 end
  end
  test.truthy(missed <= 15, missed .. " of 300 missed")
end)

-- tests/scripts/test_prove.sh has the other verdicts.
test("too much noise, two directions that contradict each other, and a flaky test leave it open", function()
  test.equal({ prove(1, 0.3):verdict(true) }, { "inconclusive", "undecided" })
  local proof = Proof.new { sign = 1, revert = true, apply = true }
  while not proof:verdict(proof.n >= 30) do
    local round = round_of(1, 0.005)
    round.apply = round_of(0, 0.005).apply
    proof:add(round)
  end
  test.equal({ proof:verdict(true) }, { "inconclusive", "mixed" })
  local runs = Proof.new { passes = true, sign = 1, revert = true, apply = true }
  runs:add { before = 0, after = 1, revert = 0, apply = 1 }
  test.equal(runs:verdict(false), nil, "each is run twice")
  runs:add { before = 0, after = 1, revert = 1, apply = 1 }
  test.equal({ runs:verdict(false) }, { "inconclusive", "flaky" })
end)

test("reg.prove refuses what it cannot answer", function()
  test.refuses("usage", function(options) reg.prove(nil, options) end, {
    { "takes a repository and a table of options" }, { "unknown option 'comit'", { comit = "x", options = {} } },
    { "needs 'commit'", { options = {} } }, { "needs 'options'", { commit = "x" } },
    { "'budget' must be an integer", { commit = "x", options = {}, budget = 0 } } })
end)

return test.finish()
