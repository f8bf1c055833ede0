-- What .plot draws: a series as it is, a list of numbers, or a list of records by the one number each has.

local LABELS = { "label", "date", "subject", "name", "id" }
local NO_VALUES = { id = true, investigation = true, time = true, started = true, ended = true, trial = true }

local function misuse(message, hint) error({ kind = "usage", message = message, hint = hint }, 0) end

-- The fields that are numbers, save those that say which and when; `value` alone where there is one.
local function number_fields(records)
  local seen = {}
  for _, record in ipairs(records) do
    for name, value in pairs(record) do
      if type(value) == "number" and not NO_VALUES[name] then seen[name] = true end
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

local function of_records(records, words)
  local drawn = { values = {}, labels = {}, failed = {} }
  local names = records[1].samples and {} or number_fields(records)
  if not records[1].samples and #names ~= 1 then
    local why = #names == 0 and "no number" or "several numbers: " .. table.concat(names, ", ")
    misuse(".plot: the records of " .. words .. " hold " .. why, "a list of numbers can be drawn: { 1, 2, 3 }")
  end
  for i, record in ipairs(records) do
    local number = records[1].samples and samples_of(record) or record[names[1]]
    drawn.values[i], drawn.labels[i] = number or false, label_of(record, i)
    if not number then table.insert(drawn.failed, i) end
  end
  return drawn
end

--- What reg.report.plot takes, and the expression that draws the same in a script where there is one.
return function(value, words)
  local drawable = "it draws lists of numbers, series and trials"
  if type(value) ~= "table" then misuse(".plot: " .. words .. " is a " .. type(value), drawable) end
  if value.points or value.values or value.series then return value, "reg.report.plot(" .. words .. ")" end
  if type(value[1]) == "number" then return { values = value }, "reg.report.plot { values = " .. words .. " }" end
  if type(value[1]) == "table" then return of_records(value, words) end
  misuse(".plot: " .. words .. " holds no numbers", drawable)
end
