-- Completion at the prompt. It calls nothing with side effects; it reads names, branches, files and the list of local
-- images.

local keywords = require "lib/prompt/keywords"
local string_values = require "lib/prompt/string_values"
local tokens_of = require "lib/prompt/tokens"
local types = require "lib/prompt/types"
local strategies = require "lib/strategies"
local usage = require "lib/options/usage"
local stubs = require "lib/help/stubs"

local OPENERS = { ["("] = true, ["{"] = true, ["["] = true }
local CLOSERS = { [")"] = true, ["}"] = true, ["]"] = true }
local ENDS_VALUE = { [")"] = true, ["}"] = true, ["]"] = true }

-- The brackets still open after the last token: { at (the token's number), symbol, commas (after it), keys (used so
-- far) }.
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

local expected_at

-- The fields of the table that is expected.
local function fields_of(expected)
  local text, fields = expected.type, table.move(expected.fields or {}, 1, #(expected.fields or {}), 1, {})
  for _, class in ipairs(stubs.classes_of(text)) do
    local own = stubs.fields(class)
    table.move(own, 1, #own, #fields + 1, fields)
  end
  for key, type in (text:match "^{(.*)}%??$" or ""):gmatch "([%w_]+)%??%s*:%s*([^,]+)" do
    fields[#fields + 1] = { name = key, type = type }
  end
  return fields
end

-- The fields of the table that bracket number `level` opens, the stub of the function that takes it, and the object
-- whose method that is.
local function fields_at(tokens, open, level, env)
  local expected, entry, owner = expected_at(tokens, open, level - 1, open[level].at, env)
  return expected and fields_of(expected) or {}, entry, owner
end

-- The parameter or field of the stubs that a value at token number `at` is for, within the first `level` brackets.
function expected_at(tokens, open, level, at, env)
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
    local first = inner.commas > 0 and types.of_expression(tokens, inner.at + 1, env)  -- reg.history's repository
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
  local expected, entry, owner = expected_at(tokens, open, #open, #tokens, env)
  local plain = {}
  for _, value in ipairs(expected and string_values(expected, entry, owner, part) or {}) do
    if not value:find "[%c\\'\"]" then plain[#plain + 1] = value end  -- others would end the string
  end
  return part, fitting(part, plain), string.text:sub(1, 1)
end

-- The option keys that can follow the last token; none if a value is expected.
local function option_keys(tokens, open, env)
  local inner, last = open[#open], tokens[#tokens]
  local begins = inner and inner.symbol == "{" and (last.text == "{" or last.text == "," or last.text == ";")
  local keys = {}
  for _, field in ipairs(begins and fields_at(tokens, open, #open, env) or {}) do
    if not inner.keys[field.name] then keys[#keys + 1] = field.name end
  end
  return keys
end

-- The names in scope - globals, the prompt's locals and strategies, locals of the text - and keywords.
local function plain_names(tokens, env)
  local names = table.move(keywords, 1, #keywords, 1, {})
  for _, scope in ipairs { env, _G } do
    for name in next, scope do names[#names + 1] = type(name) == "string" and name or nil end
  end
  for _, name in ipairs(usage.shipped()) do names[#names + 1] = strategies.name_of(env[name]) end
  for i, token in ipairs(tokens) do
    local next = tokens[i + 1]
    if token.text == "local" and next and next.kind == "name" then names[#names + 1] = next.text end
  end
  return names
end

--- Completes the end of `text` with the globals `env`: the part that is there already, the possible names, sorted, and
--- what to insert after the name if there is only one.
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
