-- reg.machine.tune{ governor = "performance", ... }: tunes the machine as far as permissions allow, reports the state
-- of each measure, and restores everything at the end. engine/machine, engine/restore and reg.gpu.lock change and
-- restore settings.

local check_keys = require "lib/options/check_keys"
local tunings = require "lib/sweep/tunings"

local SETTINGS = { "governor", "min_freq", "turbo", "smt", "c_states", "cpus", "shield", "nice", "aslr", "env" }
local KEYS = table.move(SETTINGS, 1, #SETTINGS, 4, { "gpu", "warm_up", "required" })

local Tuning = { __name = "machine.Tuning" }
Tuning.__index = Tuning

--- A list of { measure =, wanted =, state =, was =, now =, why =, command = }, one for each requested measure.
function Tuning:record()
  local list = {}
  for i, measure in ipairs(self.measures) do
    list[i] = {}
    for name, value in pairs(measure) do list[i][name] = value end
  end
  return list
end

--- Restores everything. A second close does nothing.
function Tuning:close()
  if not self.held then return end
  local held, lock = self.held, self.lock
  self.held, self.lock = nil, nil
  tunings.remove(self)
  if lock then lock:close() end
  for _, why in ipairs(core.nouns.machine.restore(held)) do
    reg.log.warn("machine.tune: not restored yet, will be tried again when regengine ends: %s", why)
  end
end

Tuning.__close = Tuning.close

-- Locks the clocks: the measure and the lock. A refusal is a state of the measure; misuse raises.
local function lock_clocks(requested)
  local options = { required = true }
  for name, value in pairs(type(requested) == "table" and requested or { sm = requested }) do options[name] = value end
  local measure = { measure = "gpu", wanted = "clocks", state = "done" }
  for _, name in ipairs { "sm", "mem" } do
    if options[name] then measure.wanted = string.format("%s %s", name, options[name]) end
  end
  local ok, lock = pcall(reg.gpu.lock, options)
  if ok then
    measure.wanted = lock.asked
    if not lock.locked then measure.state, measure.why = "refused", lock.why end
    if lock.sm_mhz then measure.now = string.format("SM %d MHz", lock.sm_mhz) end
    return measure, lock
  end
  local why = lock
  if why.kind ~= "permission" and why.kind ~= "unavailable" and why.kind ~= "conflict" then error(why, 0) end
  measure.state, measure.why = why.kind == "unavailable" and "not supported" or "refused", why.message
  measure.command = why.kind == "permission" and why.hint and why.hint:match "^Run as root on the host: (.*)" or nil
  return measure
end

local function describe(measure)
  return string.format("%s %s: %s, %s", measure.measure, measure.wanted, measure.state, measure.why)
end

local function raise(measures)
  local all, commands, kind = {}, {}, "unavailable"
  for _, measure in ipairs(measures) do
    all[#all + 1] = describe(measure)
    if measure.state == "refused" then kind = "permission" end
    if measure.command then commands[#commands + 1] = measure.command end
  end
  local hint = #commands > 0 and table.concat(commands, "; ") or "Leave out `required` to continue without it."
  core.fail(kind, "machine.tune: " .. table.concat(all, "; "), hint)
end

local function report(measures)
  for _, measure in ipairs(measures) do
    if measure.state == "refused" then
      reg.log.warn("machine.tune: %s%s", describe(measure), measure.command and "; run: " .. measure.command or "")
    else
      reg.log.info("machine.tune: %s", describe(measure))
    end
  end
end

local function tune(o)
  if type(o) ~= "table" then
    core.fail("usage", "machine.tune: takes a table of measures", 'Write { governor = "performance" }.')
  end
  check_keys("machine.tune", o, KEYS)
  local settings = {}
  for _, name in ipairs(SETTINGS) do settings[name] = o[name] end
  if next(settings) == nil and o.gpu == nil and not o.warm_up then
    core.fail("usage", "machine.tune: no measures given", "Valid options: " .. table.concat(KEYS, ", ", 4))
  end
  local held = core.nouns.machine.open(settings)
  local self = setmetatable({ held = held, measures = core.nouns.machine.record(held) }, Tuning)
  tunings.add(self)
  if o.gpu ~= nil then
    local ok, measure, lock = pcall(lock_clocks, o.gpu)
    if not ok then
      self:close()
      error(measure, 0)
    end
    self.lock = lock
    table.insert(self.measures, measure)
  end
  if o.warm_up and not core.settings().dry_run then  -- at the clocks just set
    local ok, measure = pcall(tunings.warm_up, o.warm_up)
    if not ok then
      self:close()
      error(measure, 0)
    end
    table.insert(self.measures, measure)
  end
  local failed = {}
  for _, measure in ipairs(self.measures) do
    if measure.state ~= "done" then failed[#failed + 1] = measure end
  end
  if core.settings().dry_run or #failed == 0 then return self end
  if o.required then
    self:close()
    raise(failed)
  end
  report(failed)
  return self
end

return { tune = tune }
