-- reg.results.processes: the samples of result files as reg.compare wants them: a list a process, under workload and configuration.

local known = require "internal/known"
local null = reg.json.null

-- Of the experiment, but no part of what was run.
local NO_PART = { outputs_file = true }

local function add_fields(fields, from, left_out)
  local names = {}
  for name in pairs(from) do
    if not left_out[name] and not NO_PART[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do fields[#fields + 1] = { name = name, value = from[name] == null and "null" or tostring(from[name]) } end
end

local function key_of(fields)
  local parts = {}
  for i, field in ipairs(fields) do parts[i] = field.name .. "=" .. field.value end
  return table.concat(parts, "\n")
end

-- A process's samples without the first ones, or why there are none.
local function samples_of(run, o)
  if run.error ~= nil then return nil, "failed: " .. tostring(run.error):match "[^\n]*" end
  for _, metric in ipairs(run.metrics) do
    if metric.name == o.metric then
      local samples = {}
      for i = o.warmup + 1, #metric.values do
        local value = metric.values[i]
        if not (value > 0 and value < math.huge) then return nil, o.metric .. " holds what is no number above 0" end
        samples[#samples + 1] = value
      end
      if #samples > 0 then return samples end
      return nil, string.format("%s has %d values, and the first %d are warm-up", o.metric, #metric.values, o.warmup)
    end
  end
  return nil, "has no " .. o.metric
end

local function usage(message, hint) core.fail("usage", "results.processes: " .. message, hint) end

return function(runs, o)
  known("results.processes", o, { "files", "store", "metric", "warmup", "ignore" })
  local warmup = o.warmup or 3
  if math.type(warmup) ~= "integer" or warmup < 0 then usage "warmup must be a whole number, 0 or more" end
  local left_out, groups, by_key, notes = {}, {}, {}, {}
  for _, name in ipairs(o.ignore or {}) do left_out[name] = true end
  for run in runs { files = o.files, store = o.store } do
    local function note(words) notes[#notes + 1] = { file = run.file, line = run.line, message = words } end
    if run.bad then
      note("is no result: " .. (run.truncated and "its writer was stopped in it" or run.message))
    else
      local fields = {}
      add_fields(fields, run.model, left_out)
      add_fields(fields, run.experiment, left_out)
      local key = key_of(fields)
      local group = by_key[key]
      if not group then
        group = { key = key, model = tostring(run.model.model_name or "?"), fields = fields, processes = {}, failed = {} }
        by_key[key], groups[#groups + 1] = group, group
      end
      local samples, why = samples_of(run, { metric = o.metric or "total_time", warmup = warmup })
      if samples then
        table.insert(group.processes, samples)
      else
        table.insert(group.failed, why)
        note(why)
      end
    end
  end
  return { groups = groups, notes = notes }
end
