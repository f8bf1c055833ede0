-- Records what was typed at the prompt and did not fail, as a script that does the same.

local sorted_names = require "lib/sorted_names"
local tokens_of = require "lib/prompt/tokens"

local MAX_LOCALS = 180  -- Lua allows 200 in a function

local Record = {}
Record.__index = Record

-- An entry for a chunk; `found` is what prompt/locals returns for it, `strategies` the names of those that it calls.
local function chunk(text, found, strategies) return { text = text, found = found, strategies = strategies } end

-- An entry for an expression and the number of its values.
local function value(text, count, strategies)
  return { text = text, is_value = true, count = count, strategies = strategies }
end

function Record:add(entry) self[#self + 1] = entry end

local function mentions(text, name)
  for _, token in ipairs(tokens_of(text)) do
    if token.kind == "name" and token.text == name then return true end
  end
  return false
end

-- Whether a later entry uses the value that entry number `at` left in `_`.
local function is_used_later(record, at)
  for i = at + 1, #record do
    if mentions(record[i].text, "_") then return true end
    if record[i].is_value and record[i].count > 0 then return false end
  end
  return false
end

local function value_lines(text, count, used)
  if count == 0 then return text end
  local tokens = tokens_of(text)
  if tokens[#tokens].kind == "comment" then text = text .. "\n" end
  if used then return "_ = " .. text .. "\nprint(reg.inspect(_))" end
  return "print(reg.inspect(" .. text .. "))"
end

-- The chunk with its new locals declared before it. Names declared by earlier lines mean those.
local function chunk_with_locals_before(found, fresh)
  local body = found.text
  if found.comment then body = body .. "\n" end
  if found.returns then
    body = ";(function(...) " .. body .. " end)()"
  elseif found.labels then
    body = "do " .. body .. " end"
  end
  return (#fresh > 0 and "local " .. table.concat(fresh, ", ") .. "\n" or "") .. body
end

-- Adds the names that the text mentions to `names`, except fields.
local function add_names(text, names)
  local tokens = tokens_of(text)
  for i, token in ipairs(tokens) do
    local is_field = i > 1 and (tokens[i - 1].text == "." or tokens[i - 1].text == ":")
    if token.kind == "name" and not is_field then names[token.text] = true end
  end
end

-- The strategies that the entries call, the last one first.
local function strategies_of(entries)
  local seen = {}
  for _, entry in ipairs(entries) do
    for _, name in ipairs(entry.strategies or {}) do seen[name] = true end
  end
  local names = sorted_names(seen)
  table.sort(names, function(a, b) return a > b end)
  return names
end

-- A name that an earlier entry mentions is not a new local: at the prompt both are the same variable.
local function render(entries, head)
  local lines, seen, count, uses_result, uses_help = {}, {}, 0, false, false
  for i, entry in ipairs(entries) do
    if entry.is_value then
      local used = entry.count > 0 and is_used_later(entries, i)
      uses_result = uses_result or used
      lines[#lines + 1] = value_lines(entry.text, entry.count, used)
    else
      local found, fresh = entry.found, {}
      local again = found.returns or found.labels
      for _, name in ipairs(found.names) do
        if seen[name] then again = true else fresh[#fresh + 1] = name end
        seen[name] = true
      end
      if count + #fresh > MAX_LOCALS then fresh, again = {}, true end
      count = count + #fresh
      lines[#lines + 1] = again and chunk_with_locals_before(found, fresh) or found.as_locals
    end
    add_names(entry.text, seen)
    uses_help = uses_help or mentions(entry.text, "help")
  end
  if uses_result then table.insert(lines, 1, "local _") end
  if uses_help then table.insert(lines, 1, "local help = reg.help") end
  for _, name in ipairs(strategies_of(entries)) do
    table.insert(lines, 1, ("local %s = reg.strategy %q"):format(name, name))
  end
  table.insert(lines, 1, "#!/usr/bin/env regengine\n--- " .. head .. "\n")
  return table.concat(lines, "\n") .. "\n"
end

--- The script, as text, and its number of entries. It leaves out calls of help.
function Record:script()
  local entries = {}
  for _, entry in ipairs(self) do
    if tokens_of(entry.text)[1].text ~= "help" then entries[#entries + 1] = entry end
  end
  return render(entries, "Typed at the prompt, " .. os.date "!%Y-%m-%d" .. "."), #entries
end

--- The script of one entry: everything defined before it, without expressions that were only shown. It is the same when
--- the entry is typed again after Ctrl-C, so that a sweep resumes.
function Record:script_of(entry)
  local entries = {}
  for _, earlier in ipairs(self) do
    if not earlier.is_value then entries[#entries + 1] = earlier end
  end
  entries[#entries + 1] = entry
  return render(entries, "Typed at the prompt.")
end

return { new = function() return setmetatable({}, Record) end, chunk = chunk, value = value }
