-- What a suite file says: checked, and made into the matrix of its experiments.

local known = require "internal/known"

local KEYS = { "name", "workloads", "axes", "where", "skip", "tiers", "command", "env", "metric", "accelerator", "prepare", "repo",
  "rev", "build", "image", "gpus", "network", "mounts", "memory",
  "shm_size", "profile", "verify" }
local VERIFY_KEYS = { "reference", "result", "repeat_reference", "metric", "tolerance", "atol", "dtype", "shape" }
-- What a configuration has beside its axes when a command is made of it.
local TAKEN = { "workload", "repeats", "iterations", "folder", "dump", "profile" }

local definition = {}

local function usage(message, hint) core.fail("usage", "suite: " .. message, hint) end

local function check_type(d, key, ...)
  local value = d[key]
  if value == nil then return end
  for _, kind in ipairs { ... } do
    if type(value) == kind then return end
  end
  usage(string.format("'%s' must be a %s, not a %s", key, table.concat({ ... }, " or a "), type(value)))
end

local function check_metric(metric)
  for name, pattern in pairs(type(metric) == "table" and metric or {}) do
    if type(name) ~= "string" or type(pattern) ~= "string" then
      usage("'metric' must name patterns", 'as { total_time = "run: {number} s" }; without it the seconds of each process count')
    end
  end
end

local function check_verify(verify)
  if not verify then return end
  known("suite: verify", verify, VERIFY_KEYS)
  if type(verify.result) ~= "string" or type(verify.reference) ~= "table" then
    usage("'verify' needs a result and a reference",
      '{ result = "out.npy", reference = { dynamo = "eager" } }: the file that the command leaves in $DUMP_DIR, and the values of the '
        .. "axes that give the numbers it is held against")
  end
end

--- Raises usage for what is no suite.
function definition.check(d)
  if type(d) ~= "table" then usage("a suite is a table: { name =, workloads =, command =, ... }") end
  known("suite", d, KEYS)
  for _, key in ipairs { "image", "rev" } do check_type(d, key, "function", "string") end
  for _, key in ipairs { "name", "accelerator", "repo", "gpus", "network", "memory", "shm_size" } do
    check_type(d, key, "string")
  end
  for _, key in ipairs { "workloads", "axes", "skip", "tiers", "mounts", "verify" } do check_type(d, key, "table") end
  for _, key in ipairs { "where", "profile" } do check_type(d, key, "function") end
  for _, key in ipairs { "command", "prepare", "build" } do check_type(d, key, "function", "table", "string") end
  check_type(d, "env", "function", "table")
  check_type(d, "metric", "table", "string")
  if not d.name or d.name == "" then usage("needs a name", 'name = "compressors"') end
  if not d.command then usage("needs a command", 'command = function(c) return { c.workload, "-" .. c.level } end') end
  if not d.workloads or #d.workloads == 0 then usage("needs workloads", 'workloads = { "gzip", "xz" }') end
  for _, name in ipairs(d.workloads) do
    if type(name) ~= "string" or name == "" then usage("a workload is a text, not " .. tostring(name)) end
  end
  for _, axis in ipairs(d.axes or {}) do
    for _, name in ipairs(TAKEN) do
      if type(axis) == "table" and axis[name] ~= nil then usage("an axis cannot be called '" .. name .. "'") end
    end
  end
  check_metric(d.metric)
  check_verify(d.verify)
end

--- Every experiment of the suite that is supported, those to be recorded as skipped among them.
function definition.matrix(d)
  local axes = { { workload = d.workloads } }
  table.move(d.axes or {}, 1, #(d.axes or {}), 2, axes)
  local matrix = reg.matrix(axes)
  if d.where then matrix = matrix:where(d.where) end
  for _, rule in ipairs(d.skip or {}) do
    if type(rule) ~= "table" then usage("'skip' is a list of { function(c) ... end, \"the reason\" }") end
    matrix = matrix:skip(rule[1], rule[2])
  end
  return matrix
end

-- The workloads of the tiers, once each.
local function of_tiers(d, names)
  local list, tiers = {}, {}
  for name in pairs(d.tiers or {}) do tiers[#tiers + 1] = name end
  table.sort(tiers)
  for _, name in ipairs(names) do
    local tier = (d.tiers or {})[name]
    if not tier then
      usage("there is no tier '" .. name .. "'" .. core.did_you_mean(name, tiers),
        #tiers > 0 and table.concat(tiers, ", ") or "the suite has none")
    end
    table.move(tier, 1, #tier, #list + 1, list)
  end
  return list
end

local function shard(matrix, words)
  local i, n = words:match "^(%d+)/(%d+)$"
  if not i then usage("--shard '" .. words .. "' is none", "--shard 2/4 is the second of four parts") end
  return matrix:shard(math.tointeger(i), math.tointeger(n))
end

-- The one configuration that has these values: { workload = "gzip", level = 9 }, or the same as JSON.
local function only(matrix, wanted)
  if type(wanted) == "string" then
    local ok, values = pcall(reg.json.decode, wanted)
    if not ok or type(values) ~= "table" then
      usage("--config '" .. wanted .. "' is no JSON object", '--config \'{"workload":"gzip","level":9}\'')
    end
    wanted = values
  end
  local found = matrix:where(function(c)
    for name, value in pairs(wanted) do
      if c[name] ~= value then return false end
    end
    return true
  end)
  if #found == 1 then return found end
  local ids = {}
  for i, c in ipairs(#found > 0 and found or matrix) do ids[i] = c.id end
  usage(#found == 0 and "no configuration is " .. reg.json.encode(wanted) or "several configurations are " .. reg.json.encode(wanted),
    "one of: " .. table.concat(ids, "; ", 1, math.min(#ids, 8)) .. (#ids > 8 and "; ..." or ""))
end

--- Those of them that the options choose: filter, exclude, tier (lists), shard ("i/n") and config (the values of one).
function definition.chosen(d, o)
  local matrix = definition.matrix(d):filter(o.filter or {}):exclude(o.exclude or {})
  if #(o.tier or {}) > 0 then matrix = matrix:only(of_tiers(d, o.tier)) end
  if o.shard then matrix = shard(matrix, o.shard) end
  if o.config then matrix = only(matrix, o.config) end
  return matrix
end

--- The axes beside the workload, as { name = value }.
function definition.values(d, c)
  local values = {}
  for _, axis in ipairs(d.axes or {}) do
    local name = next(axis)
    values[name] = c[name]
  end
  return values
end

--- A workload's folder below the results'.
function definition.workload_folder(workload) return (workload:gsub("[^%w_+-]", "_")) end

local function words_of(d, c, between)
  local words = {}
  for _, axis in ipairs(d.axes or {}) do
    local name = next(axis)
    words[#words + 1] = name .. "=" .. (c[name] == reg.json.null and "null" or tostring(c[name]))
  end
  return table.concat(words, between)
end

--- How it is called in tables and messages: "gzip level=9 threads=4".
function definition.id(d, c) return ((c.workload .. " " .. words_of(d, c, " ")):gsub(" $", "")) end

--- A name for the folder of a configuration: "gzip/level=9,threads=4", with nothing that a file system minds.
function definition.folder(d, c)
  local text = words_of(d, c, ",")
  if text == "" then text = "only" end
  return definition.workload_folder(c.workload) .. "/" .. text:gsub("[^%w.,=_+-]", "_"):sub(1, 120)
end

return definition
