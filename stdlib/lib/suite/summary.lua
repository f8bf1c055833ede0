-- The result of a suite run as a table, one row for each experiment.

local null = reg.json.null
local median = require "lib/median"

-- Half the interquartile range relative to the median: run-to-run noise that outliers do not change.
local function spread(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local quarter = (#sorted + 3) // 4
  return (sorted[#sorted + 1 - quarter] - sorted[quarter]) / 2 / median(values)
end

-- The values and the name of the metric that is shown: total_time, or the first by name.
local function shown_metric(metrics)
  if metrics.total_time then return metrics.total_time, "total_time" end
  local name = next(metrics)
  for other in pairs(metrics) do name = other < name and other or name end
  return metrics[name], name
end

local function row(experiment)
  local found = experiment.record
  local result = { experiment = experiment.id, status = found.status or "ok" }
  if type(found.metrics.error) == "string" then
    result.why = (found.reason or found.metrics.error):gsub("^" .. result.status .. ": ", ""):match "[^\n]*"
    return result
  end
  local values, name = shown_metric(found.metrics)
  result.metric, result.median, result.repeats = name, median(values), #values
  if #values > 1 then result.spread = string.format("%.1f %%", 100 * spread(values)) end
  local code = found.verification_code
  if code ~= "VERIFIER_SKIPPED" and code ~= null then
    result.verification, result.why = code, found.verification_message
  end
  return result
end

local ORDER = { "experiment", "metric", "median", "spread", "repeats", "status", "verification", "why" }

-- "4 new, 2 reused, 1 failed", without those that are zero.
local function counted(counts)
  local words = {}
  for _, name in ipairs { "new", "reused", "failed", "skipped" } do
    if counts[name] > 0 then words[#words + 1] = counts[name] .. " " .. name end
  end
  return #words > 0 and table.concat(words, ", ") or "no experiments match"
end

--- { rows =, columns = (those that hold anything), failed = and unverified = (numbers of experiments), summary = (a
--- line) }.
return function(experiments)
  local rows, columns, unverified = {}, {}, 0
  local counts = { new = 0, reused = 0, failed = 0, skipped = 0 }
  for i, experiment in ipairs(experiments) do
    rows[i] = row(experiment)
    local status = rows[i].status
    local ok = experiment.reused and "reused" or "new"
    local kind = status == "ok" and ok or status == "skipped" and "skipped" or "failed"
    counts[kind] = counts[kind] + 1
    if rows[i].verification and rows[i].verification ~= "PASS" then unverified = unverified + 1 end
  end
  for _, name in ipairs(ORDER) do
    local any = false
    for _, one in ipairs(rows) do any = any or one[name] ~= nil end
    if any then columns[#columns + 1] = name end
  end
  return { rows = rows, columns = columns, failed = counts.failed, unverified = unverified,
    summary = counted(counts) .. (unverified > 0 and "; " .. unverified .. " failed verification" or "") }
end
