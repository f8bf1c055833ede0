-- reg.machine: tunes the machine. engine/machine, engine/restore and reg.gpu.lock change and restore settings.

local values = require "lib/values"
local find, map, merged, only = values.find, values.map, values.merged, values.only

local SETTINGS = { "governor", "min_freq", "turbo", "smt", "c_states", "cpus", "env" }
local KEYS = table.move(SETTINGS, 1, #SETTINGS, 4, { "gpu", "warm_up", "required" })

core.tunings = {}  -- those in effect, oldest first: each trial stores their measures

local machine = {}

--- Settings of the machine that are changed.
--- ```lua
--- local tuning = reg.machine.tune { turbo = false }
--- for _, measure in ipairs(tuning:record()) do print(measure.measure, measure.state, measure.command or "") end
--- tuning:close()
--- ```
---@class machine.Tuning
local Tuning = { __name = "machine.Tuning" }
Tuning.__index = Tuning

--- The state of each measure, also after close. Raises nothing; values include units.
---@return machine.Measure[] record
function Tuning:record() return map(self.measures, function(measure) return merged(measure) end) end

--- Restores everything; so do `<close>` and the end of the script. A second close does nothing. What cannot be restored
--- is a warning, and is tried again when the engine ends.
function Tuning:close()
  if not self.held then return end
  local held, lock = self.held, self.lock
  self.held, self.lock = nil, nil
  core.tunings = only(core.tunings, function(tuning) return tuning ~= self end)
  if lock then lock:close() end
  for _, why in ipairs(core.nouns.machine.restore(held)) do
    reg.log.warn("machine.tune: not restored yet, will be tried again when regengine ends: %s", why)
  end
end

Tuning.__close = Tuning.close

-- Locks the clocks: the measure and the lock. A refusal is a state of the measure; misuse raises.
local function lock_clocks(requested)
  local options = merged({ required = true }, type(requested) == "table" and requested or { sm = requested })
  local measure = { measure = "gpu", wanted = "clocks", state = "done" }
  for _, name in ipairs { "sm", "mem" } do
    if options[name] then measure.wanted = string.format("%s %s", name, options[name]) end
  end
  local lock, why = values.caught("permission unavailable conflict", reg.gpu.lock, options)
  if lock then
    measure.wanted = lock.asked
    if not lock.locked then measure.state, measure.why = "refused", lock.why end
    if lock.sm_mhz then measure.now = string.format("SM %d MHz", lock.sm_mhz) end
    return measure, lock
  end
  measure.state, measure.why = why.kind == "unavailable" and "not supported" or "refused", why.message
  measure.command = why.kind == "permission" and why.hint and why.hint:match "^Run as root on the host: (.*)" or nil
  return measure
end

local function describe(measure)
  return string.format("%s %s: %s, %s", measure.measure, measure.wanted, measure.state, measure.why)
end

---@class machine.TuneOptions
---@field governor? string CPU frequency governor: "performance"
---@field min_freq? "max" set the lowest CPU frequency to the highest
---@field turbo? boolean false: turbo off, so that the clock does not depend on heat and other cores
---@field smt? boolean false: one thread per core
---@field c_states? boolean false: no deep idle states, which take time to leave
---@field cpus? string processors for commands: "0-3,8"
---@field env? table<string, string> default variables of commands: { CUDA_AUTO_BOOST = "0" }
---@field gpu? string|number|gpu.LockOptions clocks to lock: "80%", 1590, or the options of reg.gpu.lock
---@field warm_up? boolean|number|string run the GPUs until their temperature is steady; true, or a time limit: "3m"
---@field required? boolean raise if a measure cannot be applied; default: continue, and record which

---@class machine.Measure
---@field measure string "governor", "turbo", "env", "gpu", ...
---@field wanted string
---@field state "done"|"refused"|"not supported"
---@field was? string value before
---@field now? string current value, read back
---@field why? string why it is not applied
---@field command? string if refused: the command that a privileged user can run

--- Tunes the machine for measuring. Each measure is applied, refused (permission is missing: a warning gives the
--- command to run) or not supported here; the record and the info of each trial say which. Everything is restored at
--- close, at the end of the script, on an error, on Ctrl-C and after kill -9; if the guardian process was killed too,
--- by the next engine that changes a setting or by `regengine recover`. `env` and `cpus` apply to commands and
--- containers that are started meanwhile. Frequencies are in kHz. Raises usage for invalid options, and with `required`
--- permission or unavailable.
--- ```lua
--- local tuning <close> = reg.machine.tune { governor = "performance", turbo = false, env = { CUDA_AUTO_BOOST = "0" } }
--- print(reg.report.table(tuning:record(), { columns = { "measure", "wanted", "state", "was", "now", "why" } }))
--- ```
---@param options machine.TuneOptions
---@return machine.Tuning tuning
function machine.tune(o)
  if type(o) ~= "table" then
    core.fail("usage", "machine.tune: takes a table of measures", 'Write { governor = "performance" }.')
  end
  core.check_keys("machine.tune", o, KEYS)
  local settings = values.picked(o, SETTINGS)
  if next(settings) == nil and o.gpu == nil and not o.warm_up then
    core.fail("usage", "machine.tune: no measures given", "Valid options: " .. table.concat(KEYS, ", ", 4))
  end
  local held = core.nouns.machine.open(settings)
  local self = setmetatable({ held = held, measures = core.nouns.machine.record(held) }, Tuning)
  table.insert(core.tunings, self)
  local _ <close> = setmetatable({}, { __close = function(_, failure)
    if failure ~= nil then self:close() end
  end })
  if o.gpu ~= nil then
    local measure, lock = lock_clocks(o.gpu)
    self.lock = lock
    table.insert(self.measures, measure)
  end
  if o.warm_up and not core.settings().dry_run then  -- at the clocks just set
    table.insert(self.measures, require("lib/gpu/load").warm_up(o.warm_up))
  end
  local failed = only(self.measures, function(measure) return measure.state ~= "done" end)
  if core.settings().dry_run or #failed == 0 then return self end
  local function is_refused(measure) return measure.state == "refused" end
  if o.required then
    local commands = map(failed, function(measure) return measure.command end)
    core.fail(find(failed, is_refused) and "permission" or "unavailable",
      "machine.tune: " .. table.concat(map(failed, describe), "; "),
      #commands > 0 and table.concat(commands, "; ") or "Leave out `required` to continue without it.")
  end
  for _, measure in ipairs(failed) do
    reg.log[is_refused(measure) and "warn" or "info"]("machine.tune: %s%s", describe(measure),
      is_refused(measure) and measure.command and "; run: " .. measure.command or "")
  end
  return self
end

return machine
