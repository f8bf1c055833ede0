-- The types of options: how --help shows a value, and how its text is checked and converted.

local command_line = require "lib/options/command_line"
local pattern = require "lib/metric_pattern"

local MAX_VALUES = 1000  -- of a parameter
local RESERVED = { id = true, skipped = true }

local types = {}

--- Whether it is an address that git clones from, such as https://host/name or git@host:name.
function types.is_url(text) return text:match "^%a[%w+.-]*://" ~= nil or text:match "^[%w._-]+@[%w.-]+:" ~= nil end

--- The name and the path, or URL, of a repository, "xla=/src/xla". Without a name it is the last part of the path.
function types.repository(text)
  local name, path = text:match "^([%w_.-]+)=(.+)$"
  if name then return name, path end
  name = text:gsub("/+$", ""):match "([^/]+)$" or "repo"
  return types.is_url(text) and name:gsub("%.git$", "") or name, text
end

-- FIRST..LAST[:STEP]
local function numbers_of(text)
  local from, to, step = text:match "^(%-?%d[%d.]-)%.%.(%-?%d[%d.]*):?(.*)$"
  from, to, step = tonumber(from), tonumber(to), step == "" and 1 or tonumber(step)
  if not (from and to and step) or step <= 0 or to < from or (to - from) / step >= MAX_VALUES then return nil end
  local values = {}
  for i = 0, (to - from) / step + 1e-9 do values[#values + 1] = string.format("%.10g", from + i * step) end
  return values
end

-- VALUE,VALUE
local function values_in(text)
  local values = {}
  for value in (text .. ","):gmatch "([^,]*)," do
    if value == "" then return nil end
    values[#values + 1] = value
  end
  return values
end

-- NAME=VALUE,VALUE and NAME=FIRST..LAST[:STEP] of a scan, as an axis for reg.matrix: { NAME = { "1", "2" } }; nil for
-- a text that is not a valid parameter.
local function parameter(text)
  local name, list = text:match "^([%a_][%w_]*)=(.+)$"
  if not name or RESERVED[name] then return nil end
  local values
  if list:find("..", 1, true) then values = numbers_of(list) else values = values_in(list) end
  return values and { [name] = values }
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
  local _, path = types.repository(text)
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
  runtime = { value = "RUNTIME", choices = { "docker", "podman", "local" } },
  -- NAME alone is replaced by its value where the user typed it (command_line.lua), so a script from elsewhere gets no
  -- variable of its user by itself.
  variable = { value = "NAME[=VALUE]", is = "a variable", hint = "Write it as NAME=VALUE.",
    convert = function(text) return text:match "^[%a_][%w_]*=" and text end },
  parameter = { value = "NAME=VALUES", is = "a valid parameter", convert = parameter,
    hint = "Write it as level=1,2,4, level=1..8 or level=1..8:2." },
  mount = { value = "HOST[:INSIDE[:ro]]", convert = function(text) return core.container_mount(text) and text end },
  input = { value = "PATH", convert = function(text) return (core.container_mount(text .. ":ro")) end },
  repo_or_url = { value = "[NAME=]PATH|URL", problem = function(text)
    local _, path = types.repository(text)
    if not types.is_url(path) then return repository_problem(text) end
  end, convert = function(text) return string.format("%s=%s", types.repository(text)) end },
  repo = { value = "PATH", problem = repository_problem, convert = function(text, spec)
    return spec.list and string.format("%s=%s", types.repository(text)) or text
  end },
}

-- What f returns; or nil, what it raised about the option, and what to do.
local function attempt(shown, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if type(result) ~= "table" or result.kind ~= "usage" and result.kind ~= "not_found" then error(result, 0) end
  return nil, shown .. ": " .. result.message, result.hint
end

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

types.TYPES = TYPES

function types.choices(spec) return spec.choices or TYPES[spec.type].choices end

--- How the command line names the option.
function types.shown(name, spec) return spec.words and name:upper() or command_line.flag_of(name) end

--- The option's value from its text, or from its default; or nil, what is wrong and what to do.
function types.convert(name, spec, given)
  local text, type, shown = tostring(given), TYPES[spec.type], types.shown(name, spec)
  local choices = types.choices(spec)
  if text == "" and (spec.required or spec.type ~= "string") then return nil, shown .. " must not be empty" end
  if choices and not command_line.is_choice(choices, text) then
    return nil, shown .. ": not a valid value: '" .. text .. "'" .. core.did_you_mean(text, choices),
      "Choose one of: " .. table.concat(choices, ", ")
  end
  local what, hint, unseen
  if type.file then what, hint, unseen = file_problem(text, spec) end
  if type.problem and not what and not unseen then what, hint = type.problem(text) end
  if what then return nil, shown .. ": " .. what, hint end
  if spec.contains and not text:find((spec.contains:gsub("^({%a+)}$", "%1")), 1, true) then
    return nil, string.format("%s has no %s: '%s'", shown, spec.contains, text),
      "Put " .. spec.contains .. " where it varies."
  end
  if spec.setting then
    local _, wrong, advice = attempt(shown, core.container_check_setting, spec.setting, text)
    if wrong then return nil, wrong, advice end
  end
  if not type.convert then return text end
  local value, wrong, advice = attempt(shown, type.convert, text, spec)
  if wrong then return nil, wrong, advice end
  if value == nil or value == false and spec.type ~= "boolean" then
    return nil, shown .. ": not " .. type.is .. ": '" .. text .. "'", type.hint
  end
  if spec.min and value < spec.min then
    return nil, string.format("%s must be at least %s: '%s'", shown, spec.min, text)
  end
  return value
end

return types
