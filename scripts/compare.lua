#!/usr/bin/env regengine
--- Compares results of benchmark suites: which workloads became slower or faster from OLD to NEW, and how sure that is.
--- OLD and NEW are results.jsonl files in the format of pytorch/xla's benchmarks, or folders of them. Runs of one model in one
--- configuration are one row; each run is a process, of which there should be five a side or more.

local opt = reg.options {
  results            = { reg.several, "OLD and NEW, a file or a folder each", words = true },
  metric             = { "total_time", "the metric that is compared" },
  better             = { "lower", "lower, as of seconds, or higher", choices = { "lower", "higher" } },
  warmup             = { 3, "first values of each run that do not count" },
  min_effect         = { 0.01, "the smallest effect that matters: 0.01 is one percent" },
  confidence         = { 0.99, "of each row's interval: at 0.99 one row of a hundred may be wrong" },
  ignore             = { reg.several, "field in which the runs of one row may differ, as accelerator_model" },
  csv                = { reg.optional, "file for the table, with all digits" },
  fail_on_regression = { false, "exit with 4 where anything is slower" },
}
if #opt.results ~= 2 then
  error({ kind = "usage", message = "compare.lua: takes OLD and NEW, and was given " .. #opt.results, hint = "two files or folders" }, 0)
end

local function read(path)
  local found = reg.results.processes { files = reg.results.files(path), metric = opt.metric, warmup = math.tointeger(opt.warmup) or
    opt.warmup, ignore = opt.ignore }
  for _, note in ipairs(found.notes) do reg.log.warn("%s:%d %s", note.file, note.line, note.message) end
  local by_key = {}
  for _, group in ipairs(found.groups) do by_key[group.key] = group end
  return found.groups, by_key
end
local old_groups, old = read(opt.results[1])
local new_groups, new = read(opt.results[2])

-- A table's room is for the fields in which rows differ; files have all of them.
local first, differs = {}, {}
for _, groups in ipairs { old_groups, new_groups } do
  for _, group in ipairs(groups) do
    for _, field in ipairs(group.fields) do
      first[field.name] = first[field.name] or field.value
      if first[field.name] ~= field.value then differs[field.name] = true end
    end
  end
end
local function words(group, wanted)
  local list = {}
  for _, field in ipairs(group.fields) do
    if wanted(field.name) and field.name ~= "model_name" then list[#list + 1] = field.name .. "=" .. field.value end
  end
  return table.concat(list, " ")
end
local short = {}  -- by the whole configuration
local function configuration(group)
  local whole = words(group, function() return true end)
  short[whole] = words(group, function(name) return differs[name] end)
  return whole
end

local function one_sided(group, other, side)
  local why = not other and "not there" or "no samples; the last run " .. other.failed[#other.failed]
  return { model = group.model, configuration = configuration(group), missing = side, why = why }
end

local ORDER = { slower = 1, ambiguous = 2, same = 3, faster = 4 }
local function finite(x) return math.abs(x) < math.huge and x or nil end

local rows, missing, count = {}, {}, { slower = 0, ambiguous = 0, same = 0, faster = 0 }
for _, group in ipairs(old_groups) do
  local other = new[group.key]
  if #group.processes > 0 and other and #other.processes > 0 then
    local c = reg.compare(group.processes, other.processes,
      { min_effect = opt.min_effect, confidence = opt.confidence, better = opt.better })
    count[c.verdict] = count[c.verdict] + 1
    rows[#rows + 1] = { model = group.model, configuration = configuration(group), old = c.a, new = c.b, effect = c.effect,
      low = c.low > -1 and c.low or nil, high = finite(c.high), verdict = c.verdict, old_runs = c.n_a, new_runs = c.n_b }
  elseif #group.processes > 0 then
    missing[#missing + 1] = one_sided(group, other, "new")
  end
end
for _, group in ipairs(new_groups) do
  local other = old[group.key]
  if #group.processes > 0 and not (other and #other.processes > 0) then missing[#missing + 1] = one_sided(group, other, "old") end
end
local sign = opt.better == "lower" and 1 or -1
table.sort(rows, function(a, b)
  if a.verdict ~= b.verdict then return ORDER[a.verdict] < ORDER[b.verdict] end
  if a.effect ~= b.effect then return sign * a.effect > sign * b.effect end
  if a.model ~= b.model then return a.model < b.model end
  return a.configuration < b.configuration
end)

local function percent(x) return x and string.format("%+.1f", 100 * x) or "?" end
local printed = {}
for i, row in ipairs(rows) do
  printed[i] = { row.verdict, row.model, short[row.configuration], string.format("%.5g", row.old), string.format("%.5g", row.new),
    percent(row.effect) .. " %", percent(row.low) .. " to " .. percent(row.high), row.old_runs .. ", " .. row.new_runs }
end
local COLUMNS = { "verdict", "model", "configuration", "old", "new", "effect", "interval", "runs" }
if #rows > 0 then print(reg.report.table(printed, { columns = COLUMNS })) end
for _, row in ipairs(missing) do
  print(string.format("only in %s: %s %s (%s in %s)", row.missing == "new" and "OLD" or "NEW", row.model,
    short[row.configuration], row.why, row.missing:upper()))
end
print(string.format("%d compared: %d slower, %d ambiguous, %d same, %d faster; %d on one side only", #rows, count.slower,
  count.ambiguous, count.same, count.faster, #missing))
if opt.csv then reg.report.csv(rows, opt.csv) end
if opt.json then
  print(reg.json.encode { compared = reg.json.array(rows), one_sided = reg.json.array(missing), slower = count.slower,
    ambiguous = count.ambiguous, same = count.same, faster = count.faster })
end
if opt.fail_on_regression and count.slower > 0 then return 4 end
return #rows > 0 and 0 or 1
