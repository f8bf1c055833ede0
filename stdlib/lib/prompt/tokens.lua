-- A tokenizer for Lua that accepts unfinished text, for completion and the prompt's locals.

local IS_KEYWORD = {}
for _, word in ipairs(require "lib/prompt/keywords") do IS_KEYWORD[word] = true end

-- The end of the quoted string that begins at `at`; nil if it is open.
local function end_of_string(text, at)
  local quote, from = text:sub(at, at), at + 1
  while true do
    local stop = text:find("[\\\n" .. quote .. "]", from)
    local c = stop and text:sub(stop, stop)
    if c == quote then return stop end
    if c ~= "\\" then return nil end
    from = stop + 2
  end
end

-- The end of the long string or comment with `level`, its equals signs; nil if it is open.
local function end_of_long(text, at, level)
  local _, stop = text:find("]" .. level .. "]", at, true)
  return stop
end

local function end_of_number(text, at)
  local _, stop = text:find("^[%w_%.]+", at)
  if text:find("[eEpP]", stop) and text:find("^[+-]%d", stop + 1) then _, stop = text:find("^[+-][%w_]+", stop + 1) end
  return stop
end

local function end_of_symbol(text, at)
  if text:find("^%.%.%.", at) then return at + 2 end
  local two = text:sub(at, at + 1)
  return (("  .. == ~= <= >= // :: << >> "):find(" " .. two .. " ", 1, true)) and at + 1 or at
end

--- The tokens of `text` in order, without comments: { kind, text, from, to, open }. kind is "name", "keyword",
--- "number", "string" or "symbol"; `open` marks a string or a comment (kind "comment") that does not end.
return function(text)
  local tokens, at = {}, 1
  local function add(kind, to)
    tokens[#tokens + 1] = { kind = kind, text = text:sub(at, to or #text), from = at, to = to or #text,
      open = not to or nil }
    at = (to or #text) + 1
  end
  while true do
    at = text:find("%S", at)
    if not at then return tokens end
    local long, comment = text:match("^%[(=*)%[", at), text:match("^%-%-%[(=*)%[", at)
    if comment then
      local stop = end_of_long(text, at, comment)
      if stop then at = stop + 1 else add "comment" end
    elseif text:find("^%-%-", at) then
      local stop = text:find("\n", at, true)
      if stop then at = stop else add "comment" end
    elseif long then
      add("string", end_of_long(text, at, long))
    elseif text:find("^[\"']", at) then
      add("string", end_of_string(text, at))
    elseif text:find("^[%a_]", at) then
      local _, stop = text:find("^[%w_]+", at)
      add(IS_KEYWORD[text:sub(at, stop)] and "keyword" or "name", stop)
    elseif text:find("^%.?%d", at) then
      add("number", end_of_number(text, at))
    else
      add("symbol", end_of_symbol(text, at))
    end
  end
end
