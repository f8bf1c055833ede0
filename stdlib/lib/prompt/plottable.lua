-- What .plot draws: a series, a list of numbers, or a list of records with one numeric field.

local LABELS = { "label", "date", "subject", "name", "id" }
local IDENTITIES = { id = true, investigation = true, time = true, started = true, ended = true, trial = true }

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

-- The numeric fields, except those that identify a record; only `value` if there is one.
local function number_fields(records)
  local seen = {}
  for _, record in ipairs(records) do
    for name, value in pairs(record) do
      if type(value) == "number" and not IDENTITIES[name] then seen[name] = true end
    end
  end
  if seen.value then return { "value" } end
  local names = {}
  for name in pairs(seen) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function samples_of(trial)
  local metric = next(trial.samples or {})
  return metric and trial.samples[metric][1]
end

local function label_of(record, number)
  for _, name in ipairs(LABELS) do
    if record[name] ~= nil then return tostring(record[name]) end
  end
  return tostring(number)
end

local function plot_records(records, text)
  local plot = { values = {}, labels = {}, failed = {} }
  local names = records[1].samples and {} or number_fields(records)
  if not records[1].samples and #names ~= 1 then
    local why = #names == 0 and "no number" or "several numbers: " .. table.concat(names, ", ")
    misuse(".plot: the records of " .. text .. " have " .. why, "Plot a list of numbers, such as { 1, 2, 3 }.")
  end
  for i, record in ipairs(records) do
    local number = records[1].samples and samples_of(record) or record[names[1]]
    plot.values[i], plot.labels[i] = number or false, label_of(record, i)
    if not number then table.insert(plot.failed, i) end
  end
  return plot
end

--- The argument of reg.report.plot for a value, and the expression that draws the same in a script, if there is one.
--- `text`: the expression of the value.
return function(value, text)
  local hint = "Pass a list of numbers, a series or a list of trials."
  if type(value) ~= "table" then misuse(".plot: " .. text .. " is a " .. type(value), hint) end
  if value.points or value.values or value.series then return value, "reg.report.plot(" .. text .. ")" end
  if type(value[1]) == "number" then return { values = value }, "reg.report.plot { values = " .. text .. " }" end
  if type(value[1]) == "table" then return plot_records(value, text) end
  misuse(".plot: no numbers in " .. text, hint)
end
