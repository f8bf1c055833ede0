-- What `why` needs of a stored investigation, and its two ends as options of commands that can be run again: on the
-- host or in its image, with its options of a container; commits are built again in worktrees of their own. The command
-- reads the investigation in the sandbox and hands it over; only then the process outside, which runs the commands,
-- goes on.

local Repos = require "lib/repos"
local Repositories = require "lib/descend/repositories"
local command = require "lib/why/command"
local container = require "lib/options/container"
local findings = require "lib/report/findings"
local names = require "lib/report/names"
local read = require "lib/report/read"
local lists = require "lib/values"
local stages_of = require("lib/report/stored").stages
local values = require "lib/options/values"

local find, map, merged, set, sorted_names = lists.find, lists.map, lists.merged, lists.set, lists.sorted_names

local stored = {}

local function has_ends(stage)
  local answer, change = stage.row.answer, stage.found.changes[1]
  local tested = read.text(stage.options.test) and (change and type(change.lo) == "table" or answer.culprits)
  local of_why = answer.slowdown or (read.text(stage.row.name) or ""):find "^why: "  -- whose commands may be labels
  return not of_why and (#read.list(answer.commands) == 2 or tested)
end

local function newest_with_ends(store)
  local rows = store:investigations()
  for i = #rows, 1, -1 do
    local stages = stages_of(store, rows[i].id)
    if has_ends(stages[1]) then return stages end
  end
  core.fail("not_found", store.path .. " has no investigation with a change between two ends that can be run again",
    "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
end

--- The stages of the investigation `wanted`, or of the newest one that has two ends, as JSON.
function stored.encode(store, wanted)
  local stages = wanted == nil and newest_with_ends(store) or stages_of(store, wanted)
  return reg.json.encode(read.each(stages, function(stage)
    local row, change = stage.row, stage.found.changes[1]
    return { id = row.id, name = row.name, options = row.options, facts = row.facts, verdict = row.verdict,
      change = change and { lo = change.lo, hi = change.hi } }
  end))
end

--- The same as a list: each has id, title, own (whether a script of this user stored exactly this), answer, options,
--- and the first change between two subjects, `lo` and `hi`, if there is one. The process that read it vouches for
--- nothing: of what is the user's own, the change is that of the answer.
function stored.decode(text)
  return map(read.json(text), function(row)
    local answer, own = read.json(row.verdict), core.is_own(row.name, row.options, row.facts, row.verdict)
    local found = findings(answer.series, {})
    return { id = row.id, title = row.name, own = own, answer = answer, options = read.json(row.options),
      change = found and found.changes[1] or not own and row.change or nil }
  end)
end

-- Options of an investigation that say what is run, and where.
local RUN <const> = { "bad", "build", "cap_add", "device", "entrypoint", "env", "good", "image", "input", "ipc",
  "mount", "network", "patch", "repo", "test", "user", "workdir" }

-- Asks before anything of the investigation runs, unless a script of this user stored all of its stages here. Raises
-- permission where nobody can be asked, or the answer is no.
local function ask(path, stages)
  local foreign = find(stages, function(stage) return not stage.own end)
  if not foreign or core.settings().dry_run then return end
  reg.log.warn("investigation %d of %s was not made by you on this machine. It runs:", foreign.id, path)
  for _, stage in ipairs(stages) do
    local lines = read.each(stage.answer.commands, read.text)
    for _, name in ipairs(RUN) do
      local value = stage.options[name]
      for _, one in ipairs(type(value) == "table" and value or { value }) do
        lines[#lines + 1] = ("--%s %s"):format(name, tostring(one))
      end
    end
    -- Each on one line: its blank lines would push the others off the screen.
    for _, line in ipairs(lines) do reg.log.warn("  %s", (line:gsub("\n", "\\n"))) end
  end
  if core.at_terminal() then
    reg.log.warn("Run them with all your rights? [y/N]")
    local answer = reg.read_line()
    if answer and answer:find "^%s*[yY]" then return end
  end
  core.fail("permission", "why: not permitted to run these commands", "Pass --yes to run them.")
end

-- The images around the first change of a search over images.
local function of_images(stage)
  local change, options = read.list(stage.change), stage.options
  local lo, hi = read.list(change.lo), read.list(change.hi)
  if not (lo.image and hi.image and read.text(options.test)) then return nil end
  local test = reg.test_command(options.test, options)
  return map({ lo, hi }, function(subject)
    local call = test:command(subject.image, options.timeout)
    call.shell, call.cmd, call.label = core.shell_words(call.cmd), nil, options.test
    return call
  end)
end

-- The line after these variables are set for all of it.
local function exporting(variables, line)
  local words = map(sorted_names(variables), function(name) return name .. "=" .. variables[name] end)
  return #words > 0 and "export " .. core.shell_words(words) .. "; " .. line or line
end

-- The options of a command in the first of `folders`: on the host, or in the image, which has these folders at their
-- paths.
local function placed(settings, folders)
  local image = read.text(settings.image)
  local call = container.settings(settings, not image, folders[1])
  local workdir = call.workdir or folders[1]
  if not image then return { cwd = workdir, env = call.env, timeout_s = settings.timeout } end
  for path, inside in pairs(settings.mounts or {}) do call.mounts[path] = inside end
  for _, path in ipairs(folders) do call.mounts[path] = path end
  call.image, call.workdir, call.timeout_s = image, workdir, settings.timeout
  return call
end

-- The test with these variables: in the line where the shell sets them for all of it, and then they can be exchanged;
-- and which of them are.
local function with_variables(test, variables)
  local parts = command.parse("X= " .. test)
  if not parts.env.X then return exporting(variables, test), {} end
  parts.env.X, parts.names = nil, table.move(parts.names, 2, #parts.names, 1, {})
  local added = map(sorted_names(variables), function(name) return not parts.env[name] and name or nil end)
  parts.env = merged(variables, parts.env)
  table.move(added, 1, #added, #parts.names + 1, parts.names)
  return command.join(parts), set(added)
end

-- A set of flags, by its variables. A build of one set replaces the other's, so each run builds first, as in the
-- search: `build` gives the command for the parts of a line, whose variables may have been exchanged. `all`: the names
-- of the variables of both sets.
local function of_set(options, variables, all)
  local folders = { reg.fs.absolute "." }
  local call, line = placed(options, folders), read.text(options.build)
  local shell, is_set = with_variables(options.test, variables)
  call.shell, call.build = shell, line and function(parts)
    local build = placed(options, folders)
    for name in pairs(all) do
      local value = variables[name]
      if is_set[name] or value == nil then value = parts.env[name] end
      build.env[name] = value
    end
    build.shell = line
    return build
  end
  return call
end

local function of_flags(stage)
  local options = stage.options
  local good, bad = read.each(options.good, read.text), read.each(options.bad, read.text)
  local has_both = type(stage.answer.culprits) == "table" and #good + #bad > 0 and read.text(options.test)
  if not has_both then return nil end
  local flags = reg.flags(#good > 0 and good or nil, #bad > 0 and bad or nil)
  local one, other = flags:env {}, flags:env(flags.items)
  local all = merged(one, other)
  return { of_set(options, one, all), of_set(options, other, all) }
end

-- The pins that led to a stage of descend.lua, the first one first.
local function pins_of(stage, stages)
  local pins, pin = {}, stage.answer.pin
  while type(pin) == "table" and #pins < #stages do
    table.insert(pins, 1, pin)
    local of = pin.of
    local above = find(stages, function(other) return read.list(other.answer.pin).name == of end)
    pin = above and above.answer.pin
  end
  return pins
end

-- The worktrees of a dependency and of what holds it, below `folder`.
local function dependency_of(roots, pins, commits, words, folder)
  local held, repositories, level = roots, Repositories.new(words), nil
  for i, pin in ipairs(pins) do
    held.last = find(held, function(one) return one.name == pin.of end) or held.last
    if not held.last then return nil end
    level = require("lib/descend/level").next(held, repositories, pin.name, folder)
    held = level:held_at { commits = commits }
    if i < #pins then level:close() end
  end
  return level
end

-- The worktrees of an end, with its commits of several repositories, and the variables that name them.
local function of_commits(stage, stages, commits, side, made)
  local options, pins = stage.options, pins_of(stage, stages)
  local words, folder = read.each(options.repo, read.text), ".regengine/worktrees/why-" .. side
  local pinned = set(map(pins, function(pin) return pin.name end))
  local roots = map(words, function(word)  -- the repositories of --repo among these commits, which no pin led to
    local name, path = values.repository(word)
    return commits[name] and not pinned[name] and { name = name, repo = reg.git.open(path), commit = commits[name] }
      or nil
  end)
  if #roots == 0 then return nil end
  roots[1].patch = read.text(options.commit) and read.text(options.patch) or nil
  local repos = #pins == 0 and Repos.new(roots, folder) or dependency_of(roots, pins, commits, words, folder)
  if not repos then return nil end
  made[#made + 1] = repos
  repos:checkout(commits)
  return repos:folders(), repos:env()
end

-- The options of a stage with what followed from them: `image`, `line` of its test, and `mounts`.
local function settings_of(stage, stages)
  local options = stage.options
  local settings = setmetatable({ line = read.text(options.test), mounts = {} }, { __index = options })
  if not (read.text(options.image) or ""):find("{date}", 1, true) then return settings end
  local runtime = reg.container.use { runtime = read.text(options.runtime) }
  local test = reg.test_command(options.test, options)
  -- The image of the good night, where an investigation of nights tested checkouts; false if they ran on the host.
  settings.image = runtime ~= "local" and map(stages, function(one)
    local change = one.title == "nights" and one.change
    return change and type(change.lo) == "table" and read.text(change.lo.image) or nil
  end)[1] or false
  settings.line, settings.mounts = core.shell_words(test.cmd), test.mounts or {}
  return settings
end

-- What is checked out in `folders`, built in the first one. `places`: variables with the worktrees, which differ
-- between the ends and are not a difference of their environments.
local function built(subject, settings, folders, places)
  local repo = names.is_commit(subject) and subject.repo
  local name, call = (repo and repo .. " " or "") .. names.short(subject), placed(settings, folders)
  if read.text(settings.build) then
    call.shell = exporting(places, settings.build)
    command.build(call, name)
  end
  call.shell, call.label = exporting(places, settings.line), name .. ": " .. settings.line
  call.folders = folders
  return call
end

-- Both sides of a change between commits, hours, or commits of a dependency.
local function of_checkouts(stage, stages, made, allow)
  local change, options, both = stage.change, stage.options, {}
  if core.options then core.options.submodules = options.submodules end
  for i, side in ipairs { "a", "b" } do
    local subject = change and change[i == 1 and "lo" or "hi"]
    if type(subject) ~= "table" or not read.text(options.test) then return nil end
    local folders, places
    if type(subject.commits) == "table" and type(options.repo) == "table" then
      allow()
      folders, places = of_commits(stage, stages, subject.commits, side, made)
    elseif names.is_commit(subject) and read.text(options.repo) then
      allow()
      local repo = reg.git.open(options.repo)
      local tree = repo:worktree(string.format(".regengine/worktrees/why-%s-%s", repo.id, side))
      made[#made + 1], folders, places = tree, { tree.path }, {}
      tree:checkout(subject.id, { patch = read.text(options.patch), submodules = Repos.how().submodules })
    end
    if not folders then return nil end
    both[i] = built(subject, settings_of(stage, stages), folders, places)
  end
  return both
end

--- The two ends of an investigation, `stages` of stored.decode, and options for their comparison. `made` gets the
--- worktrees that they need. `yes`: whoever stored it in the store at `path`, its commands are run.
function stored.ends(path, stages, made, yes)
  local stage, allowed = stages[1], yes
  local function allow()
    if not allowed then ask(path, stages) end
    allowed = true
  end
  local commands, options = read.each(stage.answer.commands, read.text), stage.options  -- commands: of an A/B
  local both = not stage.answer.slowdown  -- which is an answer of reg.why itself
    and (#commands == 2 and commands or of_images(stage) or of_checkouts(stage, stages, made, allow) or of_flags(stage))
  if not both then
    core.fail("not_found", ("investigation %s has no two ends that can be run again"):format(stage.id),
      "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
  end
  allow()
  local metric = read.text(options.metric)
  return both, { metric = metric ~= "@wall" and metric or nil, better = read.text(options.better),
    take = read.text(options.take), drop = read.integer(options.drop) }
end

return stored
