-- The types of options: how --help shows a value, and how its text is checked and converted.

local command_line = require "lib/options/command_line"
local repository = require "lib/options/repository"

local misuse = command_line.misuse

local function decimal(text) return text and text:match "^[-+.%deE]+$" and tonumber(text) end

-- `value`: its word in --help. convert(text, spec) gives nil or false for a text that is not what `is` says; `hint`
-- says how to write it.
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
  date = { value = "DATE", is = "a valid date", hint = "Write it as 2023-08-24.",
    convert = function(text) return #text == 10 and pcall(reg.time.parse, text) and text end },
  time = { value = "TIME", is = "a valid time", hint = "Write it as 2023-08-24 or 2023-08-24T13:00, in UTC.",
    convert = function(text) return pcall(reg.time.parse, text) and text end },
  file = { value = "FILE" },     -- read
  output = { value = "FILE" },   -- written
  script = { value = "FILE" },   -- run by reg.test_command
  command = { value = "COMMAND" },
  image = { value = "IMAGE" },
  runtime = { value = "RUNTIME", choices = { "docker", "podman", "local" } },
  -- NAME alone is replaced by its value where the user typed it (command_line.lua), so a script from elsewhere gets no
  -- variable of its user by itself.
  variable = { value = "NAME[=VALUE]", is = "a variable", hint = "Write it as NAME=VALUE.",
    convert = function(text) return text:match "^[%a_][%w_]*=" and text end },
  mount = { value = "HOST[:INSIDE[:ro]]", convert = function(text) return core.container_mount(text) and text end },
  input = { value = "PATH", convert = function(text) return (core.container_mount(text .. ":ro")) end },
  repo = { value = "PATH", convert = function(text, spec)
    return spec.list and string.format("%s=%s", repository(text)) or text
  end },
}

-- What f raises is about the option: a misuse of the command line.
local function attempt(shown, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  if type(result) ~= "table" or result.kind ~= "usage" and result.kind ~= "not_found" then error(result, 0) end
  misuse(shown .. ": " .. result.message, result.hint)
end

-- The files of a shared script are blocks of the same Markdown file.
local function where_it_is(path)
  local settings, name = core.settings(), path:match "[^/]*$"
  local line = settings.files[name]
  return line and string.format("Save the block at line %d of %s as %s.", line, settings.script, path)
end

local function check_file(shown, path)
  local ok, why = pcall(core.file_hash, path)
  if ok then return end
  if why.kind == "permission" then error(why, 0) end
  misuse(shown .. (why.kind == "not_found" and ": no such file: '" .. path .. "'" or ": " .. why.message),
    where_it_is(path) or "Pass a file that exists.")
end

local types = { TYPES = TYPES }

function types.choices(spec) return spec.choices or TYPES[spec.type].choices end

--- The option's value from its text, or from its default.
function types.convert(name, spec, given)
  local text, type, shown = tostring(given), TYPES[spec.type], spec.words and name:upper() or command_line.flag_of(name)
  local choices = types.choices(spec)
  if text == "" and (spec.required or spec.type ~= "string") then misuse(shown .. " must not be empty") end
  if choices and not command_line.is_choice(choices, text) then
    misuse(shown .. ": not a valid value: '" .. text .. "'" .. core.did_you_mean(text, choices),
      "Choose one of: " .. table.concat(choices, ", "))
  end
  if spec.type == "file" or spec.type == "script" then check_file(shown, text) end
  if spec.setting then attempt(shown, core.container_check_setting, spec.setting, text) end
  if not type.convert then return text end
  local value = attempt(shown, type.convert, text, spec)
  if value == nil or value == false and spec.type ~= "boolean" then
    misuse(shown .. ": not " .. type.is .. ": '" .. text .. "'", type.hint)
  end
  if spec.min and value < spec.min then misuse(string.format("%s must be at least %s: '%s'", shown, spec.min, text)) end
  return value
end

return types
