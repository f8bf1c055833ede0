-- What all trials of a sweep, or of an A/B, have in common, as Queue.new and trial.measure take it.

local Places = require "lib/sweep/places"
local Suspicion = require "lib/sweep/suspicion"
local direction = require "lib/direction"
local leases = require "lib/sweep/leases"
local record = require "lib/provenance/record"

local function open_store(into)
  if type(into) == "string" then return reg.store.open(into) end
  return into or reg.store.open(core.options and core.options.store or "regengine.db")
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

-- What the script says that a measurement depends on, besides what its `measure` does: `config`, the metric with its
-- pattern, and the contents of `files`.
local function config_of(o)
  local config = {}
  for name, value in pairs(o.config or {}) do config[name] = value end
  for _, file in ipairs(o.files or {}) do config["file:" .. file:match("[^/]+$")] = core.file_hash(file) end
  config.metric = o.metric
  return config
end

--- `o`: the options of the sweep. `better`: which values are, "higher" or "lower"; nil if that is not known. Begins an
--- investigation, unless it goes on with one. Has `before`, the newest trial when the command began, and with --fresh
--- `passed_over`: that trial and older ones are not used, from now on. With o.afresh these are all that there are.
return function(o, better)
  local store, keep_going = open_store(o.into), o.keep_going
  if keep_going == nil then keep_going = core.options and core.options.keep_going end
  local investigation = o.investigation or store:begin(record.of(o.title, o.files, o.predict))
  local before = newest_before(store)
  return { store = store, before = before,
    passed_over = o.afresh and newest(store) or core.options and core.options.fresh and before or nil,
    investigation = investigation, kind = o.kind, config = config_of(o),
    metric = o.chosen or reg.metric.name(o.metric or "value"), direction = better,
    unit = direction.unit(o.metric or "value"), measure = o.measure, prepare = o.prepare, keep_going = keep_going,
    redo = o.redo or (core.options and core.options.redo) or {},
    gpus_per_trial = leases.per_trial(core.options or {}, o.parallel), artifacts = {},
    places = (o.parallel or 1) == 1 and Places.new() or nil,
    any_machine = core.options and core.options.reuse == "any-machine",
    suspicion = Suspicion.new(o.suspect) }
end
