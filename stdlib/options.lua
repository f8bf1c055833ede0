-- reg.options: a script's command line, its checks and its --help from one table.

local command_line = require "lib/options/command_line"
local definition = require "lib/options/definition"
local lists = require "lib/values"
local usage = require "lib/options/usage"
local read_values = require("lib/options/values").read

local READ = { file = true, script = true, patch = true }

local function is_outside(path)
  local folder = reg.fs.absolute "." .. "/"
  local may_look, whole = pcall(reg.fs.absolute, path)
  return not may_look or whole:sub(1, #folder) ~= folder
end

-- The folder of the jobs on other machines: beside the store, which suite.lua has in its output by default.
local function jobs_of(values) return (values.store or values.output_dirname .. "/suite.db") .. ".jobs" end

-- What the engine runs here for commands on other machines.
local function cluster_needs(values)
  if values.runtime ~= "slurm" and not values.hosts and not values.cluster_commands then return end
  local slurm = { "sh", "sbatch", "squeue", "sinfo", "sacct", "scancel", "srun", "apptainer" }
  reg.needs { unboxed = values.hosts and "ssh" or values.cluster_commands and "sh" or slurm,
    process = { "sh", "cp", "uname" }, files = jobs_of(values) .. "/*" }
end

-- Declares, as reg.needs does, what a script reaches through its options: images, repositories, commands, files.
local function declare_needs(specs, values)
  local given = { image = {}, runtime = {}, repo = {}, command = {}, script = {}, output = {}, mount = {}, input = {},
    output_folder = {} }
  for _, name in ipairs(lists.sorted_names(specs)) do
    local spec, value = specs[name], values[name]
    local kind = spec.type == "repo_or_url" and "repo" or spec.type
    for _, one in ipairs(type(value) == "table" and value or { value }) do
      -- The path of NAME=PATH.
      if given[kind] then table.insert(given[kind], kind == "repo" and spec.list and one:match "=(.*)" or one) end
      if READ[kind] and is_outside(one) then table.insert(given.input, one) end
    end
  end
  -- Without an image commands run on the host; so they do with --runtime local, where an image is a folder.
  local on_host = #given.image == 0 or given.runtime[1] == "local"
  if #given.repo > 0 then table.insert(given.repo, "submodules") end
  local files = lists.flat { given.output, lists.map(given.mount, function(one)
    local host, _, read_only = core.container_mount(one)
    return host .. (read_only and ":ro" or "")
  end), lists.map(given.output_folder, function(path) return path .. "/*" end),
    lists.map(given.input, function(path) return path .. ":ro" end) }
  -- The highest clock that a GPU holds is found by running it.
  local clocks = values.lock_clocks and (values.lock_clocks == "auto" and { "lock", "run" } or "lock") or nil
  reg.needs { gpu = clocks, container = not on_host and given.image or nil, git = given.repo, files = files,
    process = on_host and #given.command + #given.script > 0 and "sh" or nil }
  cluster_needs(values)
end

--- What reg.options returns: the script's own options by name, and those that all scripts have.
---@class options.Values
---@field store string --store: the file that the results are kept in, ".regengine/results.db" by default
---@field dry_run boolean --dry-run: change nothing
---@field json boolean --json: reg.answer ends with one JSON object
---@field quiet boolean --quiet: print no progress
---@field retry_for string --retry-for: how long failures of the network are retried, "30m" by default
---@field locked_mhz? integer --lock-clocks: the SM clock at which the GPUs are locked, absent where they are not
---@field explain boolean --explain: print why each run is made
---@field redo string[] --redo: statuses to measure again: timeout, test_failed, build_failed, crashed, oom, not_finite

--- One option: { "what it is", type = ... }. Without `required` and `default` it may be absent: then it is nil, a flag
--- is false and a list is empty.
---
--- | type | value |
--- |---|---|
--- | string | any text |
--- | integer, number | at least `min` if there is one |
--- | boolean | a flag: --every |
--- | fraction | a number: 0.01 for 1% or 0.01 |
--- | duration | a string: 90s, 20m, 1h30m, 14d |
--- | date, time | a string in UTC: 2023-08-24; 2023-08-24 or 2023-08-24T13:00 |
--- | day_or_name | any text; on the command line "yesterday" or "14d ago" stands for that day |
--- | file | a file that exists |
--- | patch | a file that exists and is a patch |
--- | metric | a pattern that captures a number, for reg.metric.of |
--- | output | a file that the script writes |
--- | output_folder | a folder that the script writes into |
--- | script | a file that exists and that reg.test_command runs |
--- | command | a command for the shell |
--- | image | a container image, or a folder with --runtime local |
--- | runtime | docker, podman, local or slurm |
--- | repo | a path; in a list NAME=PATH, where the name is the last part of the path unless given |
--- | repo_or_url | NAME=PATH or NAME=URL, with the same name |
--- | variable | NAME=VALUE; on the command line NAME alone stands for the value it has there |
--- | mount | HOST[:INSIDE[:ro]]: a path that exists, and where a container sees it |
--- | input | the absolute path of a file or folder that exists |
---@class options.Option
---@field type string
---@field required? boolean it must be given
---@field default? any its value unless given
---@field list? boolean it can be given any number of times; its value is a table
---@field min? number the smallest number
---@field choices? string[] the valid values
---@field short? string a letter that stands for the option: "k" for -k VALUE or -kVALUE
---@field contains? string text that the value must contain; "{date}" also allows {date:FORMAT}
---@field not_after? string option whose value this one must not be greater than: `from` is not after `to`
---@field needs? string[] options that must be given if this one is
---@field not_with? string[] options that must not be given if this one is
---@field required_unless? string[] it must be given unless one of these options is
---@field revision_of? string option of the repository that this must be a commit of
---@field goes_back? boolean|string the good end: without it, the search goes back to a good one, by a number to
--- good_value; the name of an option: if that contains {date}
---@field stdin? boolean a file option that also takes "-"
---@field rest? boolean with `words` and `list`: from the first such word on it takes all, also what begins with "-"
---@field words? boolean it takes the words that belong to no option: all of them if it is a list, or else one

--- Reads the script's command line by a table of options, each { "what it is", type = ... } (see options.Option). A
--- string in the table takes an option that several scripts share: "timeout", "metric", "take", "drop", "good_value",
--- "bad_value", "min_effect", "budget", "every", "keep_going", "keep_images", "artifact", "check_build" or "says";
--- or "checkout", which stands for "submodules" and "no_submodules"; or "direction", which stands for "better",
--- "only" and "fail_on_regression"; or "worktree", for "build", "test", which is required, and "image"; or "outcome",
--- for "metric", "take", "drop", "crash", "timeout_is_bad" and "timeout"; or "search", for these, "good_value",
--- "bad_value", "direction", "exact", "keep_going" and "try_skipped"; or "container", which stands for all that --help
--- lists under "The container": reg.test_command and reg.runner take their values; or "cluster", with which trials run
--- on other machines. On the command line dry_run is --dry-run.
--- --help prints the "---" lines at the top of the script and all options.
---
--- Values are checked and converted before anything runs. Missing, unknown and invalid options raise one usage error,
--- which lists all of them and ends the program with exit code 2. The options also declare what the script reaches, as
--- reg.needs does: images, repositories and their submodules, files of the types output and output_folder, files of the
--- types file, script and patch that are outside this folder, and "sh" for scripts and commands unless they run in an
--- image; for other machines sbatch, ssh or sh outside the sandbox.
--- ```lua
--- local opt = reg.options {
---   "container", "timeout",
---   test   = { "script to run", type = "script", required = true },
---   repo   = { "repository to check out", type = "repo", list = true },
---   image  = { "image to run it in", type = "image" },
---   runs   = { "how often", type = "integer", default = 5, min = 1 },
---   every  = { "measure everything", type = "boolean" },
---   filter = { "only tests that match this regular expression", type = "string", list = true, short = "k" },
--- }
--- ```
---@param specs table options by name, and names of shared options
---@return options.Values values
return function(specs)
  local own = definition.read(specs)
  local all, settings = lists.merged(usage.COMMON, own), core.settings()
  for _, word in ipairs(settings.args) do
    if word == "--help" or word == "-h" then
      print(core.nouns.report.wrap(usage.text(own, settings.script, settings.text)))
      core.exit(0)
    end
  end

  local problems = command_line.problems(settings.script)
  local given = command_line.read(all, settings, problems)
  local values = read_values(all, given, problems)
  declare_needs(own, values)
  if values.image then require("lib/check_measured").in_any_container(values.metric) end
  if values.json and not usage.prints_json(settings.text) then
    core.fail("usage", settings.script .. ": prints no JSON", "Leave it out; regengine show --json prints an answer.")
  end
  if values.dry_run then core.start_dry_run() end
  if values.quiet then core.start_quiet() end
  core.retry_for(reg.time.seconds(values.retry_for))
  values.dry_run = values.dry_run or settings.dry_run
  if (values.lock_clocks or core.locked_clocks) and not values.dry_run then
    require("lib/gpu/load").lock_clocks(values)
  end
  core.cluster = nil
  if values.runtime == "slurm" or values.hosts or values.cluster_commands then
    require "lib/cluster/start"(own, values, jobs_of(values))
  elseif own.hosts and (values.partition or values.gres or values.slurm) then
    core.fail("usage", "--partition, --gres and --slurm need --runtime slurm", "Add --runtime slurm.")
  end
  core.options, core.given = values, command_line.words(all, given, usage.COMMON)
  return values
end
