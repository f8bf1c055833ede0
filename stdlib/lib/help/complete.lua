-- What may stand at the end of a line, for the prompt. Nothing is called but what reads: names, branches, files, and the list
-- of this machine's images.

local keywords = require "lib/help/keywords"
local texts = require "lib/help/texts"
local tokens_of = require "lib/help/tokens"
local types = require "lib/help/types"
local stubs = require "lib/help/stubs"

local OPENERS = { ["("] = true, ["{"] = true, ["["] = true }
local CLOSERS = { [")"] = true, ["}"] = true, ["]"] = true }
local ENDS_VALUE = { [")"] = true, ["}"] = true, ["]"] = true }

-- The brackets that are open behind the last token: { at (the token's number), symbol, commas (behind it), keys (used so far) }.
local function open_brackets(tokens)
  local open = {}
  for at, token in ipairs(tokens) do
    local text = token.kind == "symbol" and token.text
    local inner = open[#open]
    if OPENERS[text] then
      open[#open + 1] = { at = at, symbol = text, commas = 0, keys = {} }
    elseif CLOSERS[text] then
      table.remove(open)
    elseif inner and (text == "," or text == ";") then
      inner.commas = inner.commas + 1
    elseif inner and text == "=" and tokens[at - 1].kind == "name" then
      inner.keys[tokens[at - 1].text] = true
    end
  end
  return open
end

local wanted_at

-- The fields that a type lets a table have.
local function fields_of_type(text)
  local fields = {}
  for _, class in ipairs(stubs.classes_of(text)) do table.move(stubs.fields(class), 1, #stubs.fields(class), #fields + 1, fields) end
  for key, type in (text:match "^{(.*)}%??$" or ""):gmatch "([%w_]+)%??%s*:%s*([^,]+)" do
    fields[#fields + 1] = { name = key, type = type }
  end
  return fields
end

-- The fields of the table that bracket number `level` opens, the stub of the function that takes it and whose method it is.
local function fields_at(tokens, open, level, env)
  local wanted, entry, owner = wanted_at(tokens, open, level - 1, open[level].at, env)
  return wanted and fields_of_type(wanted.type) or {}, entry, owner
end

-- What a value at token number `at` is for, within the first `level` brackets: a parameter or a field of the stubs.
function wanted_at(tokens, open, level, at, env)
  local before, inner = tokens[at - 1], open[level]
  if not before then return nil end
  if before.kind == "name" or before.kind == "symbol" and ENDS_VALUE[before.text] then  -- f "text", f { ... }
    local called = types.of_expression(tokens, at - 1, env)
    local entry = called and called.entry
    return entry and entry.params[1], entry, called and called.owner
  end
  if inner and inner.symbol == "(" and (before.text == "(" or before.text == ",") then
    local called = types.of_expression(tokens, inner.at - 1, env)
    local entry = called and called.entry
    local first = inner.commas > 0 and types.of_expression(tokens, inner.at + 1, env)  -- as the repository of reg.history
    return entry and entry.params[inner.commas + 1], entry, called and called.owner or first
  end
  if inner and inner.symbol == "{" and before.text == "=" then
    local fields, entry, owner = fields_at(tokens, open, level, env)
    for _, field in ipairs(fields) do
      if field.name == tokens[at - 2].text then return field, entry, owner end
    end
  end
end

local function fitting(part, candidates)
  local names, seen = {}, {}
  for _, name in ipairs(candidates) do
    local private = name:sub(1, 1) == "_" and part:sub(1, 1) ~= "_"
    if name:sub(1, #part) == part and not seen[name] and not private then names[#names + 1] = name end
    seen[name] = true
  end
  table.sort(names)
  return names
end

local function in_string(tokens, open, env)
  local string = tokens[#tokens]
  local part = string.text:sub(2)
  local wanted, entry, owner = wanted_at(tokens, open, #open, #tokens, env)
  local plain = {}
  for _, text in ipairs(wanted and texts(wanted, entry, owner, part) or {}) do
    if not text:find "[%c\\'\"]" then plain[#plain + 1] = text end  -- it would end the string, or is no name anybody means
  end
  return part, fitting(part, plain), string.text:sub(1, 1)
end

-- The option keys that may stand behind the last token; none where a value is meant.
local function option_keys(tokens, open, env)
  local inner, last = open[#open], tokens[#tokens]
  local begins = inner and inner.symbol == "{" and (last.text == "{" or last.text == "," or last.text == ";")
  local keys = {}
  for _, field in ipairs(begins and fields_at(tokens, open, #open, env) or {}) do
    if not inner.keys[field.name] then keys[#keys + 1] = field.name end
  end
  return keys
end

-- Names that can be read here: globals, the prompt's locals, those of the text before, keywords.
local function plain_names(tokens, env)
  local names = table.move(keywords, 1, #keywords, 1, {})
  for _, scope in ipairs { env, _G } do
    for name in next, scope do names[#names + 1] = type(name) == "string" and name or nil end
  end
  for i, token in ipairs(tokens) do
    local next = tokens[i + 1]
    if token.text == "local" and next and next.kind == "name" then names[#names + 1] = next.text end
  end
  return names
end

--- What may stand at the end of `text`, for a reader whose globals are `env`: the part that is there already, whole names,
--- sorted, and what comes behind the name when there is only one.
return function(text, env)
  env = env or _G
  local tokens = tokens_of(text)
  local last = tokens[#tokens]
  if last and last.open and last.kind == "comment" then return "", {}, "" end
  if last and last.open then return in_string(tokens, open_brackets(tokens), env) end
  local part = last and (last.kind == "name" or last.kind == "keyword") and last.to == #text and last.text or ""
  if part ~= "" then table.remove(tokens) end
  last = tokens[#tokens]
  if last and (last.text == "." or last.text == ":") then
    local thing = types.of_expression(tokens, #tokens - 1, env)
    return part, thing and fitting(part, types.member_names(thing, last.text)) or {}, ""
  end
  local keys = last and fitting(part, option_keys(tokens, open_brackets(tokens), env)) or {}
  if #keys > 0 then return part, keys, " = " end
  return part, fitting(part, plain_names(tokens, env)), ""
end
