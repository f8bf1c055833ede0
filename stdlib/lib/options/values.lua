-- The values of options: their types, how --help shows a value, how its text is checked and converted, and what options
-- ask of one another:
--   not_after = "to"          its value must not be greater
--   needs = { "metric" }      they must be given too; needs_both_ends: where the good end is given
--   not_with = { "metric" }   they must not be given
--   required_unless = { "image" }  it must be given unless one of them is
--   goes_back = true          the good end: without it, the search goes back to a good one, by a number to --good-value
--   revision_of = "repo"      its value must be a commit of that repository, or a date
--   needs_direction = true    it must be known whether higher or lower values of --metric are better

local command_line = require "lib/options/command_line"
local direction = require "lib/direction"
local pattern = require "lib/metric_pattern"
local lists = require "lib/values"

local flag_of = command_line.flag_of

local MAX_VALUES = 1000  -- of a parameter
local RESERVED = { id = true, skipped = true }

local values = {}

--- Whether it is an address that git clones from, such as https://host/name or git@host:name.
function values.is_url(text) return text:match "^%a[%w+.-]*://" ~= nil or text:match "^[%w._-]+@[%w.-]+:" ~= nil end

--- The name and the path, or URL, of a repository, "xla=/src/xla". Without a name it is the last part of the path.
function values.repository(text)
  local name, path = text:match "^([%w_.-]+)=(.+)$"
  if name then return name, path end
  name = text:gsub("/+$", ""):match "([^/]+)$" or "repo"
  return values.is_url(text) and name:gsub("%.git$", "") or name, text
end

-- FIRST..LAST[:STEP]
local function numbers_of(text)
  local from, to, step = text:match "^(%-?%d[%d.]-)%.%.(%-?%d[%d.]*):?(.*)$"
  from, to, step = tonumber(from), tonumber(to), step == "" and 1 or tonumber(step)
  if not (from and to and step) or step <= 0 or to < from or (to - from) / step >= MAX_VALUES then return nil end
  local numbers = {}
  for i = 0, (to - from) / step + 1e-9 do numbers[#numbers + 1] = string.format("%.10g", from + i * step) end
  return numbers
end

-- VALUE,VALUE
local function list_of(text)
  local list = lists.matches(text .. ",", "([^,]*),")
  return not lists.set(list)[""] and list or nil
end

-- NAME=VALUE,VALUE and NAME=FIRST..LAST[:STEP] of a scan, as an axis: { NAME = { "1", "2" } }; nil for
-- a text that is not a valid parameter.
local function parameter(text)
  local name, list = text:match "^([%a_][%w_]*)=(.+)$"
  if not name or RESERVED[name] then return nil end
  local axis = (list:find("..", 1, true) and numbers_of or list_of)(list)
  return axis and { [name] = axis }
end

local function decimal(text) return text and text:match "^[-+.%deE]+$" and tonumber(text) end

-- The lines that a patch has: of git's own, or of any other.
local function is_patch(text)
  text = "\n" .. text
  return text:find("\ndiff --git ", 1, true)
    or text:find("\n--- ", 1, true) and text:find("\n+++ ", 1, true) and text:find("\n@@ ", 1, true)
end

-- What is wrong with a path that should be a repository, and what to do. Any other mistake shows when it is opened.
local function repository_problem(text)
  local _, path = values.repository(text)
  local ok, why = pcall(reg.git.open, path)
  if ok or type(why) ~= "table" or why.kind ~= "not_found" then return nil end
  return why.message, "Pass the root of a clone."
end

-- `value`: its word in --help. convert(text, spec) gives nil or false for a text that is not what `is` says; `hint`
-- says how to write it. `file`: it must exist. problem(text) says what is wrong beyond that, and what to do.
local TYPES = {
  boolean = { is = "true or false", convert = function(text) return text == "true" end },
  string = { value = "VALUE" },
  integer = { value = "N", is = "an integer", convert = function(text)
    return text:match "^[-+]?%d+$" and math.tointeger(tonumber(text))
  end },
  number = { value = "N", is = "a number", convert = function(text)
    local number = decimal(text)
    return number and math.abs(number) < math.huge and number
  end },
  fraction = { value = "PERCENT", is = "a valid fraction", hint = "Write it as 1% or 0.01.", convert = function(text)
    local percent, number = decimal(text:match "^(.-) ?%%$"), decimal(text)
    if percent then return percent > 0 and percent / 100 end
    return number and number > 0 and number < 1 and number
  end },
  duration = { value = "DURATION", is = "a valid duration", hint = "Write it as 90s, 20m, 1h30m or 14d.",
    convert = function(text) return pcall(reg.time.seconds, text) and text end },
  clock = { value = "[CLOCK]", is = "a valid clock", hint = "Write it as 1395 (MHz) or 70%.", convert = function(text)
    return (text == "auto" or command_line.is_clock(text)) and text
  end },
  date = { value = "DATE", is = "a valid date", hint = "Write it as 2023-08-24, yesterday or 14d ago.",
    convert = function(text) return #text == 10 and pcall(reg.time.parse, text) and text end },
  time = { value = "TIME", is = "a valid time",
    hint = "Write it as 2023-08-24, 2023-08-24T13:00, yesterday or 6h ago, in UTC.",
    convert = function(text) return pcall(reg.time.parse, text) and text end },
  day_or_name = { value = "VALUE" },          -- such as a release
  file = { value = "FILE", file = true },     -- read
  output = { value = "FILE" },                -- written
  output_folder = { value = "DIR" },           -- written into
  script = { value = "FILE", file = true },   -- run by reg.test_command
  patch = { value = "FILE", file = true, problem = function(text)
    if not is_patch(reg.fs.read(text)) then
      return "not a patch: '" .. text .. "'", "Make one with git diff or git format-patch."
    end
  end },
  metric = { value = "PATTERN", problem = pattern.problem },
  command = { value = "COMMAND" },
  image = { value = "IMAGE" },
  runtime = { value = "RUNTIME", choices = { "docker", "podman", "local", "slurm" } },
  -- NAME alone is replaced by its value where the user typed it (command_line.lua), so a script from elsewhere gets no
  -- variable of its user by itself.
  variable = { value = "NAME[=VALUE]", is = "a variable", hint = "Write it as NAME=VALUE.",
    convert = function(text) return text:match "^[%a_][%w_]*=" and text end },
  parameter = { value = "NAME=VALUES", is = "a valid parameter", convert = parameter,
    hint = "Write it as level=1,2,4, level=1..8 or level=1..8:2." },
  mount = { value = "HOST[:INSIDE[:ro]]", convert = function(text) return core.container_mount(text) and text end },
  input = { value = "PATH", convert = function(text) return (core.container_mount(text .. ":ro")) end },
  repo_or_url = { value = "[NAME=]PATH|URL", problem = function(text)
    local _, path = values.repository(text)
    if not values.is_url(path) then return repository_problem(text) end
  end, convert = function(text) return string.format("%s=%s", values.repository(text)) end },
  repo = { value = "PATH", problem = repository_problem, convert = function(text, spec)
    return spec.list and string.format("%s=%s", values.repository(text)) or text
  end },
}

-- The files of a shared script are blocks of the same Markdown file.
local function where_it_is(path)
  local settings, name = core.settings(), path:match "[^/]*$"
  local line = settings.files[name]
  return line and string.format("Save the block at line %d of %s as %s.", line, settings.script, path)
end

-- Why the file cannot be read, and what to do; nil if it can. Whether it can, for a script from elsewhere, is decided
-- once that has declared what it needs.
local function file_problem(path, spec)
  if path == "-" and spec.stdin then return nil end
  local ok, why = pcall(core.file_hash, path)
  if ok then return nil end
  if why.kind == "permission" then
    if core.untrusted() then return nil, nil, true end
    error(why, 0)
  end
  if why.kind ~= "not_found" then return why.message, why.hint end
  return "no such file: '" .. path .. "'", where_it_is(path) or "Pass a file that exists."
end

values.TYPES = TYPES

function values.choices(spec) return spec.choices or TYPES[spec.type].choices end

--- How the command line names the option.
function values.shown(name, spec) return spec.words and name:upper() or command_line.flag_of(name) end

-- The option's value from its text, or from its default. Without one adds what is wrong to `problems`.
local function convert(name, spec, given, problems)
  local text, type, shown = tostring(given), TYPES[spec.type], values.shown(name, spec)
  local choices = values.choices(spec)
  if text == "" and (spec.required or spec.type ~= "string") then return problems:add(shown .. " must not be empty") end
  if choices and not command_line.is_choice(choices, text) then
    return problems:add(shown .. ": not a valid value: '" .. text .. "'" .. core.did_you_mean(text, choices),
      "Choose one of: " .. table.concat(choices, ", "))
  end
  local what, hint, unseen
  if type.file then what, hint, unseen = file_problem(text, spec) end
  if type.problem and not what and not unseen then what, hint = type.problem(text) end
  if what then return problems:add(shown .. ": " .. what, hint) end
  if spec.contains and not text:find((spec.contains:gsub("^({%a+)}$", "%1")), 1, true) then
    return problems:add(string.format("%s has no %s: '%s'", shown, spec.contains, text),
      "Put " .. spec.contains .. " where it varies.")
  end
  local value, why = lists.caught("usage not_found", function()
    if spec.setting then core.container_check_setting(spec.setting, text) end
    if type.convert then return type.convert(text, spec) end
    return text
  end)
  if why then return problems:add(shown .. ": " .. why.message, why.hint) end
  if value == nil or value == false and spec.type ~= "boolean" then
    return problems:add(shown .. ": not " .. type.is .. ": '" .. text .. "'", type.hint)
  end
  if spec.min and math.type(value) and value < spec.min then
    return problems:add(string.format("%s must be at least %s: '%s'", shown, spec.min, text))
  end
  return value
end

--- The names of options, required ones first.
function values.sorted(specs)
  return lists.sort_by(lists.sorted_names(specs), function(name) return specs[name].required and 0 or 1 end)
end

-- Times compare as times; what is not a valid one was reported before.
local function comparable(value) return type(value) == "string" and reg.time.parse(value) or value end

-- The option of the good end, if the script has one that it can do without and it is not given.
local function absent_good_end(all, given)
  for name, spec in pairs(all) do
    local where = type(spec.goes_back) == "string" and (given.values[spec.goes_back] or { "" })[1] or "{date"
    local goes_back = spec.goes_back and where:find("{date", 1, true)
    if goes_back and not given.values[name] and not given.meant[name] then return name end
  end
end

-- The commit that a date means: the last one of HEAD's first parents at or before it. nil where there is none.
local function commit_of_date(repo, date)
  local seconds = date:find "^%d%d%d%d%-%d%d%-%d%d" and reg.time.parse(date)
  return seconds and repo:log({ first_parent = true, ["until"] = seconds, limit = 1 })[1]
end

-- The revision, or the commit that a date means; or nil, why it is not a commit of the repository, and what to do.
local function revision_of(path, revision)
  local opened, repo = pcall(reg.git.open, path)
  if not opened then return revision end
  local ok, why = pcall(repo.resolve, repo, revision)
  if ok or type(why) ~= "table" or why.kind ~= "not_found" then return revision end
  local commit = commit_of_date(repo, revision)
  if not commit then return nil, why.message, why.hint end
  reg.log.info("%s is %s %s", revision, commit.short, commit.subject)
  return commit.id
end

-- Adds to `problems` what the values ask of one another in vain.
local function relate(all, read, given, problems)
  local absent = absent_good_end(all, given)
  if absent and given.values.metric and not given.values.good_value and not given.meant.good_value then
    problems:add(string.format("by a number, it needs %s, or --good-value to go back to a good one", flag_of(absent)))
  end
  for _, name in ipairs(lists.sorted_names(all)) do
    local spec, value = all[name], read[name]
    local other = value ~= nil and spec.not_after and read[spec.not_after]
    local of_one_day = other and spec.type == "time" and value:sub(1, 10) == other
    if other and not of_one_day and comparable(value) > comparable(other) then
      problems:add(string.format("%s %s is %s %s %s", flag_of(name), value,
        type(value) == "string" and "after" or "greater than", flag_of(spec.not_after), other), "Swap the two.")
    end
    local repo = value and spec.revision_of and read[spec.revision_of]
    if repo then
      local what, hint
      read[name], what, hint = revision_of(repo, value)
      if what then problems:add(flag_of(name) .. ": " .. what, hint) end
    end
    local wants = value and spec.needs_direction and read.metric and not read.better
    if wants and not direction.of(read.metric) then
      local what, hint = direction.unknown(read.metric)
      problems:add(flag_of(name) .. ": " .. what, hint)
    end
    for _, needed in ipairs(lists.flat { spec.needs or {}, not absent and spec.needs_both_ends or {} }) do
      if given.values[name] and all[needed] and not given.values[needed] and not given.meant[needed] then
        problems:add(flag_of(name) .. " needs " .. flag_of(needed))
      end
    end
    for _, excluded in ipairs(given.values[name] and spec.not_with or {}) do
      if given.values[excluded] then
        problems:add(flag_of(name) .. " cannot be used with " .. flag_of(excluded), "Remove one of the two.")
      end
    end
  end
end

-- The option's value from the words given for it, else from its default.
local function value_of(name, spec, given, problems)
  local default = spec.default
  if default == nil and spec.type == "boolean" then default = false end
  local list = lists.map(given or type(default) == "table" and default or { default }, function(one)
    return convert(name, spec, one, problems)
  end)
  if spec.list then return list end
  return list[1]
end

-- A folder of somebody else may have a link by the name that is written unless another is given.
local function check_default(name, spec, problems)
  local folder, path = reg.fs.absolute ".", reg.fs.absolute(spec.default)
  if path:sub(1, #folder + 1) == folder .. "/" then return end
  problems:add(("%s is a link to %s, outside this folder"):format(spec.default, path),
    ("Remove the link, or name the file with %s."):format(values.shown(name, spec)))
end

-- An option that must be given and is not, with those that may be given in its place: "--image or --requirements".
local function missing(name, all, given)
  local spec = all[name]
  local names = lists.flat { { name }, spec.required_unless or {} }
  local found = lists.find(names, function(one) return given.values[one] or given.meant[one] end)
  if found or not (spec.required or spec.required_unless) then return nil end
  return table.concat(lists.map(names, function(one) return values.shown(one, all[one]) end), " or ")
end

--- The values of all options. Raises usage with everything that is wrong with the command line.
function values.read(all, given, problems)
  local read = {}
  for _, name in ipairs(values.sorted(all)) do
    local spec, needed = all[name], missing(name, all, given)
    if needed then
      problems:add("needs " .. needed .. ": " .. spec[1])
    else
      read[name] = value_of(name, spec, given.values[name], problems)
      if spec.type == "output" and spec.default and not given.values[name] then check_default(name, spec, problems) end
    end
  end
  relate(all, read, given, problems)
  problems:raise()
  -- As Worktree:checkout takes it.
  if all.submodules and (read.no_submodules or #read.submodules == 0) then
    read.submodules = not read.no_submodules
  end
  return read
end

return values
