-- Which GPUs a trial has to itself. Trials that run at the same time share out those of --gpus, one each or as
-- --gpus-per-trial says; any other trial has all. A lease (reg.gpu.lease) keeps other trials and engines off them.

local values = require "lib/values"

local leases, map = {}, values.map

--- The GPUs that commands ask for where their options do not say it: by kept container, and by options on the host.
leases.asked = setmetatable({}, { __mode = "k" })

-- Trials at the same time, as a command line says it.
local function trials_of(options) return math.type(options.parallel) == "integer" and options.parallel or 1 end

--- How many GPUs each trial gets, for `options` of reg.options; nil: all. `parallel`: trials at the same time.
function leases.per_trial(options, parallel)
  if options.gpus_per_trial then return options.gpus_per_trial end
  return math.max(parallel or 1, trials_of(options)) > 1 and 1 or nil
end

local function fail(message, hint) core.fail("usage", message, hint) end

-- "0,1"
local function listed(gpus)
  local function name_of(gpu) return gpu.index .. (gpu.instance and ":" .. gpu.instance or "") end
  return table.concat(map(gpus, name_of), ",")
end

local function check_models(options, gpus)
  local models = values.grouped(gpus, function(gpu) return gpu.name end)
  if #models == 1 then return end
  local words = map(models, function(model) return listed(model) .. " " .. model[1].name end)
  fail(string.format("--gpus %s: GPUs of different models: %s", options.gpus, table.concat(words, "; ")),
    "Pass GPUs of one model, such as --gpus " .. listed(models[1]) .. ".")
end

local function check_count(options, each, there)
  local trials = trials_of(options)
  if trials * each <= there then return end
  local what = trials > 1 and "--parallel " .. trials or "--gpus-per-trial " .. each
  if trials > 1 and each > 1 then what = what .. " --gpus-per-trial " .. each end
  local fits = there // each
  fail(string.format("%s needs %d GPUs, and --gpus %s has %d", what, trials * each, options.gpus, there),
    fits > 1 and "Pass --parallel " .. fits .. "." or
    there > 1 and trials == 1 and "Pass --gpus-per-trial " .. there .. "." or
    trials > 1 and fits == 1 and "Leave out --parallel: trials that share a GPU slow one another down." or
    "Leave out --gpus-per-trial.")
end

--- Raises usage, before anything runs, for GPUs that this machine does not have, and where there can never be enough of
--- them, or only of different models. `on_host`: commands run without a container.
function leases.check(options, on_host)
  local each, status = leases.per_trial(options), options.gpus and reg.gpu.status()
  if not status or not each and not status.ok then return end
  if not status.ok then
    fail("cannot share out the GPUs of --gpus " .. options.gpus .. ": " .. status.message, status.hint)
  end
  local ok, gpus = pcall(core.nouns.machine.gpu_parts, options.gpus)
  if not ok then fail("--gpus " .. options.gpus .. ": " .. gpus.message, gpus.hint) end
  if not each then return end
  check_count(options, each, #gpus)
  check_models(options, gpus)
  for _, text in ipairs(on_host and options.env or {}) do
    local name = text:match "^(%u+_VISIBLE_DEVICES)="
    if name then fail("--env " .. name .. ": each trial gets GPUs of its own", "Leave it out, and pass --gpus.") end
  end
end

--- The GPUs that a trial would get if all were free, each with its uuid and name; nil if each trial has all of them.
function leases.example(gpus, each)
  return gpus and each and table.move(core.nouns.machine.gpu_parts(gpus), 1, each, 1, {}) or nil
end

--- The UUIDs of these GPUs as options take them: "GPU-1,GPU-2"; empty for none.
function leases.uuids(gpus)
  return table.concat(map(gpus, function(gpu) return gpu.uuid end), ",")
end

local has_driver

--- Whether this machine has GPUs, determined when first asked.
function leases.has_driver()
  if has_driver == nil then has_driver = reg.gpu.status().ok end
  return has_driver
end

local Held = { __name = "leases of a trial" }
Held.__index = Held

--- The leases of one trial, to be closed with it; `gpus` has their GPUs, each with index, uuid, name and cpus. `each`:
--- of leases.per_trial. `rehearsed`: it only shows what it would do; then a lease counts only if it chooses among GPUs.
function leases.new(each, rehearsed)
  return setmetatable({ each = each, rehearsed = rehearsed, by_asked = {}, noted = {}, gpus = {} }, Held)
end

--- Leases what a command asks for, unless the trial has it: "all", "0,1" or UUIDs. `fixed`: it has exactly those. Waits
--- while others use them. Returns the lease, nil if there is none to take, and whether it is new.
function Held:take(asked, fixed)
  if self.by_asked[asked] then return self.by_asked[asked], false end
  if not self.each and (self.rehearsed or not leases.has_driver()) then return nil end
  local lease = reg.gpu.lease { gpus = asked, count = not fixed and self.each or nil }
  self.by_asked[asked] = lease
  return lease, self:note(lease)
end

--- Notes a lease of the script that a command has. Returns whether it is new.
function Held:note(lease)
  if self.noted[lease] then return false end
  self.noted[lease] = true
  table.move(lease.gpus, 1, #lease.gpus, #self.gpus + 1, self.gpus)
  return true
end

function Held:close()
  for _, lease in pairs(self.by_asked) do lease:close() end
end

Held.__close = Held.close

return leases
