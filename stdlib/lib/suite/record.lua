-- Results of experiments: lines of results.jsonl, in pytorch/xla's format with more fields, which its tools and
-- reg.results read; and the table of them that a run ends with.

local processes = require "lib/results/processes"
local read = require "lib/report/read"
local values_of = require "lib/values"
local null = reg.json.null

-- The fields that come first in a line.
local FIRST = { "model", "experiment", "repeat", "iterations_per_run", "metrics", "timestamp", "verification_code" }

local record = {}

--- What every experiment in that format has, if the suite has no such axis.
record.EXPERIMENT = {}
for _, name in ipairs(processes.XLA_FIELDS) do record.EXPERIMENT[name] = null end
record.EXPERIMENT.outputs_file = nil

--- The line of a record, without a newline.
function record.line(fields)
  local parts, rest = {}, values_of.merged(fields)
  for i, name in ipairs(FIRST) do
    parts[i], rest[name] = reg.json.encode(name) .. ":" .. reg.json.encode(fields[name]), nil
  end
  return "{" .. table.concat(parts, ",") .. "," .. reg.json.encode(rest):sub(2)
end

-- Cuts off a last line that is incomplete because its writer was stopped: it would make the next one unreadable.
local function without_partial_line(path, text)
  local whole = text:match "^(.*\n)" or ""
  if #whole == #text then return text end
  local ok = pcall(reg.json.decode, text:sub(#whole + 1))
  whole = ok and text .. "\n" or whole
  if not ok then reg.log.warn("%s: removed an incomplete last line; that experiment is recorded again", path) end
  reg.fs.write(path, whole)
  return whole
end

-- Why a line is not a record; nil for a record, also of another tool (without a key).
local function defect(found)
  if type(found) ~= "table" then return "not a JSON object" end
  local metrics = read.list(found.metrics)
  if found.key == nil or type(metrics.error) == "string" then return nil end
  for name, list in pairs(metrics) do
    if #read.list(list) == 0 or values_of.find(list, function(x) return type(x) ~= "number" end) then
      return name .. " is not a list of numbers"
    end
  end
  return next(metrics) == nil and "no metrics" or nil
end

--- { [key] = record } of the file, the last one of each key; empty without a file. Warns of other lines and keeps them.
function record.read(path)
  local records = {}
  if not reg.fs.exists(path) then return records end
  for number, line in ipairs(values_of.matches(without_partial_line(path, reg.fs.read(path)), "([^\n]*)\n")) do
    if line ~= "" then
      local ok, found = pcall(reg.json.decode, line)
      local why = defect(ok and found)
      if why then
        reg.log.warn("%s:%d: not a valid result: %s", path, number, why)
      elseif found.key then
        records[found.key] = found
      end
    end
  end
  return records
end

-- Half the interquartile range relative to the median: run-to-run noise that outliers do not change.
local function spread(values)
  local sorted = values_of.sorted(values)
  local quarter = (#sorted + 3) // 4
  return (sorted[#sorted + 1 - quarter] - sorted[quarter]) / 2 / values_of.median(values)
end

local function row(experiment)
  local found = experiment.record
  local result = { experiment = experiment.id, status = found.status or "ok" }
  if type(found.metrics.error) == "string" then
    result.why = (found.reason or found.metrics.error):gsub("^" .. result.status .. ": ", ""):match "[^\n]*"
    return result
  end
  local name = found.metrics.total_time and "total_time" or values_of.sorted_names(found.metrics)[1]
  local values = found.metrics[name]
  result.metric, result.median, result.repeats = name, values_of.median(values), #values
  if #values > 1 then result.spread = string.format("%.1f %%", 100 * spread(values)) end
  local code = found.verification_code
  if code ~= "VERIFIER_SKIPPED" and code ~= null then
    result.verification, result.why = code, found.verification_message
  end
  return result
end

local COLUMNS = { "experiment", "metric", "median", "spread", "repeats", "status", "verification", "why" }

-- "4 new, 2 reused, 1 failed", without those that are zero.
local function counted(counts)
  local words = values_of.map({ "new", "reused", "failed", "skipped" }, function(name)
    return counts[name] > 0 and counts[name] .. " " .. name or nil
  end)
  return #words > 0 and table.concat(words, ", ") or "no experiments match"
end

--- The table of a run's experiments, each with its `record`: { rows =, columns = (those that hold anything), failed =
--- and unverified = (numbers of experiments), summary = (a line) }.
function record.summary(experiments)
  local unverified, counts = 0, { new = 0, reused = 0, failed = 0, skipped = 0 }
  local rows = values_of.map(experiments, function(experiment)
    local one, ok = row(experiment), experiment.reused and "reused" or "new"
    local kind = one.status == "ok" and ok or one.status == "skipped" and "skipped" or "failed"
    counts[kind] = counts[kind] + 1
    if one.verification and one.verification ~= "PASS" then unverified = unverified + 1 end
    return one
  end)
  local columns = values_of.map(COLUMNS, function(name)
    return values_of.find(rows, function(one) return one[name] ~= nil end) and name
  end)
  return { rows = rows, columns = columns, failed = counts.failed, unverified = unverified,
    summary = counted(counts) .. (unverified > 0 and "; " .. unverified .. " failed verification" or "") }
end

return record
