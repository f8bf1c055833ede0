-- An investigation: what its trials have in common, how reg.ab, reg.minimize and reg.prove begin and end, stored runs.

---@class sweep.Stored
---@field runs integer
---@field from number when the first of these runs began
---@field upto number when the last one began

local LatestBuild = require("lib/sweep/commands").LatestBuild
local Suspicion = require("lib/sweep/queue").Suspicion
local direction = require "lib/direction"
local leases = require "lib/gpu/leases"
local record = require "lib/provenance/record"
local surroundings = require "lib/identity/surroundings"
local tracing = require "lib/tracing"
local values = require "lib/values"

local flat, map, merged = values.flat, values.map, values.merged

local investigation = {}

local function open_store(into)
  if type(into) == "string" then return reg.store.open(into) end
  return into or reg.store.open(core.options and core.options.store or core.default_store())
end

local function newest(store) return store:query("SELECT max(id) AS id FROM trials")[1].id or 0 end

-- The newest trial when the command began, by its options and the path of the store.
local known = setmetatable({}, { __mode = "k" })

local function newest_before(store)
  local options = core.options or {}
  known[options] = known[options] or {}
  known[options][store.path] = known[options][store.path] or newest(store)
  return known[options][store.path]
end

-- What the script says that a measurement depends on: `config`, the metric's pattern, and the contents of `files`.
local function config_of(o)
  local config = merged(o.config)
  for _, file in ipairs(o.files or {}) do config["file:" .. file:match("[^/]+$")] = core.file_hash(file) end
  config.metric = o.metric
  return config
end

--- What all trials of a sweep, or of an A/B, have in common. `o`: the options of the sweep; `better`: "higher", "lower"
--- or nil. Begins an investigation, unless it goes on with one. Has `began`, when that was, in seconds of core.seconds;
--- `before`, the newest trial when the command began; and with --fresh `passed_over`: that trial and older ones are not
--- used; with o.afresh these are all that there are.
function investigation.run(o, better)
  local began, store, options, keep_going = core.seconds(), open_store(o.into), core.options or {}, o.keep_going
  if keep_going == nil then keep_going = options.keep_going end
  local before = newest_before(store)
  return { began = began, store = store, before = before,
    passed_over = o.afresh and newest(store) or options.fresh and before or nil,
    investigation = store:begin(record.of(o.title, o.files, o.predict)), kind = o.kind, config = config_of(o),
    metric = reg.metric.name(o.metric or "value"), direction = better, unit = direction.unit(o.metric or "value"),
    measure = o.measure, prepare = o.prepare, keep_going = keep_going,
    redo = o.redo or options.redo or {}, gpus_per_trial = leases.per_trial(options, o.parallel), artifacts = {},
    latest_build = (o.parallel or 1) == 1 and LatestBuild.new() or nil,
    slots = core.cluster and o.build and (o.parallel or 1) > 1 and core.cluster:slots(o.parallel) or nil,
    any_machine = options.reuse == "any-machine", suspicion = Suspicion.new(o.suspect) }
end

--- What is given to the function `who`, over its defaults. Raises usage for what is not among `keys`, for a budget less
--- than `least`, and where an option needs the direction of a metric that does not say it.
function investigation.options(who, given, keys, least, defaults)
  core.check_keys(who, given, keys)
  local o = merged({ title = who }, defaults, given)
  values.check_count(who, o, "budget", least)
  o.better = direction.given(o.better, o.metric or "value", who)
  if o.metric and not o.better and core.options and core.options.fail_on_regression then
    core.fail("usage", direction.unknown(o.metric))
  end
  return o
end

--- Hashes of the files that the commands name, below `folder`.
function investigation.contents(commands, folder)
  local paths = flat(commands, function(command) return surroundings.named_files(command, folder or ".") end)
  return reg.json.array(map(paths, function(path) return core.path_hash(path) end))
end

--- Begins an investigation, and runs `of(run)` to its end: an object with go(progress), knows(), which is whether there
--- is something to say, and answer(). The store gets the answer. Ctrl-C and a failure print what is known so far.
function investigation.conduct(o, text_of, shown, of)
  local _ <close> = tracing.phase("investigation", o.title)
  local run, finished = investigation.run(o, o.better), nil
  local work = of(run)
  local function answer()
    local found = work:answer()
    found.investigation, found.seconds = run.investigation, core.seconds() - run.began
    found.text = text_of(found)
    return found
  end
  local _ <close> = setmetatable({}, { __close = function()
    if not finished and work:knows() then print("So far: " .. answer().text) end
  end })
  do
    shown.title = o.title
    local progress <close> = reg.progress(shown)
    work:go(progress)
  end
  finished = answer()
  run.store:finish_investigation(run.investigation, finished)
  return finished
end

--- Stored runs that an answer rests on, { runs = how many, from =, upto = when they were made } or nil: two as one.
function investigation.stored_together(a, b)
  if not a or not b then return a or b end
  return { runs = a.runs + b.runs, from = math.min(a.from, b.from), upto = math.max(a.upto, b.upto) }
end

--- The same with one more trial, unless the command that runs made it itself. `run`: of investigation.run.
function investigation.add_stored(found, run, trial)
  if trial.id > run.before then return found end
  return investigation.stored_together(found, { runs = 1, from = trial.started, upto = trial.started })
end

return investigation
