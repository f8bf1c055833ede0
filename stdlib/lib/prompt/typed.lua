-- What was typed at the prompt: chunks whose locals later lines see, too, and the script that does the same as all of
-- it.

local only, sorted_names = require("lib/values").only, require("lib/values").sorted_names

local WORD = "[%a_][%w_]*"
local MAX_LOCALS = 180  -- Lua allows 200 in a function

local function mentions(text, name) return text:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil end

-- Whether a statement outside all blocks begins at `at`, if one does at `from`: what is between them compiles by
-- itself, and not in a comment, which anything may follow.
local function begins_statement(text, from, at)
  local before = text:sub(from, at - 1)
  return load(before) ~= nil and load(before .. ")") == nil
end

-- The names that a declaration has from `at` on, with their attributes, and the position after them; nil if there is a
-- comment in between.
local function read_names(text, at)
  local names = {}
  while true do
    local name, stop = text:match("^%s*(" .. WORD .. ")()", at)
    if not name then return nil end
    local attribute, behind = text:match("^%s*<%s*(%a+)%s*>()", stop)
    names[#names + 1] = { name, attribute }
    at = text:match("^%s*,()", behind or stop)
    if not at then return names, behind or stop end
  end
end

local typed = {}

--- A chunk, which must compile, with what it declares outside all blocks. At the prompt each line is a chunk, and a
--- local would end with it. So the prompt runs `global`, the text without those `local`s, and keeps their `names`, of
--- which `closing` are declared <close>. `kept`: the text with them but without <const>, since later lines may assign.
function typed.chunk(text)
  local found = { text = text, names = {}, closing = {} }
  local global, kept, done, from = {}, {}, 1, 1
  local function put(to, without, with)
    global[#global + 1] = text:sub(done, to) .. without
    kept[#kept + 1] = text:sub(done, to) .. with
  end
  for at, stop in text:gmatch "()%f[%w_]local%f[^%w_]()" do
    local own, begins = text:match("^%s+function%s+(" .. WORD .. ")()", stop)
    local names, after = { { own } }, begins
    if not own then names, after = read_names(text, stop) end
    if names and begins_statement(text, from, at) then
      local plain, with = {}, {}
      for i, name in ipairs(names) do
        plain[i], with[i] = name[1], name[1] .. (name[2] == "close" and " <close>" or "")
        found.closing[#found.closing + 1] = name[2] == "close" and name[1] or nil
      end
      table.move(plain, 1, #plain, #found.names + 1, found.names)
      local function_ = own and "function " or ""
      local value = (own or text:find("^%s*=", after)) and "" or " = nil"
      put(at - 1, function_ .. table.concat(plain, ", ") .. value, "local " .. function_ .. table.concat(with, ", "))
      done, from = after, at
    end
  end
  put(#text, "", "")
  found.global, found.kept = table.concat(global), table.concat(kept)
  return found
end

--- An expression; `count` is the number of its values, one until it has run.
function typed.value(text) return { text = text, is_value = true, count = 1, names = {}, closing = {} } end

-- Whether a later entry uses the value that entry number `at` left in `_`.
local function is_used_later(entries, at)
  for i = at + 1, #entries do
    if mentions(entries[i].text, "_") then return true end
    if entries[i].is_value and entries[i].count > 0 then return false end
  end
  return false
end

local function value_lines(entry, used)
  if entry.count == 0 then return entry.text end
  local text = entry.text:find("--", 1, true) and entry.text .. "\n" or entry.text
  if used then return "_ = " .. text .. "\nprint(reg.inspect(_))" end
  return "print(reg.inspect(" .. text .. "))"
end

-- A name that an earlier entry mentions is not a new local: at the prompt both are the same variable. What ends in a
-- return, or has labels, is a function of its own.
local function chunk_lines(entry, seen, count)
  local apart = load(entry.text .. "\nlocal _") == nil or entry.text:find("::", 1, true)
  local fresh, again = {}, apart
  for _, name in ipairs(entry.names) do
    if seen[name] then again = true else fresh[#fresh + 1] = name end
    seen[name] = true
  end
  if count + #fresh > MAX_LOCALS then fresh, again = {}, true end
  if not again then return entry.kept, count + #fresh end
  local body = apart and ";(function(...) " .. entry.global .. "\nend)()" or entry.global
  return (#fresh > 0 and "local " .. table.concat(fresh, ", ") .. "\n" or "") .. body, count + #fresh
end

local function render(entries, head)
  local lines, seen, count, uses_result, uses_help, strategies = {}, {}, 0, false, false, {}
  for i, entry in ipairs(entries) do
    if entry.is_value then
      local used = entry.count > 0 and is_used_later(entries, i)
      uses_result = uses_result or used
      lines[#lines + 1] = value_lines(entry, used)
    else
      lines[#lines + 1], count = chunk_lines(entry, seen, count)
    end
    for word in entry.text:gmatch(WORD) do seen[word] = true end
    for _, name in ipairs(entry.strategies or {}) do strategies[name] = true end
    uses_help = uses_help or mentions(entry.text, "help")
  end
  local first = { "#!/usr/bin/env regengine\n--- " .. head .. "\n" }
  for _, name in ipairs(sorted_names(strategies)) do
    first[#first + 1] = ("local %s = reg.strategy %q"):format(name, name)
  end
  if uses_help then first[#first + 1] = "local help = reg.help" end
  if uses_result then first[#first + 1] = "local _" end
  table.move(lines, 1, #lines, #first + 1, first)
  return table.concat(first, "\n") .. "\n"
end

--- The script of the entries that did not fail, as text, and its number of entries. It leaves out calls of help.
--- `entry.strategies`: the names of those that it uses.
function typed.script(record)
  local entries = only(record, function(entry) return not entry.text:find "^%s*help%f[^%w_]" end)
  return render(entries, "Typed at the prompt, " .. os.date "!%Y-%m-%d" .. "."), #entries
end

--- The script of one entry: everything defined before it, without expressions that were only shown. It is the same when
--- the entry is typed again after Ctrl-C, so that a sweep resumes.
function typed.script_of(record, entry)
  local entries = only(record, function(earlier) return not earlier.is_value end)
  entries[#entries + 1] = entry
  return render(entries, "Typed at the prompt.")
end

return typed
