-- What was typed at the prompt and did not fail, and the script that does the same.

local tokens_of = require "help/tokens"

local MOST_LOCALS = 180  -- Lua allows a function 200

local Record = {}
Record.__index = Record

--- `found` is what prompt/locals says of the chunk.
function Record:add_chunk(text, found) self[#self + 1] = { text = text, found = found } end

--- An expression, and how many values it had.
function Record:add_value(text, count) self[#self + 1] = { text = text, is_value = true, count = count } end

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

--- The script, as text.
function Record:script()
  local lines, have, count, uses_result, uses_help = {}, {}, 0, false, false
  for i, entry in ipairs(self) do
    local asks_help = tokens_of(entry.text)[1].text == "help"
    if not asks_help then
      uses_help = uses_help or mentions(entry.text, "help")
      if entry.is_value then
        local used = entry.count > 0 and is_used_later(self, i)
        uses_result = uses_result or used
        lines[#lines + 1] = value_lines(entry.text, entry.count, used)
      else
        local found, fresh = entry.found, {}
        local again = found.returns or found.labels
        for _, name in ipairs(found.names) do
          if have[name] then again = true else fresh[#fresh + 1] = name end
          have[name] = true
        end
        if count + #fresh > MOST_LOCALS then fresh, again = {}, true end
        count = count + #fresh
        lines[#lines + 1] = again and chunk_with_locals_before(found, fresh) or found.as_locals
      end
    end
  end
  if uses_result then table.insert(lines, 1, "local _") end
  if uses_help then table.insert(lines, 1, "local help = reg.help") end
  table.insert(lines, 1, "#!/usr/bin/env regengine\n--- Typed at the prompt, " .. os.date "!%Y-%m-%d" .. ".\n")
  return table.concat(lines, "\n") .. "\n"
end

return { new = function() return setmetatable({}, Record) end }
