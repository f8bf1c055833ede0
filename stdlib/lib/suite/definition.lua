-- A suite's table: checks it and makes the matrix of its experiments.

local combinations = require "lib/combinations"
local container = require "lib/options/container"
local direction = require "lib/direction"
local some = require("lib/report/numbers").some
local values = require "lib/values"

local find, map, only, set, sorted_names = values.find, values.map, values.only, values.set, values.sorted_names

local definition = {}

--- Fields that are options of reg.container.run, but for those that the user chooses, and env, which is different here.
local NOT_OF_SUITES = set { "env", "runtime", "pull" }
definition.CONTAINER = map(container.NAMES, function(name) return not NOT_OF_SUITES[name] and name or nil end)

-- The types of the other fields.
local COMMAND = "function or a table or a string"
local TYPES = { name = "string", accelerator = "string", repo = "string", image = "function or a string",
  rev = "function or a string", workloads = "table", axes = "table", skip = "table", tiers = "table", verify = "table",
  where = "function", profile = "function", command = COMMAND, prepare = COMMAND, build = COMMAND,
  env = "function or a table", metric = "table or a string" }
local KEYS = values.flat { sorted_names(TYPES), definition.CONTAINER }
local NEEDS = { { "name", "a name", 'name = "compressors".' },
  { "command", "a command", 'command = function(c) return { c.workload, "-" .. c.level } end.' },
  { "workloads", "workloads", 'workloads = { "gzip", "xz" }.' } }
local VERIFY_KEYS = { "reference", "result", "repeat_reference", "tolerance" }
-- Fields that a suite.Configuration has besides its axes.
local RESERVED = { "workload", "repeats", "iterations", "folder", "dump", "profile" }

--- Raises usage of reg.suite.
function definition.usage(message, hint) core.fail("usage", "suite: " .. message, hint) end
local usage = definition.usage

-- The names of the axes besides the workload, in their order.
local function axis_names(d) return map(d.axes or {}, function(axis) return (next(axis)) end) end

-- Raises usage unless the names of a list, which `what` has, are among the valid ones, each of which is `one`.
local function check_names(list, valid, what, one)
  local is_valid = set(valid)
  for _, name in ipairs(list) do
    if not is_valid[name] then
      usage(string.format("%s '%s', which is not %s%s", what, tostring(name), one,
        core.did_you_mean(tostring(name), valid)))
    end
  end
end

local function check_verify(d)
  local verify = d.verify
  if not verify then return end
  core.check_keys("suite: verify", verify, VERIFY_KEYS)
  if type(verify.result) ~= "string" or type(verify.reference) ~= "table" or next(verify.reference) == nil then
    usage("'verify' needs a result and a reference", 'Write { result = "out.npy", reference = { dynamo = "eager" } }: '
      .. "the file that the command writes to $DUMP_DIR, and the axis values of the reference configuration.")
  end
  local names = {}
  for name in pairs(verify.reference) do names[#names + 1] = name end
  check_names(names, axis_names(d), "the reference of 'verify' names", "an axis")
end

--- Raises usage for an invalid suite.
function definition.check(d)
  if type(d) ~= "table" then usage("a suite is a table: { name =, workloads =, command =, ... }") end
  core.check_keys("suite", d, KEYS)
  for _, name in ipairs(sorted_names(TYPES)) do
    local given = type(d[name])
    if given ~= "nil" and not TYPES[name]:find(given, 1, true) then
      usage(string.format("'%s' must be a %s, not a %s", name, TYPES[name], given))
    end
  end
  core.container_check(values.picked(d, definition.CONTAINER))
  for _, need in ipairs(NEEDS) do
    local value = d[need[1]]
    if not value or need[1] ~= "command" and #value == 0 then usage("needs " .. need[2], "Write " .. need[3]) end
  end
  for _, name in ipairs(d.workloads) do
    if type(name) ~= "string" or name == "" then usage("a workload must be a string, not " .. tostring(name)) end
  end
  if d.axes and #d.axes == 0 and next(d.axes) ~= nil then
    usage("'axes' must be a list of tables, which keeps their order",
      "Write axes = { { level = { 1, 9 } }, { threads = { 1, 4 } } }.")
  end
  for _, axis in ipairs(d.axes or {}) do
    local taken = type(axis) == "table" and find(RESERVED, function(name) return axis[name] ~= nil end)
    if taken then usage("'" .. taken .. "' is not a valid axis name") end
  end
  for tier, list in pairs(d.tiers or {}) do
    if type(list) ~= "table" then usage("tier '" .. tostring(tier) .. "' must be a list of workloads") end
    check_names(list, d.workloads, "tier '" .. tier .. "' lists", "a workload")
  end
  for name, pattern in pairs(type(d.metric) == "table" and d.metric or {}) do
    if type(name) ~= "string" or type(pattern) ~= "string" then
      usage("'metric' must map names to patterns",
        'Write { total_time = "run: {number} s" }, or leave it out to measure the seconds of each process.')
    end
  end
  check_verify(d)
end

--- The units of the metrics, { [name] = "s" }, as far as their patterns and names say so.
function definition.units(d)
  if not d.metric then return { total_time = "s" } end
  if type(d.metric) == "string" then return { total_time = direction.unit(d.metric) } end
  local units = {}
  for name, pattern in pairs(d.metric) do units[name] = direction.unit(pattern) or direction.unit(name) end
  return units
end

--- Every supported experiment of the suite, including those to be recorded as skipped.
function definition.matrix(d)
  local matrix, seen = combinations("suite", values.flat { { { workload = d.workloads } }, d.axes or {} }), {}
  for _, c in ipairs(matrix) do  -- two of the same name would share trials and a folder
    if seen[c.id] then usage("two experiments are called '" .. c.id .. "'", "Remove the duplicate value.") end
    seen[c.id] = true
  end
  if d.where then matrix = only(matrix, d.where) end
  for _, rule in ipairs(d.skip or {}) do  -- the first one counts
    if type(rule) ~= "table" or type(rule[1]) ~= "function" or type(rule[2]) ~= "string" then
      usage("'skip' must be a list of { function(c) ... end, \"the reason\" }")
    end
    for _, c in ipairs(matrix) do c.skipped = c.skipped or rule[1](c) and rule[2] or nil end
  end
  return matrix
end

local function workloads_of_tiers(d, names)
  local tiers = sorted_names(d.tiers or {})
  return values.flat(names, function(name)
    return (d.tiers or {})[name] or usage("no such tier: '" .. name .. "'" .. core.did_you_mean(name, tiers),
      #tiers > 0 and "Valid tiers: " .. table.concat(tiers, ", ") .. "." or "The suite defines no tiers.")
  end)
end

-- The one configuration with these values: { workload = "gzip", level = 9 }, or the same as JSON.
local function single(matrix, wanted)
  if type(wanted) == "string" then
    local ok, decoded = pcall(reg.json.decode, wanted)
    if not ok or type(decoded) ~= "table" then
      usage("--config: not a JSON object: '" .. wanted .. "'", 'Write --config \'{"workload":"gzip","level":9}\'.')
    end
    wanted = decoded
  end
  local found = only(matrix, function(c)
    for name, value in pairs(wanted) do
      if c[name] ~= value and reg.store.key { c[name] } ~= reg.store.key { value } then return false end
    end
    return true
  end)
  if #found == 1 then return found end
  local ids = map(#found > 0 and found or matrix, function(c) return c.id end)
  usage((#found == 0 and "no configuration matches " or "several configurations match ") .. reg.json.encode(wanted),
    "Choose one of: " .. some(ids, 8, "; "))
end

--- The experiments that the options choose: filter, exclude, tier (lists), shard ("i/n") and config (values of one).
function definition.choose(d, o)
  local filter, exclude, tier = o.filter or {}, o.exclude or {}, o.tier or {}
  local of_tier = set(workloads_of_tiers(d, tier))
  local function matches(c, list) return core.regex_found("(?:" .. table.concat(list, ")|(?:") .. ")", c.workload) end
  local matrix = only(definition.matrix(d), function(c)
    return (#filter == 0 or matches(c, filter)) and not (#exclude > 0 and matches(c, exclude))
      and (#tier == 0 or of_tier[c.workload])
  end)
  if o.shard then
    local i, n = o.shard:match "^(%d+)/(%d+)$"
    i, n = math.tointeger(i), math.tointeger(n)
    if not i or i < 1 or i > n then
      usage("not a valid shard: '" .. o.shard .. "'", "Write --shard 2/4 for the second of four parts.")
    end
    matrix = only(matrix, function(_, at) return at % n == i % n end)  -- every n-th one, so that the parts are alike
  end
  if o.config then matrix = single(matrix, o.config) end
  return matrix
end

--- A field of the suite that may be a function: the field itself, or what the function returns for `argument`.
function definition.resolve(field, argument)
  if type(field) == "function" then return field(argument) end
  return field
end

--- The axes besides the workload, as { name = value }.
function definition.values(d, c) return values.picked(c, axis_names(d)) end

--- Whether this is what the command of an experiment or a build may be.
function definition.is_command(command)
  return (type(command) == "string" or type(command) == "table") and #command > 0
end

-- A name that is valid on every file system: characters that match `unsafe` become "_". A name that changed or is too
-- long ends in a hash of the original, so that no two share a folder.
local function file_name(text, unsafe)
  local name = text:gsub(unsafe, "_")
  if name == text and #name <= 120 then return name end
  return name:sub(1, 120) .. "-" .. reg.store.key({ text }):sub(1, 8)
end

--- A workload's folder in the results folder. Without dots, since it lies beside results.jsonl and the store.
function definition.workload_folder(workload) return file_name(workload, "[^%w_+-]") end

local function axes_text(d, c, separator)
  return table.concat(map(axis_names(d), function(name)
    return name .. "=" .. (type(c[name]) == "string" and c[name] or reg.json.encode(c[name]))
  end), separator)
end

--- Its name in tables and messages: "gzip level=9 threads=4".
function definition.id(d, c) return ((c.workload .. " " .. axes_text(d, c, " ")):gsub(" $", "")) end

--- The folder of a configuration: "gzip/level=9,threads=4".
function definition.folder(d, c)
  local text = axes_text(d, c, ",")
  return definition.workload_folder(c.workload) .. "/" .. (text == "" and "only" or file_name(text, "[^%w.,=_+-]"))
end

return definition
