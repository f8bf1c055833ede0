-- reg.help: documentation from the stubs and from the heads of the shipped scripts.

local strategies = require "lib/strategies"
local stubs = require "lib/help/stubs"
local usage = require "lib/options/usage"
local values = require "lib/values"
local wrapped = core.nouns.report.wrap

local find, map, only, sorted_names = values.find, values.map, values.only, values.sorted_names

local help = {}

local MAX_SENTENCE = 130  -- longer first sentences are cut at a colon

local function first_sentence(doc)
  local text = doc:gsub("\n\n.*", ""):gsub("%s+", " ")
  local sentence = text:match "^(.-%.)%s" or text
  return #sentence > MAX_SENTENCE and sentence:match("^(.-)[:;]%s") or sentence
end

local function title(entry)
  local owner, name = entry.name:match "^(.*)%.([^%.]+)$"
  if entry.method then return (owner:match "[^%.]+$"):lower() .. ":" .. name .. entry.arguments end
  return "reg." .. entry.name .. entry.arguments
end

local function value_line(value)
  local optional = value.optional and value.type:sub(-1) ~= "?"
  return { "  " .. value.name, value.type .. (optional and "?" or ""), value.doc or "" }
end

-- Adds rows whose columns line up, but for the last one.
local function add_rows(out, rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i = 1, #row - 1 do widths[i] = math.max(widths[i] or 0, math.min(#row[i], 40)) end
  end
  for _, row in ipairs(rows) do
    local parts = map(row, function(text, i) return i < #row and ("%-" .. widths[i] .. "s"):format(text) or text end)
    out[#out + 1] = table.concat(parts, "  "):gsub("%s+$", "")
  end
  return out
end

local function add_values(out, heading, fields)
  if #fields == 0 then return end
  out[#out + 1] = heading
  add_rows(out, map(fields, value_line))
end

local function add_example(out, entry)
  local example = stubs.example(entry)
  if not example then return end
  out[#out + 1] = "Example:"
  for line in example:gmatch "[^\n]+" do out[#out + 1] = "  " .. line end
end

local function show_function(entry)
  local out, seen = { title(entry), entry.doc }, {}
  local function add_classes(classes, heading)
    for _, class in ipairs(classes) do
      if not seen[class.name] then add_values(out, heading:format(class.name), stubs.fields(class)) end
      seen[class.name] = true
    end
  end
  for _, param in ipairs(entry.params) do
    local classes = stubs.classes_of(param.type)
    if #classes == 0 then add_values(out, "Argument:", { param }) end
    add_classes(classes, "Fields of " .. param.name .. " (%s):")
  end
  for _, result in ipairs(entry.returns) do
    out[#out + 1] = "Returns: " .. result.type .. (result.doc ~= "" and "  " .. result.doc or "")
    add_classes(only(stubs.classes_of(result.type), function(class) return #class.fields > 0 end), "Fields:")
  end
  add_example(out, entry)
  return table.concat(out, "\n")
end

-- The functions of an owner, each with its first sentence.
local function function_rows(owner)
  return map(sorted_names(stubs.all().functions), function(name)
    local entry = stubs.all().functions[name]
    return name:match "^(.*)%.[^%.]+$" == owner and { "  " .. title(entry), first_sentence(entry.doc) } or nil
  end)
end

local function show_class(class)
  local out = { class.name, class.doc }
  add_values(out, "Fields:", stubs.fields(class))
  add_rows(out, function_rows(class.name))
  add_example(out, class)
  return table.concat(out, "\n")
end

local function show_overview()
  local docs = stubs.all()
  local rows = map(sorted_names(reg), function(name)
    local entry = docs.functions[name] or docs.classes[name]
    return entry and { "  reg." .. name, first_sentence(entry.doc) }
  end)
  local out = { "Members of reg:" }
  add_rows(out, rows)
  out[#out + 1] = "Shipped scripts (regengine nightly.lua --help):"
  add_rows(out, map(usage.shipped(), function(name)
    return { "  " .. name, first_sentence(usage.first_words(name)) }
  end))
  out[#out + 1] = "help \"container.run\" shows a function with its options and an example, help \"nightly\" a script."
  return table.concat(out, "\n")
end

local function as_name(text) return (stubs.short(text):gsub(":", "."):gsub("%(.*$", "")) end

-- The name of a method as help prints it: "repo:log" is git.Repo.log.
local function method_called(text)
  return (find(sorted_names(stubs.all().functions), function(name)
    local entry = stubs.all().functions[name]
    return entry.method and as_name(title(entry)) == text
  end))
end

-- The name that a table has for a value; nil for none.
local function name_in(members, value)
  for name, member in pairs(members) do
    if member == value then return name end
  end
end

-- The name of a topic: a name, a function, a noun's table or an object.
local function name_of(topic)
  if type(topic) == "string" then
    local name = as_name(topic)
    return stubs.all().functions[name] == nil and method_called(name) or name
  end
  if topic == reg then return "" end
  if type(topic) == "userdata" then return getmetatable(topic) end
  return name_in(stubs.visible(), topic) or name_in(reg, topic) or core.registered_name(topic) or tostring(topic)
end

--- The text that reg.help prints.
--- ```lua
--- local text = reg.help.text "report.table"
--- ```
---@param topic? string|function|table|userdata
---@return string text
function help.text(topic)
  if topic == nil then return show_overview() end
  if strategies.name_of(topic) then return strategies.text(strategies.name_of(topic)) end
  local name = name_of(topic)
  if name == "" or name == "reg" then return show_overview() end
  local docs = stubs.all()
  if docs.functions[name] then
    local text = show_function(docs.functions[name])
    local is_script_too = core.embedded("scripts/" .. name .. ".lua")
    return is_script_too and text .. "\nFor the shipped script of this name: help \"" .. name .. ".lua\"" or text
  end
  if docs.classes[name] then return show_class(docs.classes[name]) end
  local rows = function_rows(name)
  local script = name:gsub("%.lua$", "") .. ".lua"
  if core.embedded("scripts/" .. script) then
    local specs, head = usage.options_of(script)
    return usage.text(specs, script, head)
  end
  if #rows > 0 then return table.concat(add_rows({ "reg." .. name }, rows), "\n") end
  core.fail("not_found", "help: no such topic: '" .. name .. "'" .. core.did_you_mean(name, stubs.topics()),
    "Call help() for a list, or run regengine help reg.")
end

-- The example is not wrapped, so that it can be copied.
local function show(topic)
  local text, example = help.text(topic), ""
  local at = text:find("\nExample:\n", 1, true)
  if at then text, example = text:sub(1, at - 1), text:sub(at) end
  print(wrapped(text) .. example)
end

--- Prints the documentation of a function, a noun, a class or an object: its options, what it returns and an example;
--- for a shipped script ("nightly") its description and options; without a topic, a list of everything in `reg`. At the
--- prompt it is also the global `help`. Raises not_found for an unknown name.
--- ```lua
--- reg.help "report.table"
--- ```
---@param topic? string|function|table|userdata as in "container.run", reg.container.run or reg.container
return setmetatable(help, { __call = function(_, topic) show(topic) end })
