-- Where the commands of a search run again: on the host or in its image, with its options of a container.

local container = require "lib/options/container"
local read = require "lib/report/read"
local sorted_names = require "lib/sorted_names"

local placed = {}

-- The image of the good night, where an investigation of nights tested checkouts; nil if they ran on the host.
local function image_of_nights(stages, runtime)
  for _, stage in ipairs(stages) do
    local change = stage.title == "nights" and stage.change
    local image = change and type(change.lo) == "table" and read.text(change.lo.image)
    if image then return runtime ~= "local" and image or nil end
  end
end

--- The options of a stage with what followed from them: `image`, `line` of its test, and `mounts`. `stages`: those of
--- the same run.
function placed.settings(stage, stages)
  local options = stage.options
  local settings = setmetatable({ line = read.text(options.test), mounts = {} }, { __index = options })
  if not (read.text(options.image) or ""):find("{date}", 1, true) then return settings end
  local runtime = reg.container.use { runtime = read.text(options.runtime) }
  local test = reg.test_command(options.test, options)
  settings.image = image_of_nights(stages, runtime) or false
  settings.line, settings.mounts = core.shell_words(test.cmd), test.mounts or {}
  return settings
end

--- The line after these variables are set for all of it.
function placed.exporting(variables, line)
  local words = {}
  for _, name in ipairs(sorted_names(variables)) do words[#words + 1] = name .. "=" .. variables[name] end
  return #words > 0 and "export " .. core.shell_words(words) .. "; " .. line or line
end

--- The options of a command in the first of `folders`: on the host, or in the image, which has these folders at their
--- paths.
function placed.call(settings, folders)
  local image = read.text(settings.image)
  local call = container.settings(settings, not image, folders[1])
  local workdir = call.workdir or folders[1]
  if not image then return { cwd = workdir, env = call.env, timeout_s = settings.timeout } end
  for path, inside in pairs(settings.mounts or {}) do call.mounts[path] = inside end
  for _, path in ipairs(folders) do call.mounts[path] = path end
  call.image, call.workdir, call.timeout_s = image, workdir, settings.timeout
  return call
end

--- Runs a command where it says.
function placed.execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

--- Runs the command that builds what is called `name`.
function placed.build(call, name)
  local run = placed.execute(call)
  if run.ok or run.dry then return end
  core.fail("failed_trial", name .. " cannot be built: exit code " .. run.code, run.stderr:match "([^\n]+)%s*$")
end

--- What is checked out in `folders`, built in the first one; `name`: what messages and the store call it. `places`:
--- variables with the worktrees, which differ between the ends and are not a difference of their environments.
function placed.built(folders, name, settings, places)
  local call = placed.call(settings, folders)
  if read.text(settings.build) then
    call.shell = placed.exporting(places, settings.build)
    placed.build(call, name)
  end
  call.shell, call.label = placed.exporting(places, settings.line), name .. ": " .. settings.line
  return call
end

return placed
