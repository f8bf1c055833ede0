-- Why JAX traces functions again, in its own words: a part of the level jit, in runs whose times count for nothing,
-- since JAX explains at length.

local collect = require "lib/jit/collect"
local missed = require "lib/jit/missed"

local level = { name = "misses", pass = "dump", part_of = "jit" }

function level.applies(runs)
  for _, run in ipairs(runs) do
    if run.jit and #run.jit.functions > 0 then return true end
  end
  return false
end

function level.around(call, execute, folder) return collect.of_trial(call, folder, execute, true) end

function level.read(run) return run.jit end

--- Adds the reason to findings of functions that B traces more often.
function level.add(findings, after)
  for _, finding in ipairs(findings) do
    for _, fun in ipairs(finding.again and finding.kind == "traced" and after[1].functions or {}) do
      local why = fun.name == finding.name and missed(after[1].misses, fun)
      if why then
        finding.what, finding.reason = finding.what .. ": " .. why, why
        break
      end
    end
  end
end

return level
