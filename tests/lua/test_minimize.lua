local test = require "harness"

reg.needs { process = "sh", files = "." }

local ITEMS = {}
for i = 1, 12 do ITEMS[i] = "--flag" .. i end

local function set_of(list)
  local set = {}
  for _, one in ipairs(list) do set[one] = true end
  return set
end

local count = 0
local function minimize(o)
  count = count + 1
  local all = { items = ITEMS, into = "store" .. count .. ".db" }
  for name, value in pairs(o) do all[name] = value end
  return reg.minimize(all)
end

-- Noise that depends on the subset and on how many runs there were, which a file counts.
local function noisy(level, trial)
  local run = trial:run { shell = string.format([[
    i=$(cat runs 2>/dev/null || echo 0); i=$((i + 1)); echo $i >runs
    awk -v i=$i 'BEGIN {
      s = 7919 * i; x = 0
      for (k = 0; k < 15; ++k) { s = (s * 16807) %% 2147483647; if (k > 2) x += s / 2147483647 }
      printf "time: %%.6f\n", %s * (1 + 0.01 * (x - 6)) }']], level) }
  return reg.metric.find(run.stdout, "time: {number}")
end

local function runs() return tonumber(reg.fs.exists "runs" and reg.fs.read "runs" or "0") end

test("a flag that makes it slower is found, and measured alone and left out", function()
  local o = { metric = "time", ends = { none = "good", all = "bad" }, measure = function(subset, trial)
    return noisy(set_of(subset)["--flag7"] and 110 or 100, trial)
  end }
  local found = minimize(o)
  test.equal({ found.verdict, found.regression, #found.culprits, found.culprits[1].items[1] },
    { "found", true, 1, "--flag7" })
  test.truthy(math.abs(found.culprits[1].alone.value - 1) < 0.5, "alone")
  test.truthy(math.abs(found.culprits[1].without.value - 1) < 0.5, "without")
  test.truthy(found.text:find "^REGRESSION   time 1?[09][0-9.]* %-> 1[01][0-9.]*   %+", found.text)
  test.truthy(found.text:find("\n  culprit     --flag7\n  good plus --flag7 loses ", 1, true), found.text)
  test.truthy(found.text:find("; bad minus --flag7 regains ", 1, true), found.text)
  test.truthy(found.text:find("\nThe other 11 together change less than ", 1, true), found.text)

  -- Again: all of it is in the store, and the answer is the same.
  local before = runs()
  o.into = "store" .. count .. ".db"
  local again = minimize(o)
  test.equal({ runs(), again.reused, again.runs }, { before, found.runs, found.runs })
  test.equal(again.culprits, found.culprits)
end)

test("flags that only act together, and an exact number", function()
  local found = minimize { exact = true, metric = "bytes", measure = function(subset)
    local on = set_of(subset)
    return 1000 + (on["--flag2"] and on["--flag9"] and 100 or 0) + (on["--flag4"] and 3 or 0)
  end }
  test.equal({ found.verdict, found.culprits[1].items, #found.culprits }, { "found", { "--flag2", "--flag9" }, 1 })
  test.truthy(found.runs <= 40, found.runs)
  test.truthy(found.text:find("culprit     --flag2 --flag9   (together)", 1, true), found.text)
  test.truthy(found.text:find("all minus --flag2 --flag9 regains 97 %.\nThe other 10 together change less than 0.30 %.", 1, true),
    found.text)
end)

test("several that add up", function()
  local found = minimize { exact = true, metric = "MB/s", measure = function(subset)
    local on, level = set_of(subset), 100
    for _, one in ipairs { "--flag1", "--flag5", "--flag12" } do level = on[one] and level * 1.1 or level end
    return level
  end }
  local names = {}
  for i, culprit in ipairs(found.culprits) do names[i] = culprit.items[1] end
  table.sort(names)
  test.equal({ found.verdict, found.regression, names }, { "found", false, { "--flag1", "--flag12", "--flag5" } })
  test.truthy(found.text:find "^IMPROVEMENT  MB/s 100 %-> 133", found.text)
  test.truthy(found.text:find("gains 33 %", 1, true), found.text)
end)

test("works or does not work", function()
  local found = minimize { measure = function(subset) return not set_of(subset)["--flag3"] end }
  test.equal({ found.verdict, found.pass_fail, found.regression, found.culprits[1].items[1] },
    { "found", true, true, "--flag3" })
  test.truthy(found.text:find("^REGRESSION   the test passes with none and fails with all"), found.text)
  test.truthy(found.text:find("none plus --flag3 fails; all minus --flag3 passes.", 1, true), found.text)
end)

test("a flag that aborts is excluded, and others are found", function()
  local found = minimize { exact = true, metric = "ms", measure = function(subset, trial)
    local on = set_of(subset)
    if on["--flag5"] then
      return trial:run { shell = "echo 'Unknown flag in XLA_FLAGS: --flag5' >&2; exit 134" }
    end
    return on["--flag8"] and 3 or 2
  end }
  test.equal({ found.verdict, found.excluded, found.culprits[1].items }, { "found", { "--flag5" }, { "--flag8" } })
  test.truthy(found.failed > 0, "failed")
  test.truthy(found.text:find("\n  skipped     --flag5\n", 1, true), found.text)
end)

test("no difference, and nothing that runs", function()
  local found = minimize { exact = true, measure = function() return 7 end }
  test.equal(found.verdict, "no_effect")
  test.truthy(found.text:find "^No difference between none and all%.\n2 runs, ", found.text)
  local why = test.raises("", function()
    minimize { measure = function(_, trial) return trial:run { shell = "echo broken; exit 3" }.wall_s end }
  end, "failed_trial")
  test.truthy(why.message:find("cannot test none: exit code 3", 1, true), why.message)
end)

test("the budget ends it, with the likeliest", function()
  local found = minimize { exact = true, budget = 4, measure = function(subset)
    return set_of(subset)["--flag7"] and 110 or 100
  end }
  test.equal({ found.verdict, found.why, found.runs }, { "inconclusive", "the budget is spent", 4 })
end)

test("the minimization itself", function()
  local engine = reg.minimize { items = ITEMS, exact = true }
  local subset, reason = engine:ask()
  test.equal({ subset, reason }, { {}, "none" })
  while subset do
    local level = 5
    for _, item in ipairs(subset) do
      if item == 4 then level = 6 end
    end
    engine:tell(subset, level)
    subset = engine:ask()
  end
  local answer = engine:answer()
  test.equal({ answer.verdict, answer.culprits[1].items }, { "found", { 4 } })
  test.near(answer.culprits[1].effect.value, 0.2, 1e-9)
  engine = reg.minimize { items = { "a", "b" } }
  engine:fail({}, "crashed")
  test.equal(engine:answer().verdict, "inconclusive")
  test.raises("not a valid item: 3", function() engine:tell({ 3 }, 1) end, "usage")
  test.raises("the failure must be broken or crashed", function() engine:fail({}, "odd") end, "usage")
end)

test("mistakes are said before anything runs", function()
  test.raises("needs `items`", function() reg.minimize { measure = print } end, "usage")
  test.raises("an item is listed twice: 'a'", function() reg.minimize { items = { "a", "a" } } end, "usage")
  test.raises("an item must be a string", function() reg.minimize { items = { 1 } } end, "usage")
  test.raises("budget must be an integer", function() reg.minimize { items = { "a" }, budget = 1 } end, "usage")
end)

return test.finish()
