-- The pattern of a metric: text with {number} in it, or a Lua pattern with a capture. It is checked as a whole, because
-- Lua itself notices a fault only where a match reaches it.

local measured = require "lib/measured"
local sorted_names = require("lib/values").sorted_names

-- What {number} matches: digits as any program prints them, and nan or inf, so that they can be refused by name.
local NUMBER = "([-+]?[%w.,_]+[-+]?%d*)"
local BLANKS = "[ \t]+"
local WRITE = "Write it as 'MLUPS: {number}', or as a Lua pattern with one capture."

local function to_lua(text)
  if not text:find("{number}", 1, true) then return text end
  return (text:gsub("{number}", "\0"):gsub("%p", "%%%0"):gsub(BLANKS, BLANKS):gsub("%z", { ["\0"] = NUMBER }))
end

-- The position after the set [...] that begins at `i`; nil if it has no end. A "]" right at its beginning is a member.
local function after_set(lua, i)
  if lua:sub(i, i) ~= "[" then return nil end
  i = i + (lua:sub(i + 1, i + 1) == "^" and 2 or 1)
  repeat
    if i > #lua then return nil end
    i = i + (lua:sub(i, i) == "%" and 2 or 1)
  until lua:sub(i, i) == "]"
  return i + 1
end

-- How many captures a Lua pattern has; nil if it is malformed.
local function captures_of(lua)
  local count, open, i = 0, 0, 1
  while i <= #lua do
    local c, following = lua:sub(i, i), lua:sub(i + 1, i + 1)
    if c == "[" or c == "%" and following == "f" then
      i = after_set(lua, c == "[" and i or i + 2)
      if not i then return nil end
    elseif c == "%" then
      local back = tonumber(following)
      if following == "" or back and (back == 0 or back > count - open) then return nil end
      i = i + (following == "b" and 4 or 2)
      if i > #lua + 1 then return nil end
    else
      if c == "(" then count, open = count + 1, open + 1 elseif c == ")" then open = open - 1 end
      if open < 0 then return nil end
      i = i + 1
    end
  end
  return open == 0 and count or nil
end

local pattern = {}

--- The Lua pattern of `text`, and how many captures it has; or nil, what is wrong and how to write it.
function pattern.parse(text)
  if type(text) ~= "string" or text == "" then return nil, "the pattern must be a string such as 'MLUPS: {number}'" end
  local lua = to_lua(text)
  local count = captures_of(lua)
  if not count then return nil, "not a valid pattern: '" .. text .. "'", WRITE end
  return lua, count
end

--- What is wrong with a pattern that must capture a number, and how to write it; nil if nothing is.
function pattern.problem(text)
  if text:sub(1, 1) == "@" then
    if measured[text] then return nil end
    local names = sorted_names(measured)
    return "not a measured number: '" .. text .. "'" .. core.did_you_mean(text, names),
      "Choose one of: " .. table.concat(names, ", ")
  end
  local lua, count, hint = pattern.parse(text)
  if not lua then return count, hint end
  local what = "the pattern '" .. text .. "' "
  if count == 0 then
    if text:find "{[^{}]*}" then
      return what .. "captures no number: did you mean {number}?",
        "Write it as '" .. text:gsub("{[^{}]*}", "{number}", 1) .. "'."
    end
    return what .. "captures no number", text:find "^[%w_ /]+$" and "Write it as '" .. text .. ": {number}'." or WRITE
  end
  if lua ~= text then return nil end  -- with {number} all the rest means itself
  if text:find "\\[dws.]" then return what .. "is a regular expression, not a Lua pattern", WRITE end
  if text:find("()", 1, true) then return what .. "captures a position, not a number", WRITE end
end

return pattern
