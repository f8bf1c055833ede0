-- reg.results.speedups: what pytorch/xla's benchmarks/aggregate.py works out of its records, to the digit, for any
-- workload and any backends: how many times as fast as a baseline each ran, at each time.

---@class results.Backend
---@field name string
---@field title? string its name in reports; default: the name
---@field where? table<string, any> values that a record's experiment must have; reg.json.null for null

---@class results.SpeedupOptions: results.Source
---@field backends results.Backend[] the first is the baseline; a record belongs to the first that matches
---@field where? table<string, any> values of the experiment; other records are omitted
---@field accelerator? string regular expression that must match in accelerator_model
---@field filter? string regular expression that must match in the model name
---@field exclude? string regular expression that must not match in it
---@field metric? string default "total_time"
---@field select? "exec"|"compile" exec (default): mean without the first three; compile: the first minus that mean
---@field axes? boolean a model is one for each value of a suite's own axes but those of the backends: "gzip threads=4"
---@field baseline? "oldest"|"latest" oldest (default): each model's first result; latest: the last moment

---@class results.Speedup
---@field model string
---@field value number speedup over the baseline
---@field deviation number

---@class results.Summary
---@field value number geometric mean of the models' speedups
---@field deviation number
---@field p5 number percentiles over the models
---@field p50 number
---@field p95 number
---@field speedups results.Speedup[] by model, the geometric mean over its batch sizes

---@class results.Moment
---@field timestamp number seconds since 1970
---@field backends table<string, results.Summary> by name, without those that have no speedup at that time

---@class results.Speedups
---@field backends results.Backend[] the baseline first
---@field baseline "oldest"|"latest"
---@field moments results.Moment[] in order of time
---@field records integer records read, also those that do not match
---@field notes results.Note[] invalid lines, and those without a time

local processes = require "lib/results/processes"
local values_of = require "lib/values"
local null = reg.json.null
local map, merged, sorted_names, sum = values_of.map, values_of.merged, values_of.sorted_names, values_of.sum

local WARM_UP = 3  -- values: the first compiles, the other two fill caches

local function usage(message, hint) core.fail("usage", "results.speedups: " .. message, hint) end

-- A value as text, so that 9 and "9" are the same; false for null.
local function text_of(value)
  if type(value) == "string" then return value end
  if value == nil or value == null then return false end
  return math.type(value) == "float" and reg.json.encode(value) or tostring(value)
end

-- The values that an experiment must have, as text by name.
local function wanted(values, what)
  if values ~= nil and type(values) ~= "table" then usage(what .. " must be a table of values") end
  local texts = {}
  for name, value in pairs(values or {}) do
    if type(value) == "table" then
      usage(string.format("%s: the value of '%s' is a table", what, name),
        "Use strings, numbers, true, false or reg.json.null.")
    end
    texts[name] = text_of(value)
  end
  return texts
end

local function fits(experiment, texts)
  for name, text in pairs(texts) do
    if text_of(experiment[name]) ~= text then return false end
  end
  return true
end

-- f(text): whether the expression matches in it; nil without one.
local function matcher(o, name)
  local expression, known = o[name] or "", {}
  if type(expression) ~= "string" then usage(name .. " must be a regular expression") end
  if expression == "" then return nil end
  return function(text)
    if known[text] == nil then known[text] = core.regex_found(expression, text) end
    return known[text]
  end
end

local function query_of(o)
  if type(o.backends) ~= "table" or #o.backends == 0 then
    usage "needs 'backends', a list of { name =, where = { ... } }"
  end
  local query = { where = wanted(o.where, "where"), axes = o.axes,
    compile = values_of.choice("results.speedups", "select", o.select, { "exec", "compile" }) == "compile",
    baseline = values_of.choice("results.speedups", "baseline", o.baseline, { "oldest", "latest" }),
    accelerator = matcher(o, "accelerator"), filter = matcher(o, "filter"), exclude = matcher(o, "exclude") }
  query.backends = map(o.backends, function(backend)
    if type(backend) ~= "table" or type(backend.name) ~= "string" then usage "a backend needs a name" end
    local where = wanted(backend.where, "a backend's where")
    query.own = merged(query.own, where)
    return { name = backend.name, title = backend.title or backend.name, where = where }
  end)
  return query
end

-- The mean and deviation of the time that a run took; nil if too few numbers are left, or no ratio can be made of it.
local function time_of(run, compile)
  local values = run.metrics[1] and run.metrics[1].values or {}
  local times = table.move(values, (compile and 1 or WARM_UP) + 1, #values, 1, {})
  if #times == 0 then return nil end
  local mean = sum(times) / #times
  if compile then return mean < values[1] and { value = values[1] - mean, deviation = 0.0 } or nil end
  local squares = sum(times, function(time) return (time - mean) ^ 2 end)
  return mean > 0 and { value = mean, deviation = #times > 1 and math.sqrt(squares / (#times - 1)) or 0.0 } or nil
end

-- The backend of a run, and what its model is called; nil if the query does not ask for it.
local function place_of(query, run)
  local e, model = run.experiment, text_of(run.model.model_name)
  if not model or query.filter and not query.filter(model) or query.exclude and query.exclude(model) then return nil end
  if query.accelerator and not query.accelerator(text_of(e.accelerator_model) or "") then return nil end
  if not fits(e, query.where) then return nil end
  for _, backend in ipairs(query.backends) do
    if fits(e, backend.where) then
      for _, name in ipairs(query.axes and processes.axes(e) or {}) do
        if query.own[name] == nil then model = model .. " " .. name .. "=" .. (text_of(e[name]) or "null") end
      end
      return backend.name, model
    end
  end
end

local function at(t, key)
  t[key] = t[key] or {}
  return t[key]
end

local function ratio(time, base)
  local value = base.value / time.value
  return { value = value, deviation = value * math.sqrt((time.deviation / time.value) ^ 2
    + (base.deviation / base.value) ^ 2) }
end

local function geometric_mean(all)
  local value = math.exp(sum(all, function(one) return math.log(one.value) end) / #all)
  local squares = sum(all, function(one) return (one.deviation / one.value) ^ 2 end)
  return { value = value, deviation = value / #all * math.sqrt(squares) }
end

-- By linear interpolation between the two nearest, as numpy does.
local function percentile(sorted, percent)
  local place = percent / 100 * (#sorted - 1)
  local below = math.floor(place)
  local share, low, high = place - below, sorted[below + 1], sorted[math.min(below + 2, #sorted)]
  return share < 0.5 and low + (high - low) * share or high - (high - low) * (1 - share)
end

-- What a backend's times, by model and batch size, are over the baseline's; nil without a model that has both.
local function summary_of(times, base)
  local speedups = map(sorted_names(times), function(model)
    local first = base[model] or {}
    local ratios = map(sorted_names(first), function(batch)
      return times[model][batch] and ratio(times[model][batch], first[batch])
    end)
    return #ratios > 0 and merged(geometric_mean(ratios), { model = model }) or nil
  end)
  if #speedups == 0 then return nil end
  local values = values_of.sorted(map(speedups, function(one) return one.value end))
  return merged(geometric_mean(speedups), { speedups = speedups, p5 = percentile(values, 5),
    p50 = percentile(values, 50), p95 = percentile(values, 95) })
end

-- The times of the baseline: the first of each model and batch size, or those of the last moment.
local function baseline_of(query, moments)
  local name, base = query.backends[1].name, {}
  local of_latest = query.baseline == "latest"
  for i = of_latest and math.max(#moments, 1) or 1, #moments do
    for model, times in pairs(moments[i].backends[name] or {}) do
      local first = at(base, model)
      for batch, time in pairs(times) do first[batch] = first[batch] or time end
    end
  end
  if of_latest and #moments > 0 and not next(base) then
    core.fail("not_found", "the latest results hold none of the baseline, " .. name,
      "Take the oldest as the baseline, or another backend.")
  end
  return base
end

--- Of several runs of the same time, backend, model and batch size the last one counts.
return function(o)
  core.check_keys("results.speedups", o, { "files", "store", "backends", "where", "accelerator", "filter", "exclude",
    "metric", "select", "baseline", "axes" })
  local query, by_time = query_of(o), {}
  local each, notes = processes.runs(o, o.metric or "total_time")
  local field, experiment, known = o.axes and next(query.backends[1].where), {}, false
  local found = { records = 0, moments = {}, notes = notes, backends = query.backends, baseline = query.baseline }
  for run, note in each do
    local seconds = tonumber(run.timestamp)
    if not seconds or seconds - seconds ~= 0 then
      note "not a valid result: it has no timestamp"
    else
      found.records, experiment = found.records + 1, run.experiment
      known = known or experiment[field] ~= nil
      local backend, model = place_of(query, run)
      local time = backend and time_of(run, query.compile)
      if time then
        at(at(at(by_time, seconds), backend), model)[text_of(run.experiment.batch_size) or ""] = time
      end
    end
  end
  if field and found.records > 0 and not known and next(by_time) == nil then
    local names = sorted_names(experiment)
    core.fail("usage", "no result has the field '" .. field .. "'" .. core.did_you_mean(field, names),
      "Valid fields: " .. table.concat(names, ", ") .. ".")
  end
  for time, backends in pairs(by_time) do table.insert(found.moments, { timestamp = time, backends = backends }) end
  table.sort(found.moments, function(a, b) return a.timestamp < b.timestamp end)
  local base = baseline_of(query, found.moments)
  for _, moment in ipairs(found.moments) do
    for backend, times in pairs(moment.backends) do moment.backends[backend] = summary_of(times, base) end
  end
  return found
end
