-- What a search says of itself while it runs: about how many runs it takes, and the best answer so far.

local test = require "harness"

-- Sweeps over nights, whose values change at some of them: { how many, { first night = value, ... }, options }.
reg.fs.write("search.lua", [[
local n, levels, options = table.unpack(reg.json.decode(reg.fs.read "search.json"))
local seed = 1
local function noise()  -- of 0.4 %, unless the options say otherwise
  if options.exact then return 1 end
  seed = (seed * 1103515245 + 12345) % 2147483648
  return 1 + (options.config.noise or 0.004) * (seed / 2147483648 - 0.5)
end
local nights = {}
for i = 1, n do nights[i] = { id = "night " .. i, i = i } end
options.metric, options.kind, options.config = "v", "night", options.config or {}
function options.measure(night)
  local value
  for _, level in ipairs(levels) do value = night.i >= level[1] and level[2] or value end
  return value * noise()
end
reg.sweep(nights, options)
]])

-- The numbers of runs that it expected, and its answers so far. How often it says them depends on how long they take.
local function said(n, levels, options)
  options.into = test.fresh ".db"
  reg.fs.write("search.json", reg.json.encode { n, levels, options })
  local run = reg.process.run { shell = 'exec "$REGENGINE" search.lua' }
  test.equal(run.code, 0, run.stderr)
  local totals, answers = {}, {}
  for line in run.stderr:gmatch "[^\n]+" do
    totals[#totals + 1] = tonumber(line:match "^run %d+ of about (%d+):")
    answers[#answers + 1] = line:match "^so far: (.*)"
  end
  return totals, answers
end

-- The nights, the options, the numbers of runs at first and at last, and all that may be the answer so far.
local LARGEST <const> = "2 changes, the largest +25 % "
for name, case in pairs {
  ["of exact numbers it says by how much, and how many there are"] = { 64, { { 1, 100 }, { 21, 120 }, { 41, 150 } },
    { exact = true }, 8, 13, { "+50 % within 63 nights", LARGEST .. "within 32 nights", LARGEST .. "within 16 nights",
      LARGEST .. "within 8 nights", LARGEST .. "within 4 nights", LARGEST .. "within 2 nights",
      LARGEST .. "at night 41" } },
  ["two runs show that exact numbers are equal"] = { 64, { { 1, 100 } }, { exact = true }, 8, 8, {} },
  ["of numbers with noise it takes what the search says"] = { 64, { { 1, 100 }, { 7, 88 } }, {}, 16, 11,
    { "probably a change within 63 nights", "probably a change within 42 nights",
      "probably a change within 21 nights", "probably a change within 11 nights", "-12.0 % within 6 nights",
      "-12.0 % within 3 nights", "-12.0 % at night 7" } },
  ["without a change fewer are expected"] = { 64, { { 1, 100 } }, {}, 16, 10, { "no change yet" } },
  ["where everything is measured, so many are expected, with the good end once more"] = { 300, { { 1, 100 } },
    { every = true }, 301, 309, { "no change yet" } },
} do
  test(name, function()
    local totals, answers = said(case[1], case[2], case[3])
    test.equal({ totals[1], totals[#totals] }, { case[4], case[5] })
    -- Where the machine stopped for a moment, none is said for a while, and the search has ended.
    if #answers == 0 then answers = select(2, said(case[1], case[2], case[3])) end
    local possible = table.concat(case[6], "\n") .. "\n"
    for _, answer in ipairs(answers) do test.truthy(possible:find(answer .. "\n", 1, true), answer) end
    test.truthy(#answers > 0 or #case[6] == 0, "no answer so far")
  end)
end

test("no more runs are expected than the search makes by itself", function()
  local totals = said(30, { { 1, 100 }, { 5, 110 } }, { ends = true, min_effect = 0.01, config = { noise = 0.6 } })
  test.truthy(math.max(table.unpack(totals)) > 100, "it ended early")
  for _, total in ipairs(totals) do test.truthy(total <= 210, total .. " runs, of 200 and those of the good end") end
end)

return test.finish()
