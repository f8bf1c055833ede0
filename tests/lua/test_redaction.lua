-- How many secrets reg.masked finds, and how many harmless lines it leaves as they are. With SEED in the environment it
-- draws others.

local test = require "harness"
local harmless = require "harmless_samples"
local samples = require "secret_samples"
local unseen = require "unseen_samples"

local seed = tonumber(reg.process.run({ shell = "echo $SEED" }).stdout) or 1

-- At most 2 % of the secrets are left, in each text alone and in a log.
local function check(list)
  local leaks = {}
  for _, sample in ipairs(list) do
    for _, text in ipairs { sample.text, samples.in_log(sample) } do
      local leaked = samples.leaks((reg.masked(text)), sample.secrets)
      if leaked then leaks[#leaks + 1] = sample.kind .. ", " .. sample.context .. ": " .. text end
    end
  end
  print(string.format("seed %d: %d of %d secrets leak", seed, #leaks, 2 * #list))
  test.truthy(#leaks <= 0.02 * 2 * #list, table.concat(leaks, "\n", 1, math.min(#leaks, 20)))
end

test("98 % of the secrets are redacted", function()
  local list, kinds = samples.make(seed, 600)
  test.truthy(kinds >= 60, kinds .. " kinds")
  check(list)
end)

test("98 % of the secrets in other places are redacted", function()
  local list, kinds = unseen.make(seed, 600)
  test.truthy(kinds >= 100, kinds .. " kinds")
  check(list)
end)

test("the check itself: a text that was not redacted has its secrets", function()
  for _, sample in ipairs(samples.make(seed, 100)) do
    test.truthy(samples.leaks(samples.in_log(sample), sample.secrets) or sample.context == "cut", sample.text)
  end
end)

test("98 % of the harmless lines stay as they are", function()
  local lines, kinds = harmless(seed, 1000)
  test.truthy(kinds >= 40, kinds .. " kinds")
  local changed = {}
  for _, line in ipairs(lines) do
    local masked = reg.masked(line)
    if masked ~= line then changed[#changed + 1] = line .. "\n  -> " .. masked end
  end
  print(string.format("seed %d: %d of %d harmless lines change", seed, #changed, #lines))
  test.truthy(#changed <= 0.02 * #lines, table.concat(changed, "\n", 1, math.min(#changed, 20)))
end)

return test.finish()
