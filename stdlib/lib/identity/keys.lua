-- The keys of a sweep's trials: of everything that reaches the measured program. What only steers the search is not in
-- them, so that a wider range or a larger budget uses every trial again.

local leases = require "lib/gpu/leases"
local rehearse = require "lib/identity/rehearsal"
local surroundings = require "lib/identity/surroundings"
local values = require "lib/values"

local caught, flat, map = values.caught, values.flat, values.map

-- Kinds of errors of an image that cannot be had: a subject that is skipped.
local GONE = "not_found unavailable failed_trial permission"

-- One image may be known by several digests, of its index and of its manifest. The first is the one to store; a stored
-- trial with any of them is of this image.
local digests = {}  -- by image, for the whole run

-- Those of the image that this machine has; nil if it has none.
local function digests_here(effect)
  local facts = caught("not_found", reg.container.inspect, effect.image, { runtime = effect.runtime })
  local all = facts and { facts.digest, facts.id, table.unpack(facts.digests or {}) }
  return all and values.unique(all, function(digest) return digest ~= "" and digest or nil end)
end

-- The digests of the image that an effect of a rehearsal for `subject` runs. The registry's, if it told the subject's;
-- else the image is pulled as --pull says. An image that this machine does not have even then has only its name.
local function digests_of(effect, subject)
  local name = effect.runtime .. " " .. effect.image
  if digests[name] then return digests[name] end
  local found = digests_here(effect)
  if not found and type(subject) == "table" and subject.image == effect.image and subject.digest then
    return { subject.digest }
  end
  if core.cluster then return found or { effect.image } end
  local when = core.options and core.options.pull or "missing"
  if not found or when == "always" then
    caught(GONE, reg.container.pull, effect.image, { runtime = effect.runtime, pull = when })
    found = digests_here(effect)
  end
  digests[name] = found  -- an image that is not there may be there the next time
  return found or { effect.image }
end

local Keys = {}
Keys.__index = Keys

--- Of `subjects` with these `ids`. `run`: of lib/sweep/investigation. Has `rehearsed`, of lib/identity/rehearsal.
function Keys.new(run, subjects, ids)
  local found, inputs = rehearse(subjects, run.measure, run.gpus_per_trial), {}
  for _, path in ipairs(core.options and core.options.input or {}) do inputs[path] = core.path_hash(path) end
  local example = leases.example(core.options and core.options.gpus, run.gpus_per_trial)
  for _, one in ipairs(found.runs) do  -- with the GPUs that a trial leases; not all are known if it did not end
    one.machine = surroundings.machine(#one.leased > 0 and one.leased or not one.whole and example or nil)
  end
  return setmetatable({ subjects = subjects, ids = ids, config = run.config, code = found.code, data = found.data,
    inputs = inputs, rehearsed = found.runs, variables = surroundings.variables(), known = {} }, Keys)
end

-- Every way to name the images of a rehearsal from one on: the first has the digests to store.
local function image_lists(effects, subject, at)
  if not effects[at] then return { {} } end
  local own = digests_of(effects[at], subject)
  return flat(image_lists(effects, subject, at + 1), function(others)
    return map(own, function(digest) return { digest, table.unpack(others) } end)
  end)
end

--- The end of the keys of this subject.
function Keys:machine(place) return self.rehearsed[place].machine end

--- The keys that a stored trial of this subject may have. New trials get the first.
function Keys:of(place)
  local rehearsed, subject = self.rehearsed[place], self.subjects[place]
  self.known[place] = self.known[place] or map(image_lists(rehearsed.images, subject, 1), function(images)
    return reg.store.key {
      -- Its own key, where several searches may have it under other ids.
      subject = type(subject) == "table" and subject.key or self.ids[place],
      config = self.config, code = self.code, inputs = self.inputs,
      effects = reg.json.array(rehearsed.effects), images = reg.json.array(images), options = rehearsed.options,
      variables = rehearsed.on_host and self.variables or nil, data = self.data,
    } .. "@" .. self:machine(place)
  end)
  return self.known[place]
end

return Keys
