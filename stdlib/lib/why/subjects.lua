-- The two ends of an investigation that found a change, as commands that can be run again.

local command = require "lib/why/command"
local consent = require "lib/why/consent"
local container = require "lib/options/container"
local names = require "lib/report/names"
local read = require "lib/report/read"
local sorted_names = require "lib/sorted_names"
local stages_of = require "lib/report/stages"

-- Both commands of an A/B.
local function of_ab(stage)
  local commands = read.each(stage.row.answer.commands, read.text)
  return #commands == 2 and { commands[1], commands[2] } or nil
end

-- The images around the first change of a search over images.
local function of_images(stage)
  local change, options = stage.found.changes[1], stage.options
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

-- The line after these variables are set for all of it.
local function exporting(variables, line)
  local words = {}
  for _, name in ipairs(sorted_names(variables)) do words[#words + 1] = name .. "=" .. variables[name] end
  return #words > 0 and "export " .. core.shell_words(words) .. "; " .. line or line
end

-- The options of a command in `folder`, and what runs it: on the host, or in --image, which has these folders at their
-- paths.
local function placed(options, folder, folders)
  local image = read.text(options.image)
  local settings = container.settings(options, not image, folder)
  local workdir = settings.workdir or folder
  if not image then return { cwd = workdir, env = settings.env, timeout_s = options.timeout }, reg.process.run end
  for _, path in ipairs(folders) do settings.mounts[path] = path end
  settings.image, settings.workdir, settings.timeout_s = image, workdir, options.timeout
  return settings, reg.container.run
end

-- What is checked out in `folders`, built in the first one; `name`: what messages and the store call it. `places`:
-- variables with the worktrees, which differ between the ends and are not a difference of their environments.
local function built_in(folders, name, options, places)
  local call, execute = placed(options, folders[1], folders)
  if read.text(options.build) then
    call.shell = exporting(places, options.build)
    local run = execute(call)
    if not run.ok and not run.dry then
      core.fail("failed_trial", name .. " cannot be built: exit code " .. run.code,
        run.stderr:match "([^\n]+)%s*$")
    end
  end
  call.shell, call.label = exporting(places, options.test), name .. ": " .. options.test
  return call
end

-- A commit, built in a worktree of its own, which stays until `made` is closed.
local function built(repo, commit, options, made)
  local tree = repo:worktree(string.format(".regengine/worktrees/why-%s-%d", repo.id, #made + 1))
  made[#made + 1] = tree
  tree:checkout(commit.id, { patch = read.text(options.patch), submodules = true })
  return built_in({ tree.path }, commit.short, options, {})
end

-- The commits around the first change of a search over commits.
local function of_commits(stage, made, allow)
  local change, options = stage.found.changes[1], stage.options
  local lo, hi = change and change.lo, change and change.hi
  local has_both = names.is_commit(lo) and names.is_commit(hi) and read.text(options.repo) and read.text(options.test)
  if not has_both then return nil end
  allow(stage)
  local repo = reg.git.open(options.repo)
  return { built(repo, lo, options, made), built(repo, hi, options, made) }
end

-- The hours around the first change, each with worktrees of all repositories of its own.
local function of_hours(stage, made, allow)
  local change, options = stage.found.changes[1], stage.options
  local lo, hi = change and change.lo, change and change.hi
  local has_both = type(lo) == "table" and type(hi) == "table" and type(lo.commits) == "table"
    and type(hi.commits) == "table" and type(options.repo) == "table" and read.text(options.test)
  if not has_both or stage.title ~= "hours" then return nil end
  allow(stage)
  local both = {}
  for i, hour in ipairs { lo, hi } do
    local repos = reg.repos(read.each(options.repo, read.text), ".regengine/worktrees/why-hours-" .. i)
    made[#made + 1] = repos
    repos:checkout(hour.commits)
    both[i] = built_in(repos:folders(), names.short(hour), options, repos:env())
  end
  return both
end

-- The test with these variables: in the line where the shell sets them for all of it, and then they can be exchanged.
local function with_variables(test, variables, options)
  local folder = reg.fs.absolute "."
  local call = placed(options, folder, { folder })
  call.shell = test
  local parts = command.parse("X= " .. test)
  if not parts.env.X then
    call.shell = exporting(variables, test)
    return call
  end
  parts.env.X, parts.names = nil, table.move(parts.names, 2, #parts.names, 1, {})
  for _, name in ipairs(sorted_names(variables)) do
    if not parts.env[name] then
      parts.env[name] = variables[name]
      table.insert(parts.names, name)
    end
  end
  call.shell = command.join(parts)
  return call
end

-- The good and the bad set of flags, of a search that built nothing: a build of one set would replace the other's.
local function of_flags(stage)
  local options = stage.options
  local good, bad = read.each(options.good, read.text), read.each(options.bad, read.text)
  local has_both = type(stage.row.answer.culprits) == "table" and #good + #bad > 0 and read.text(options.test)
  if not has_both or read.text(options.build) then return nil end
  local flags = reg.flags(#good > 0 and good or nil, #bad > 0 and bad or nil)
  return { with_variables(options.test, flags:env {}, options),
    with_variables(options.test, flags:env(flags.items), options) }
end

-- The ends of a stage with the options that its comparison had; nil if it has none.
local function ends_of(stage, made, allow)
  if stage.row.answer.slowdown then return nil end  -- an answer of reg.why itself
  local both = of_ab(stage) or of_images(stage) or of_commits(stage, made, allow) or of_hours(stage, made, allow)
    or of_flags(stage)
  if both then allow(stage) end
  local options = stage.options
  local metric = read.text(options.metric)
  return both, { metric = metric ~= "@wall" and metric or nil, better = read.text(options.better),
    take = read.text(options.take), drop = read.integer(options.drop) }
end

--- The two ends of the investigation `wanted`, or of the newest one that has two, and options for their comparison.
--- `made` gets the worktrees that they need. `yes`: whoever stored it, its commands are run.
return function(store, wanted, made, yes)
  local function allow(stage) return yes or consent(store, stage) end
  if wanted ~= nil then
    local both, options = ends_of(stages_of(store, wanted)[1], made, allow)
    if both then return both, options end
    core.fail("not_found", "investigation " .. tostring(wanted) .. " has no two ends that can be run again",
      "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
  end
  local rows = store:investigations()
  for i = #rows, 1, -1 do
    local both, options = ends_of(stages_of(store, rows[i].id)[1], made, allow)
    if both then return both, options end
  end
  core.fail("not_found", store.path .. " has no investigation with a change between two ends that can be run again",
    "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
end
