-- What the completions and the man page say about the program: from `regengine --help` for the engine's own options and
-- commands, and from the options that the shipped strategies declare.

local usage = reg.private "lib/options/usage"

-- The lines of a section of --help: those below its heading, up to an empty one.
local function section(help, heading)
  local text = assert(("\n" .. help):match("\n" .. heading .. "[^\n]*:\n(.-)\n\n"), "no section: " .. heading)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  return lines
end

-- { { short, flag, value, what }, ... }; `list` if it may be repeated.
local function engine_options(help)
  local options = {}
  for i, line in ipairs(section(help, "Options")) do
    local left, what = line:match "^  (%S.-)  +(.*)$"
    local short, rest = left:match "^(%-%a),(.*)$"
    local flag, value = (rest or left):match "^(%-%-[%a-]+) ?([%u=]*)"
    options[i] = { short = short, flag = flag, value = value ~= "" and value or nil, what = what, notes = "",
                   list = left:find("...", 1, true) ~= nil }
  end
  return options
end

-- { { name, what, argument, rows }, ... }: `name` is nil for a file; `rows` has { usage, what } of each of its forms.
local function commands(help)
  local list = {}
  for _, line in ipairs(section(help, "Other commands")) do
    local shown, what = line:match "^  (%S.-)  +(.*)$"
    local name, argument = shown:match "^(%l+) ?(.*)$"
    local last = list[#list]
    if not last or last.name ~= name or not name then
      last = { name = name, what = what, rows = {} }
      list[#list + 1] = last
    end
    last.argument = argument ~= "" and argument or nil
    table.insert(last.rows, { shown, what })
  end
  return list
end

-- { { name, what, about, groups }, ... }
local function strategies()
  local list = {}
  for i, name in ipairs(usage.shipped()) do
    local specs, text = usage.options_of(name .. ".lua")
    list[i] = { name = name, what = usage.first_words(name):gsub("%.$", ""):gsub(": .*", ""), about = usage.about(text),
                groups = usage.groups(specs or {}, text) }
  end
  return list
end

local HELP = { flag = "--help", short = "-h", what = "print this help", notes = "" }

-- { { strategies = { name, ... }, options }, ... }: the options that the same strategies have, in a fixed order.
local function by_strategies(all)
  local names, options, order = {}, {}, {}
  for _, strategy in ipairs(all) do
    local function add(option)
      local key = table.concat({ option.flag, option.value or "", option.what, option.notes }, "\0")
      if not options[key] then
        options[key], names[key] = option, {}
        order[#order + 1] = key
      end
      table.insert(names[key], strategy.name)
    end
    for _, group in ipairs(strategy.groups) do
      for _, option in ipairs(group) do add(option) end
    end
    add(HELP)
  end
  local sets, found = {}, {}
  for _, key in ipairs(order) do
    local set = table.concat(names[key], " ")
    if not found[set] then
      found[set] = { strategies = names[key], options = {} }
      sets[#sets + 1] = found[set]
    end
    table.insert(found[set].options, options[key])
  end
  return sets
end

-- How a value is completed: "files", "folders", "images", the option's own choices, or nothing.
local KINDS = { FILE = "files", DIR = "folders", PATH = "folders", IMAGE = "images" }
local KINDS_OF_TYPES = { input = "files", mount = "files", repo = "folders", repo_or_url = "folders" }

local function kind_of(option)
  return option.choices and "choices" or KINDS_OF_TYPES[option.type] or KINDS[option.value]
    or (option.words or option.name == "store") and option.type == "string" and "files" or nil
end

return function(help)
  local all = strategies()
  return { what = help:match "^[^\n]*", examples = help:match "\n\n(.-)\n\n", strategies = all,
           options = engine_options(help), commands = commands(help), sets = by_strategies(all), kind_of = kind_of,
           exit_codes = help:match "\n(Exit codes: .-)%s*$" }
end
