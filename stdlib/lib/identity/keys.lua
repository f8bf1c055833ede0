-- The keys of a sweep's trials: of everything that reaches the measured program. What only steers the search is not in
-- them, so that a wider range or a larger budget uses every trial again.

local code_of = require "lib/identity/code"
local data_of = require "lib/identity/data"
local digests_of = require "lib/identity/images"
local leases = require "lib/sweep/leases"
local machine = require "lib/identity/machine"
local rehearse = require "lib/identity/rehearsal"
local variables = require "lib/identity/variables"

local Keys = {}
Keys.__index = Keys

local function inputs()
  local hashes = {}
  for _, path in ipairs(core.options and core.options.input or {}) do hashes[path] = core.path_hash(path) end
  return hashes
end

-- The machine of each subject: with the GPUs that its trials lease, if they do. Where a rehearsal did not come to its
-- end, those are `example`.
local function add_machines(rehearsed, example)
  local by_gpus = {}
  for _, one in ipairs(rehearsed) do
    local leased = #one.leased > 0 and one.leased or not one.whole and example or nil
    local uuids = {}
    for i, gpu in ipairs(leased or {}) do uuids[i] = gpu.uuid end
    local name = table.concat(uuids, ",")
    by_gpus[name] = by_gpus[name] or machine(leased)
    one.machine = by_gpus[name]
  end
end

--- Has `rehearsed`, what the rehearsals showed (lib/identity/rehearsal). `ids`: of the subjects; `config`: what the
--- script says they depend on besides, with the hashes of its files; `gpus_per_trial`: of leases.per_trial.
function Keys.new(subjects, ids, config, measure, gpus_per_trial)
  local code = code_of(measure)
  local before, after = data_of(code, subjects), nil
  local rehearsed = rehearse(subjects, measure, code.names, gpus_per_trial,
    function() after = data_of(code, subjects) end)
  add_machines(rehearsed, leases.example(core.options and core.options.gpus, gpus_per_trial))
  return setmetatable({ subjects = subjects, ids = ids, config = config, code = code.parts,
    data = data_of.constant(before, after), inputs = inputs(), rehearsed = rehearsed, variables = variables.inherited(),
    known = {} }, Keys)
end

-- Every way to name the images of a rehearsal: the first has the digests to store.
local function image_lists(effects, subject)
  local lists = { {} }
  for at, effect in ipairs(effects) do
    local longer = {}
    for _, digest in ipairs(digests_of(effect, subject)) do
      for _, list in ipairs(lists) do
        local copy = table.move(list, 1, at - 1, 1, {})
        copy[at] = digest
        longer[#longer + 1] = copy
      end
    end
    lists = longer
  end
  return lists
end

--- The end of the keys of this subject.
function Keys:machine(place) return self.rehearsed[place].machine end

--- The keys that a stored trial of this subject may have. New trials get the first.
function Keys:of(place)
  if self.known[place] then return self.known[place] end
  local rehearsed, keys = self.rehearsed[place], {}
  for i, images in ipairs(image_lists(rehearsed.images, self.subjects[place])) do
    keys[i] = reg.store.key {
      subject = self.ids[place], config = self.config, code = self.code, inputs = self.inputs,
      effects = reg.json.array(rehearsed.effects), images = reg.json.array(images), options = rehearsed.options,
      variables = rehearsed.on_host and self.variables or nil, data = self.data,
    } .. "@" .. self:machine(place)
  end
  self.known[place] = keys
  return keys
end

return Keys
