-- The two ends of an investigation that found a change, as commands that can be run again.

local checkouts = require "lib/why/checkouts"
local command = require "lib/why/command"
local consent = require "lib/why/consent"
local placed = require "lib/why/placed"
local read = require "lib/report/read"
local sorted_names = require "lib/sorted_names"

-- Both commands of an A/B.
local function of_ab(stage)
  local commands = read.each(stage.answer.commands, read.text)
  return #commands == 2 and { commands[1], commands[2] } or nil
end

-- The images around the first change of a search over images.
local function of_images(stage)
  local change, options = stage.change, stage.options
  local lo, hi = change and change.lo, change and change.hi
  local has_both = type(lo) == "table" and type(hi) == "table" and lo.image and hi.image
  if not has_both or not read.text(options.test) then return nil end
  local test, both = reg.test_command(options.test, options), {}
  for i, subject in ipairs { lo, hi } do
    local call = test:command(subject.image, options.timeout)
    call.shell, call.cmd, call.label = core.shell_words(call.cmd), nil, options.test
    both[i] = call
  end
  return both
end

-- The test with these variables: in the line where the shell sets them for all of it, and then they can be exchanged;
-- and whether they are.
local function with_variables(test, variables)
  local parts = command.parse("X= " .. test)
  if not parts.env.X then return placed.exporting(variables, test), {} end
  parts.env.X, parts.names = nil, table.move(parts.names, 2, #parts.names, 1, {})
  local set = {}
  for _, name in ipairs(sorted_names(variables)) do
    if not parts.env[name] then
      parts.env[name], set[name] = variables[name], true
      table.insert(parts.names, name)
    end
  end
  return command.join(parts), set
end

-- A set of flags. A build of one set replaces the other's, so each run builds first, as in the search: `build` gives
-- the command for the parts of a line, whose variables may have been exchanged.
local function of_set(options, variables, names)
  local folders = { reg.fs.absolute "." }
  local call, line = placed.call(options, folders), read.text(options.build)
  local shell, set = with_variables(options.test, variables)
  call.shell = shell
  call.build = line and function(parts)
    local build = placed.call(options, folders)
    for name in pairs(names) do
      local value = variables[name]
      if set[name] or value == nil then value = parts.env[name] end
      build.env[name] = value
    end
    build.shell = line
    return build
  end
  return call
end

-- The good and the bad set of flags.
local function of_flags(stage)
  local options = stage.options
  local good, bad = read.each(options.good, read.text), read.each(options.bad, read.text)
  local has_both = type(stage.answer.culprits) == "table" and #good + #bad > 0 and read.text(options.test)
  if not has_both then return nil end
  local flags, names = reg.flags(#good > 0 and good or nil, #bad > 0 and bad or nil), {}
  local sets = { flags:env {}, flags:env(flags.items) }
  for _, variables in ipairs(sets) do
    for name in pairs(variables) do names[name] = true end
  end
  return { of_set(options, sets[1], names), of_set(options, sets[2], names) }
end

-- The ends of a stage with the options that its comparison had; nil if it has none.
local function ends_of(stages, made, allow)
  local stage = stages[1]
  if stage.answer.slowdown then return nil end  -- an answer of reg.why itself
  local both = of_ab(stage) or of_images(stage) or checkouts(stage, stages, made, allow) or of_flags(stage)
  if both then allow() end
  local options = stage.options
  local metric = read.text(options.metric)
  return both, { metric = metric ~= "@wall" and metric or nil, better = read.text(options.better),
    take = read.text(options.take), drop = read.integer(options.drop) }
end

--- The two ends of an investigation, `stages` of lib/why/stored, and options for their comparison. `made` gets the
--- worktrees that they need. `yes`: whoever stored it in the store at `path`, its commands are run.
return function(path, stages, made, yes)
  local allowed = yes
  local function allow()
    if not allowed then consent(path, stages) end
    allowed = true
  end
  local both, options = ends_of(stages, made, allow)
  if both then return both, options end
  core.fail("not_found", ("investigation %s has no two ends that can be run again"):format(stages[1] and stages[1].id),
    "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
end
