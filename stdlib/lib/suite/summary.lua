-- What a run of a suite came to, as a row for each experiment.

local null = reg.json.null
local median = require("lib/sweep/trial").median

-- Half the distance between the quartiles, relative to the median: what a repeat differs by, outliers or not.
local function spread(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local quarter = (#sorted + 3) // 4
  return (sorted[#sorted + 1 - quarter] - sorted[quarter]) / 2 / median(values)
end

-- The metric that speaks for an experiment, and its name.
local function leading(metrics)
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
  local values, name = leading(found.metrics)
  result.metric, result.median, result.repeats = name, median(values), #values
  if #values > 1 then result.spread = string.format("%.1f %%", 100 * spread(values)) end
  local code = found.verification_code
  if code ~= "VERIFIER_SKIPPED" and code ~= null then result.verification, result.why = code, found.verification_message end
  return result
end

local ORDER = { "experiment", "metric", "median", "spread", "repeats", "status", "verification", "why" }

-- "4 new, 2 known, 1 failed": nothing of what there is none of.
local function counted(counts)
  local words = {}
  for _, name in ipairs { "new", "known", "failed", "skipped" } do
    if counts[name] > 0 then words[#words + 1] = counts[name] .. " " .. name end
  end
  return #words > 0 and table.concat(words, ", ") or "no experiment is chosen"
end

--- rows, the columns that hold anything, how many experiments failed and how many did not pass the verification, and a line that
--- counts them.
return function(experiments)
  local rows, columns, counts, unverified = {}, {}, { new = 0, known = 0, failed = 0, skipped = 0 }, 0
  for i, experiment in ipairs(experiments) do
    rows[i] = row(experiment)
    local status = rows[i].status
    local kind = status == "skipped" and "skipped" or status ~= "ok" and "failed" or experiment.was_known and "known" or "new"
    counts[kind] = counts[kind] + 1
    if rows[i].verification and rows[i].verification ~= "PASS" then unverified = unverified + 1 end
  end
  for _, name in ipairs(ORDER) do
    local any = false
    for _, one in ipairs(rows) do any = any or one[name] ~= nil end
    if any then columns[#columns + 1] = name end
  end
  return { rows = rows, columns = columns, failed = counts.failed, unverified = unverified,
    summary = counted(counts) .. (unverified > 0 and "; " .. unverified .. " did not pass the verification" or "") }
end
