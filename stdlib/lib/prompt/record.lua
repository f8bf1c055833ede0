-- What was typed at the prompt and did not fail, and the script that does the same.

local tokens_of = require "lib/help/tokens"

local MOST_LOCALS = 180  -- Lua allows a function 200

local Record = {}
Record.__index = Record

-- A chunk as the record keeps it; `found` is what prompt/locals says of it.
local function chunk(text, found) return { text = text, found = found } end

-- An expression, and how many values it had.
local function value(text, count) return { text = text, is_value = true, count = count } end

function Record:add(entry) self[#self + 1] = entry end

local function mentions(text, name)
  for _, token in ipairs(tokens_of(text)) do
    if token.kind == "name" and token.text == name then return true end
  end
  return false
end

-- Whether what follows entry number `at` wants the value that this one left in `_`.
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

-- The chunk with those of its locals that are new declared before it, and no others: what the line before declared is meant.
local function chunk_with_locals_before(found, fresh)
  local body = found.text
  if found.comment then body = body .. "\n" end
  if found.returns then body = ";(function(...) " .. body .. " end)()" elseif found.labels then body = "do " .. body .. " end" end
  return (#fresh > 0 and "local " .. table.concat(fresh, ", ") .. "\n" or "") .. body
end

-- Adds the variables that the text mentions to `known`, and whatever else looks like one.
local function note_names(text, known)
  local tokens = tokens_of(text)
  for i, token in ipairs(tokens) do
    local is_field = i > 1 and (tokens[i - 1].text == "." or tokens[i - 1].text == ":")
    if token.kind == "name" and not is_field then known[token.text] = true end
  end
end

-- A name that a line before speaks of is no new local: at the prompt both mean the same variable.
local function render(entries, head)
  local lines, known, count, uses_result, uses_help = {}, {}, 0, false, false
  for i, entry in ipairs(entries) do
    if entry.is_value then
      local used = entry.count > 0 and is_used_later(entries, i)
      uses_result = uses_result or used
      lines[#lines + 1] = value_lines(entry.text, entry.count, used)
    else
      local found, fresh = entry.found, {}
      local again = found.returns or found.labels
      for _, name in ipairs(found.names) do
        if known[name] then again = true else fresh[#fresh + 1] = name end
        known[name] = true
      end
      if count + #fresh > MOST_LOCALS then fresh, again = {}, true end
      count = count + #fresh
      lines[#lines + 1] = again and chunk_with_locals_before(found, fresh) or found.as_locals
    end
    note_names(entry.text, known)
    uses_help = uses_help or mentions(entry.text, "help")
  end
  if uses_result then table.insert(lines, 1, "local _") end
  if uses_help then table.insert(lines, 1, "local help = reg.help") end
  table.insert(lines, 1, "#!/usr/bin/env regengine\n--- " .. head .. "\n")
  return table.concat(lines, "\n") .. "\n"
end

--- The script, as text, and of how many entries it is. Questions for help are none of it.
function Record:script()
  local entries = {}
  for _, entry in ipairs(self) do
    if tokens_of(entry.text)[1].text ~= "help" then entries[#entries + 1] = entry end
  end
  return render(entries, "Typed at the prompt, " .. os.date "!%Y-%m-%d" .. "."), #entries
end

--- The script that does what the entry does: all that was defined before it, without what was only looked at. It is the same
--- when the entry is typed again after Ctrl-C, so that a sweep goes on.
function Record:script_of(entry)
  local entries = {}
  for _, earlier in ipairs(self) do
    if not earlier.is_value then entries[#entries + 1] = earlier end
  end
  entries[#entries + 1] = entry
  return render(entries, "Typed at the prompt.")
end

return { new = function() return setmetatable({}, Record) end, chunk = chunk, value = value }
