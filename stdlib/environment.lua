-- reg.environment: what surrounds a program, on the host or in an image, and what of it differs between two ends. One
-- short script tells what only the inside knows; images and GPUs are asked through their nouns.

local findings = require "lib/environment/findings"
local script = require "lib/environment/script"
local tracing = require "lib/tracing"

local MOST_BYTES <const> = 64 << 20  -- of what the script prints

-- Where something cannot be collected, the rest still can. Any other error is the caller's.
local PASSED_OVER = { not_found = true, unavailable = true, failed_trial = true, permission = true, network = true,
  io = true }

-- f's result; nil and why not.
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if type(result) ~= "table" or not PASSED_OVER[result.kind] then error(result, 0) end
  return nil, (result.message:gsub(" %(sh %-c .*", ""))  -- the script is long
end

-- Options of a command that the script must not have: its output is its own.
local OF_COMMAND <const> = { "container", "run", "shell", "stdin", "out", "err", "loaded_below", "instructions" }

-- Runs the script where the program would run.
local function run_inside(options, entrypoint)
  local call = {}
  for key, value in pairs(options) do call[key] = value end
  for _, name in ipairs(OF_COMMAND) do call[name] = nil end
  call.entrypoint = call.entrypoint or entrypoint
  call.cmd, call.keep_bytes = { table.unpack(script.CMD) }, MOST_BYTES
  if options.container then return attempt(function() return options.container:exec(call) end) end
  return attempt(options.image and reg.container.run or reg.process.run, call)
end

-- Adds what the script says, where it may run.
local function add_inside(into, options)
  if options.run == false then return script.add(into, "", "the image was not run") end
  local run, why = run_inside(options)
  local any = script.add(into, run and run.stdout or "", run and run.dry and "dry run" or why)
  if any or not run or run.dry then return end
  if options.image and tracing.in_container(options.runtime) then
    run, why = run_inside(options, "")  -- the image's entrypoint runs something else
  end
  script.add(into, run and run.stdout or "",
    run and (run.stderr:match "[^\n]+" or "sh exited with code " .. run.code) or why)
end

-- What the runtime knows of the image, and the commits of the checkouts in it.
local function add_image(into, options)
  if not options.image then return end
  local runtime = { runtime = options.runtime }
  local image, why = attempt(reg.container.inspect, options.image, runtime)
  into.missing.image = why
  if not image then return end
  into.image = { name = options.image, digest = image.digest, labels = script.redacted(image.labels),
    layers = image.layers }
  if options.run == false then
    into.variables, into.missing.variables = script.redacted(image.env), nil
    return
  end
  local commits
  commits, into.missing.checkouts = attempt(reg.container.commits, options.image, runtime)
  for name, checkout in pairs(commits or {}) do
    into.checkouts = into.checkouts or {}
    into.checkouts[name] = checkout.commit
  end
end

local function add_machine(into)
  local settings = core.nouns.machine.facts()
  into.settings = next(settings) and settings or nil
  if not into.settings then into.missing.settings = "the kernel shows no clock settings of the CPUs" end
  local status = reg.gpu.status()
  into.missing.gpus = not status.ok and status.message or nil
  for i, gpu in ipairs(status.ok and reg.gpu.list() or {}) do
    into.gpus = into.gpus or {}
    into.gpus[i] = { name = gpu.name, driver = gpu.driver, cuda = gpu.cuda, power_limit_w = gpu.power_limit_w,
      persistence = gpu.persistence, ecc = gpu.ecc, mig = gpu.mig }
  end
end

local environment = {}

function environment.collect(options)
  options = options or {}
  if type(options) ~= "table" then core.fail("usage", "environment.collect: takes a table of options") end
  if options.run == false and not options.image then
    core.fail("usage", "environment.collect: 'run = false' needs an image", "Pass the image's name as 'image'.")
  end
  local into = { cpu = {}, packages = {}, missing = {} }
  add_inside(into, options)
  add_image(into, options)  -- which the run has pulled
  add_machine(into)
  return into
end

environment.diff = findings.diff

return environment
