-- Options that several scripts share, and the check of the table that a script gives to reg.options: its own options,
-- and the shared ones that it names, each by itself or by its group.

local command_line = require "lib/options/command_line"
local sorted_names = require("lib/values").sorted_names
local values = require "lib/options/values"

local KEYS = { "type", "required", "default", "list", "min", "choices", "short", "words", "contains",
  "not_after", "needs", "not_with", "required_unless", "goes_back", "revision_of", "stdin", "rest" }

-- reg.options { "timeout", ... } takes them by name, and those of a group by the name of the group.
-- `otherwise`: the value where it is given without one.
local SHARED = {
  runtime = { "container runtime; unless given, docker or podman, whichever works", type = "runtime" },
  gpus_per_trial = { "GPUs of each trial, leased from those of --gpus; unless given, 1 if trials run in parallel, "
                     .. "else all", type = "integer", min = 1, needs = { "gpus" } },
  lock_clocks = { "lock the SM clock of the GPUs while it runs, in MHz or percent of the highest; without a value at "
                  .. "the highest clock that they hold under a load", type = "clock", otherwise = "auto" },
  cluster = { group = { "partition", "nodes", "gres", "constraint", "account", "qos", "time", "ntasks",
                        "ntasks_per_node", "slurm", "hosts", "cluster_commands", "orphan_after", "parallel" } },
  which_node = { group = { "same_node", "spread" } },
  partition = { "partition of --runtime slurm; unless given, the default one", type = "string" },
  nodes = { "nodes of each run", type = "integer", min = 1 },
  gres = { "what each run needs of a node, such as gpu:1", type = "string" },
  constraint = { "features that a node must have", type = "string" },
  account = { "account that the jobs are charged to", type = "string" },
  qos = { "quality of service of the jobs", type = "string" },
  time = { "time limit of a job, as the partition has it", type = "duration" },
  ntasks = { "ranks of the test; the output of rank 0 counts", type = "integer", min = 1 },
  ntasks_per_node = { "ranks on each node", type = "integer", min = 1 },
  slurm = { "further options of sbatch, such as '--mem=64G --exclusive'", type = "string" },
  hosts = { "run the commands on these machines by ssh: a,b,c; they see this folder at the same path",
            type = "string" },
  cluster_commands = { "file with the commands of another scheduler", type = "file" },
  orphan_after = { "jobs end themselves when no regengine has waited for them for so long", type = "duration",
                   default = "2h" },
  parallel = { "runs at the same time; unless given, one, or one for each node of the cluster, at most 8",
               type = "integer", min = 1 },
  env = { "environment variable of the test; NAME alone passes on its value", type = "variable", list = true },
  mount = { "file or folder that the container sees; unless given, INSIDE is HOST", type = "mount", list = true },
  input = { "file or folder that the test reads: in a container at the same path, read-only", type = "input",
            list = true },
  no_init = { "the test is process 1 of the container, without an init process above it", type = "boolean" },
  pull = { "when to pull an image", type = "string", choices = { "missing", "always", "never" } },
  checkout = { group = { "submodules", "no_submodules" } },
  submodules = { "submodule that the build needs; unless given, all are checked out", value = "PATH", type = "string",
                 list = true },
  no_submodules = { "check out no submodules", type = "boolean", not_with = { "submodules" } },
  artifact = { "file or folder that the build makes: commits for which it is the same are measured once",
               type = "string", list = true, needs = { "build" } },
  check_build = { "command that prints what the built program is, such as its version", type = "command" },
  says = { "text that it must print; {subject} is the commit", type = "string", default = "{subject}" },
  worktree = { group = { "build", "test", "image" } },
  build = { "command that builds, run in the worktree", type = "command" },
  test = { "command that tests, run in the worktree", type = "command", required = true },
  image = { "image of the container to build and test in", type = "image" },
  timeout = { "time limit of one build or test run", type = "duration", default = "1h" },
  outcome = { group = { "metric", "take", "drop", "crash", "timeout_is_bad", "timeout" } },
  search = { group = { "outcome", "good_value", "bad_value", "direction", "exact", "keep_going", "try_skipped" } },
  metric = { "the number in the output of the test: 'MLUPS: {number}', or a Lua pattern; or what is measured of the "
             .. "test: @wall, @cpu, @instructions, @peak_memory, @gpu_busy, @gpu_time, @gpu_cycles, @gpu_memory, "
             .. "@hlo:OPCODE, @jit.traces:F, @jit.compiles:F; unless given, the exit code decides: 0 is good, 125 "
             .. "skips, any other is bad", type = "metric" },
  crash = { "bad is a failure whose output contains it; any other failure is skipped", type = "string",
            not_with = { "metric" } },
  timeout_is_bad = { "a test that runs past --timeout is bad; unless given, it is skipped", type = "boolean",
                     not_with = { "metric" } },
  take = { "which number to use if the output has several", type = "string",
           choices = { "first", "last", "median", "min" }, needs = { "metric" } },
  drop = { "ignore the first N numbers, such as warm-up steps", type = "integer", min = 0, needs = { "metric" } },
  good_value = { "number reported for the good end; it stops if the ends do not reproduce the report", type = "number",
                 needs = { "metric" }, needs_both_ends = { "bad_value" } },
  bad_value = { "number reported for the bad end", type = "number", needs = { "good_value", "metric" } },
  keep_going = { "continue even if the good end or several runs in a row fail, or a run reports a lack of memory",
                 type = "boolean" },
  try_skipped = { "also test everything between identical failures; unless given, it is assumed to fail alike",
                  type = "boolean" },
  min_effect = { "smallest change to look for; unless given, what the run-to-run noise allows", type = "fraction",
                 needs = { "metric" } },
  budget = { "run at most N times; unless given, 200, or 4 times the runs of the first look if that is more",
             type = "integer", min = 1 },
  keep_images = { "keep at most N of the images that it pulls, and those it needs again; unless given, all",
                  type = "integer", min = 0 },
  exact = { "the numbers have no noise, such as sizes: any difference is a change, and nothing is run twice",
            type = "boolean", needs = { "metric" } },
  direction = { group = { "better", "only", "fail_on_regression" } },
  better = { "which values are better; unless given, what the metric's name and unit say", type = "string",
             choices = { "higher", "lower" }, needs = { "metric" } },
  only = { "list only these changes", type = "string", choices = { "regressions" }, needs_direction = true },
  predict = { "what you expect, such as 'step time -10 %, kernels fewer': the answer says whether each line is met",
              type = "string" },
  fail_on_regression = { "exit with code 4 if there is a regression", type = "boolean", needs_direction = true },
  every = { "measure everything, not only what the answer needs", type = "boolean" },
  environments = { group = { "python", "index", "keep" } },
  python = { "version or path of the Python; unless given, python3", type = "string" },
  index = { "address of an index that comes before the configured one, such as that of nightlies", type = "string",
            list = true },
  keep = { "environments to keep, those used last", type = "integer", default = 40, min = 2 },
  investigation = { "number or name of the investigation in --store; unless given, the newest", type = "string",
                    words = true },
  published = { group = { "investigation", "with_output", "keep_host", "yes" } },
  with_output = { "add the ends of failures' outputs and the variables; shows what was redacted and asks",
                  type = "boolean" },
  keep_host = { "keep host names and network addresses", type = "boolean" },
  yes = { "write it without a question", type = "boolean", short = "y" },
  same_node = { "run everything on the node of the first run", type = "boolean", not_with = { "spread" } },
  spread = { "measure both sides of each change on each node that was used", type = "boolean" },
}

-- The group "container": also the settings of containers that the engine lists. Of those, `setting` is the name in
-- reg.container.run. `permit`: what the user typed for it is permitted to a script from elsewhere, which may not set
-- it itself.
local function add_container()
  local group = { "runtime", "gpus", "gpus_per_trial", "lock_clocks", "network", "env", "mount", "input" }
  local listed = { gpus = true, network = true }
  for _, setting in ipairs(core.container_settings()) do
    local name = setting.option:gsub("-", "_")
    SHARED[name] = { setting.what, value = setting.value, type = "string", list = setting.list or nil,
                     setting = setting.name, permit = setting.grants and setting.option or nil }
    if not listed[name] then group[#group + 1] = name end
  end
  group[#group + 1], group[#group + 2] = "no_init", "pull"
  SHARED.container = { group = group }
end
add_container()

local definition = { SHARED = SHARED }

local function fail(name, message, hint) core.fail("usage", "options: '" .. name .. "'" .. message, hint) end

local function check(name, spec)
  if type(spec) ~= "table" or type(spec[1]) ~= "string" then
    fail(name, " must be a table", string.format('Write %s = { "what it is", type = "string" }.', name))
  end
  local keys = {}
  for key, value in pairs(spec) do keys[key] = key ~= 1 and value or nil end
  core.check_keys("options: '" .. name .. "'", keys, KEYS)
  if not values.TYPES[spec.type] then
    local names = sorted_names(values.TYPES)
    fail(name, ": not a valid type: '" .. tostring(spec.type) .. "'" .. core.did_you_mean(tostring(spec.type), names),
      "valid types: " .. table.concat(names, ", "))
  end
end

local function check_short(all, name, spec)
  if spec.short == nil then return end
  if type(spec.short) ~= "string" or not spec.short:match "^%a$" or spec.short == "h" then
    fail(name, ": short must be one letter other than h, which is --help")
  end
  local other = command_line.find_short(all, "-" .. spec.short)
  if other ~= name then fail(name, " and '" .. other .. "' both have short = \"" .. spec.short .. "\"") end
end

-- Adds a shared option; of a group, its members, which may be groups.
local function add_shared(all, name)
  local spec = SHARED[name] or core.fail("usage",
    "options: no shared option '" .. tostring(name) .. "'" .. core.did_you_mean(tostring(name), sorted_names(SHARED)),
    "shared options: " .. table.concat(sorted_names(SHARED), ", "))
  if not spec.group then all[name] = spec end
  for _, member in ipairs(spec.group or {}) do add_shared(all, member) end
end

--- The options, by name.
function definition.read(specs)
  local all = {}
  for _, name in ipairs(specs) do add_shared(all, name) end
  for name, spec in pairs(specs) do
    if type(name) == "string" then
      check(name, spec)
      all[name] = spec
    end
  end
  for name, spec in pairs(all) do check_short(all, name, spec) end
  return all
end

return definition
