-- Reads the stubs: LuaLS annotations, under stdlib/meta for what C++ registers, and derived from the `---` comments of
-- the modules for what is written in Lua. Lists what is really there to compare them with. help(), completion, the
-- generated reference, what --stubs writes and the test of the stubs use it.

local usage = require "lib/options/usage"
local values = require "lib/values"

local sorted_names = values.sorted_names

local stubs = {}

-- Splits a type off the front of `text`. It may contain spaces within brackets and quotes and around "|".
local function take_type(text)
  local depth, at, quoted = 0, 1, false
  while at <= #text do
    local c = text:sub(at, at)
    if c == '"' then quoted = not quoted end
    if c:find "[%(%{%[<]" then depth = depth + 1 end
    if c:find "[%)%}%]>]" then depth = depth - 1 end
    if c:find "%s" and depth == 0 and not quoted then
      local before, after = text:sub(at - 1, at - 1), text:match("^%s*(.?)", at)
      if not (before:find "[|:,]" or after == "|") then break end
    end
    at = at + 1
  end
  return text:sub(1, at - 1), (text:sub(at):gsub("^%s+", ""))
end

-- "name? type words" as { name, optional, type, doc }.
local function read_value(text)
  local name, optional, rest = text:match "^([%w_%.]+)(%??)%s*(.*)$"
  if not name then return nil end
  local type, doc = take_type(rest)
  return { name = name, optional = optional == "?" or type:find "%?$" ~= nil, type = type, doc = doc }
end

--- The name without the leading "reg." that the stubs write.
function stubs.short(name) return (name:gsub("^reg%.", "")) end

-- Splits the example, a fenced block of Lua, from the text around it.
local function text_and_example(lines)
  local text, example, inside = {}, nil, false
  for _, line in ipairs(lines) do
    if line:find "^```" then
      inside = not inside
      if inside then example = example or {} end
    elseif inside then
      example[#example + 1] = line
    else
      text[#text + 1] = line
    end
  end
  local trimmed = table.concat(text, "\n"):gsub("^%s+", ""):gsub("%s+$", "")
  return trimmed, example and table.concat(example, "\n")
end

-- Adds one file of stubs to `found`: functions and classes by name, names without the leading "reg.".
local function read_stub(text, file, found)
  local doc, params, returns, class, line_number = {}, {}, {}, nil, 0
  local last           -- field, parameter or result, whose words go on in the next line
  local class_of = {}  -- of the stub's local variables
  local function forget() doc, params, returns, last = {}, {}, {}, nil end

  local function add_class(name, above, text_before, example)
    class = { name = stubs.short(name), doc = text_before, example = example, fields = {}, file = file,
              parents = values.map(values.matches(above, "[%w_%.]+"), stubs.short), line = line_number }
    found.classes[class.name] = class
    forget()
  end

  local function add_function(path, separator, name, arguments)
    local text_before, example = text_and_example(doc)
    local owner = class_of[path] or stubs.short(path)
    local full = (owner == "" or owner == "reg") and name or owner .. "." .. name
    found.functions[full] = { name = full, doc = text_before, example = example, params = params, returns = returns,
                              arguments = arguments, method = separator == ":", file = file,
                              line = line_number }
    forget()
  end

  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    line_number = line_number + 1
    local tag, rest = line:match "^%-%-%-%s?@(%w+)%s*(.*)$"
    if tag == "class" then
      local name, above = rest:match "^([%w_%.]+)%s*:?%s*(.*)$"
      add_class(name, above, text_and_example(doc))
    elseif tag == "alias" then
      local name, type = rest:match "^([%w_%.]+)%s+(.*)$"
      add_class(name, "", "One of " .. type)
    elseif line:find "^%-%-%-%s?|" then  -- continues the alias
      class.doc = class.doc .. line:match "^%-%-%-%s?(.*)$"
    elseif tag == "field" then
      local field = read_value(rest)
      if class and field then class.fields[#class.fields + 1] = field end
      last = field
    elseif tag == "param" then
      params[#params + 1] = read_value(rest) or { name = rest:match "^%S+", type = rest:match "^%S+%s*(.*)$", doc = "" }
      last = params[#params]
    elseif tag == "return" then
      local type, words = take_type(rest)
      returns[#returns + 1] = { type = type, doc = words }
      last = returns[#returns]
    elseif not tag and last and line:find "^%-%-%-" then
      last.doc = last.doc .. " " .. line:match "^%-%-%-%s*(.*)$"
    elseif not tag and line:find "^%-%-%-" then
      doc[#doc + 1] = line:match "^%-%-%- ?(.*)$"
    elseif not tag then  -- other tags (@meta, ...) are for editors
      local path, separator, name, arguments = line:match "^function%s+([%w_%.]-)([%.:]?)([%w_]+)%s*(%b())"
      local variable = line:match "^local%s+([%w_]+)%s*="
      if name then
        add_function(path, separator, name, arguments)
      elseif variable and class then
        class_of[variable] = class.name
      end
      if not line:find "%S" then forget() end
    end
  end
end

-- "(o)" with the names that the comment gives the parameters; without arguments, those of the comment.
local function named(block, arguments)
  local names = values.matches("\n" .. block, "\n%-%-%-@param ([%w_%.]+)")
  local given = values.map(values.matches(arguments or "", "[%w_%.]+"), function(own, i) return names[i] or own end)
  return "(" .. table.concat(arguments and given or names, ", ") .. ")"
end

--- The stub of a Lua file: its `---` comments that belong to a class, to a method of such a class or, in the public
--- module of the name `module`, to what it returns or has.
function stubs.derive(text, module)
  local out, block, classes = {}, {}, {}

  local function add(code) out[#out + 1] = table.concat(block, "\n") .. code .. "\n" end
  local function add_function(name, arguments)
    add("\nfunction " .. name .. named(table.concat(block, "\n"), arguments) .. " end")
  end
  local function add_class(variable)
    classes[variable or ""] = true
    if block[1]:find "@class %(partial%)" then return end  -- the stub of a class of C++ says the rest
    add(not variable and "" or "\n" .. (variable == module and "reg." or "local ") .. variable .. " = {}")
  end

  local function add_block(line)
    local path, separator, name, arguments = line:match "^function ([%w_]+)([%.:])([%w_]+)%s*(%b())"
    local assigned = module and line:match("^" .. module .. "%.([%w_]+) = ")
    if path and path == module then
      add_function("reg." .. module .. "." .. name, arguments)
    elseif classes[path] then
      add_function(path .. separator .. name, arguments)
    elseif assigned then
      add_function("reg." .. module .. "." .. assigned)
    elseif module and line:find "^return " then
      add_function("reg." .. module, line:match "^return function(%b())")
    elseif block[1]:find "^%-%-%-@alias" or table.concat(block, "\n"):find "%-%-%-@class" then
      add_class(line:match "^local ([%w_]+) =")
    end
  end

  for line in (text .. "\n"):gmatch "(.-)\n" do
    if line:find "^%-%-%-" then
      block[#block + 1] = line
    elseif #block > 0 then
      add_block(line)
      block = {}
    end
  end
  return table.concat(out, "\n")
end

local function container_settings()
  local fields = values.map(core.container_settings(), function(setting)
    return ("---@field %s? %s %s\n"):format(setting.name, setting.type, setting.what)
  end)
  return "\n--- What a container has and may use.\n---@class container.Settings\n" .. table.concat(fields)
end

--- The stubs of what C++ registers, { [file] = text }.
function stubs.written()
  local texts = {}
  for _, name in ipairs(core.embedded_names()) do
    local file = name:match "^stdlib/meta/(.*)$"
    if file then texts[file] = core.embedded(name) end
  end
  texts["container.lua"] = texts["container.lua"] .. container_settings()
  return texts
end

--- The stubs of what is written in Lua: { [file] = text }. A private module's is in the file of the noun that its first
--- class belongs to.
function stubs.derived()
  local texts = {}
  for _, name in ipairs(core.embedded_names()) do
    local module = name:match "^stdlib/([%l_]+)%.lua$"
    local text = (module or name:find "^stdlib/lib/") and core.embedded(name) or ""
    local stub = (module or text:find("\n---@class", 1, true)) and stubs.derive(text, module) or ""
    if stub ~= "" then
      local file = (module or stub:match "@%l+ ([%w_]+)") .. ".lua"
      texts[file] = (texts[file] and texts[file] .. "\n" or "---@meta\n\n") .. stub
    end
  end
  return texts
end

--- All stubs, { [file] = text }.
function stubs.texts()
  local texts = stubs.derived()
  for file, text in pairs(stubs.written()) do
    texts[file] = texts[file] and text .. texts[file]:gsub("^%-%-%-@meta\n", "") or text
  end
  return texts
end

--- The content of stubs, { [file] = text }: { functions = { [name] = ... }, classes = { [name] = ... } }.
function stubs.read(texts)
  local found = { functions = {}, classes = {} }
  for _, file in ipairs(sorted_names(texts)) do read_stub(texts[file], file, found) end
  return found
end

local all
--- The stubs in the binary, read once.
function stubs.all()
  all = all or stubs.read(stubs.texts())
  return all
end

--- The example of a function or class; that of its class or noun where the function has none of its own and is in it.
function stubs.example(entry)
  local owner, name = entry.name:match "^(.*)%.([^%.]+)$"
  local class = not (entry.example or entry.fields) and stubs.all().classes[owner]
  local shared = class and (class.example or (stubs.all().classes[owner:match "^[^.]+"] or {}).example)
  return shared and shared:find("[%.:]" .. name .. "%f[^%w_]") and shared or entry.example
end

--- The fields of a class, those of its parents first; of one that several of them have, the last.
function stubs.fields(class)
  local fields, at = {}, {}
  local function add(list)
    for _, field in ipairs(list) do
      at[field.name] = at[field.name] or #fields + 1
      fields[at[field.name]] = field
    end
  end
  for _, name in ipairs(class.parents) do
    local parent = stubs.all().classes[name]
    if parent then add(stubs.fields(parent)) end
  end
  add(class.fields)
  return fields
end

--- The classes that a type names: "report.Series|report.Values?" names two.
function stubs.classes_of(type)
  local names = values.matches(type or "", "[%w_%.]+")
  return values.map(names, function(name) return stubs.all().classes[stubs.short(name)] end)
end

local function callable(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and meta.__call ~= nil
end

--- Every function that scripts can reach through `reg`, by name: "container.run", "sleep".
function stubs.visible()
  local functions = {}
  for name, member in pairs(reg) do
    if callable(member) then functions[name] = member end
    if type(member) == "table" then
      for key, value in pairs(member) do
        if type(key) == "string" and type(value) == "function" then functions[name .. "." .. key] = value end
      end
    end
  end
  return functions
end

--- The names that help accepts: functions, classes, nouns and shipped scripts.
function stubs.topics()
  return values.flat { usage.shipped(), sorted_names(stubs.all().functions), sorted_names(stubs.all().classes) }
end

return stubs
