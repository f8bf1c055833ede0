-- The two ends of an investigation that found a change, as commands that can be run again.

local container = require "lib/options/container"
local names = require "lib/report/names"
local read = require "lib/report/read"
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

-- A commit, built in a worktree of its own, which stays until `made` is closed.
local function built(repo, commit, options, made)
  local tree = repo:worktree(string.format(".regengine/worktrees/why-%s-%d", repo.id, #made + 1))
  made[#made + 1] = tree
  tree:checkout(commit.id, { patch = read.text(options.patch), submodules = true })
  local settings = container.settings(options, true, tree.path)
  local call = { cwd = settings.workdir or tree.path, env = settings.env, timeout_s = options.timeout }
  if read.text(options.build) then
    call.shell = options.build
    local run = reg.process.run(call)
    if not run.ok and not run.dry then
      core.fail("failed_trial", commit.short .. " cannot be built: exit code " .. run.code,
        run.stderr:match "([^\n]+)%s*$")
    end
  end
  call.shell, call.label = options.test, commit.short .. ": " .. options.test
  return call
end

-- The commits around the first change of a search over commits that ran on the host.
local function of_commits(stage, made)
  local change, options = stage.found.changes[1], stage.options
  local lo, hi = change and change.lo, change and change.hi
  local has_both = names.is_commit(lo) and names.is_commit(hi) and read.text(options.repo) and read.text(options.test)
  if not has_both or read.text(options.image) then return nil end
  local repo = reg.git.open(options.repo)
  return { built(repo, lo, options, made), built(repo, hi, options, made) }
end

-- The ends of a stage with the options that its comparison had; nil if it has none.
local function ends_of(stage, made)
  if stage.row.answer.slowdown then return nil end  -- an answer of reg.why itself
  local both = of_ab(stage) or of_images(stage) or of_commits(stage, made)
  local options = stage.options
  return both, { metric = read.text(options.metric), better = read.text(options.better),
    take = read.text(options.take), drop = read.integer(options.drop) }
end

--- The two ends of the investigation `wanted`, or of the newest one that has two, and options for their comparison.
--- `made` gets the worktrees that they need.
return function(store, wanted, made)
  if wanted ~= nil then
    local both, options = ends_of(stages_of(store, wanted)[1], made)
    if both then return both, options end
    core.fail("not_found", "investigation " .. tostring(wanted) .. " has no two ends that can be run again",
      "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
  end
  local rows = store:investigations()
  for i = #rows, 1, -1 do
    local both, options = ends_of(stages_of(store, rows[i].id)[1], made)
    if both then return both, options end
  end
  core.fail("not_found", store.path .. " has no investigation with a change between two ends that can be run again",
    "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
end
