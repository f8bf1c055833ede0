-- reg.flags: two sets of variables as items for reg.minimize. Flags keep their order: in the variables of `good` where
-- it is theirs alone, else in those of `bad`.

local values = require "lib/values"

--- What differs between two sets of variables, flag by flag, as items for reg.minimize. A flag with another value on
--- the other side is one item, and so is a variable without flags. What both sides have is always on.
---@class flags.Flags
---@field items string[] such as "--a=1 -> --a=2", "--b", "without --c", "OMP_NUM_THREADS=4"
local Flags = {}
Flags.__index = Flags

-- Flags of compilers whose value is the next word, whatever that begins with.
local TAKES_WORD = values.words "-mllvm -Xclang -Xlinker -Xpreprocessor -Xassembler -Xarch_device -Xptxas -Xcompiler"

local function usage(message, hint) core.fail("usage", "flags: " .. message, hint) end

-- The words of a shell, quotes and all, so that they can be joined again.
local function words_of(name, text)
  local words, word, quote = {}, nil, nil
  for c in text:gmatch "\\?." do  -- a backslash, and what it keeps as it is
    if c == "\\" and quote ~= "'" then
      usage("nothing follows the backslash at the end: " .. name .. "=" .. text)
    elseif c == quote or c == "\\'" and quote == "'" then  -- in these quotes a backslash keeps nothing
      quote = nil
    elseif not quote and c:find "^[\"']" then
      quote = c
    end
    if c:find "^%s" and not quote then
      words[#words + 1], word = word, nil
    else
      word = (word or "") .. c
    end
  end
  if quote then usage("a quote is not closed: " .. name .. "=" .. text, "Close the " .. quote .. ".") end
  words[#words + 1] = word
  return words
end

-- A flag with the word that is its value.
local function flags_of(name, text)
  local flags, takes = {}, false
  for _, word in ipairs(words_of(name, text)) do
    if #flags > 0 and (takes or not word:match "^%-") and flags[#flags]:match "^%-[^=]*$" then
      flags[#flags] = flags[#flags] .. " " .. word
      takes = false
    else
      flags[#flags + 1], takes = word, TAKES_WORD[word]
    end
  end
  return flags
end

local function name_of(flag) return flag:match "^(%-[^=%s]*)[=%s]" end

-- The variables of a list such as { "XLA_FLAGS=--a --b" }, by name.
local function variables_of(list)
  if type(list) ~= "table" then usage "takes lists of strings such as 'XLA_FLAGS=--a --b'" end
  local variables = {}
  for _, text in ipairs(list) do
    local name, value = tostring(text):match "^([%a_][%w_]*)=(.*)$"
    if not name then usage("not a variable: '" .. tostring(text) .. "'", "Write it as NAME=VALUE.") end
    variables[name] = variables[name] and variables[name] .. " " .. value or value
  end
  return variables
end

-- Both sides of one variable as a list of { off =, on = }: a flag of both sides has both, equal or not.
local function compared(good, bad)
  local entries, place, left = {}, {}, table.move(good, 1, #good, 1, {})
  for i, flag in ipairs(bad) do entries[i] = { on = flag } end
  for _, part in ipairs { function(flag) return flag end, name_of } do  -- equal ones first
    for _, entry in ipairs(entries) do
      local wanted = not entry.off and part(entry.on)
      local _, at = values.find(wanted and left or {}, function(other) return other and part(other) == wanted end)
      if at then left[at], entry.off, place[at] = false, good[at], entry end
    end
  end
  for i, flag in ipairs(left) do
    if flag then
      local _, position = values.find(entries, function(other) return other == place[i - 1] end)
      place[i] = { off = flag }
      table.insert(entries, (position or 0) + 1, place[i])
    end
  end
  return entries
end

local function label_of(entry)
  if not entry.off then return entry.on end
  if not entry.on then return "without " .. entry.off end
  return entry.off .. " -> " .. entry.on
end

local function add_item(self, entry, variable, whole)
  local label = whole and variable .. ": " .. label_of(entry) or label_of(entry)
  if whole and not entry.off then label = variable .. "=" .. entry.on end
  if self.entry_of[label] then label = label .. " in " .. variable end
  while self.entry_of[label] do label = label .. " again" end
  self.items[#self.items + 1], self.entry_of[label], entry.item = label, entry, label
end

local function has_flags(value) return value ~= nil and value:match "^%s*%-" ~= nil end

-- A variable that holds no flags is one item.
local function add_variable(self, name, good, bad)
  local whole = not has_flags(good) and not has_flags(bad)
  local entries = whole and { { off = good, on = bad } }
    or compared(flags_of(name, good or ""), flags_of(name, bad or ""))
  self.variables[#self.variables + 1] = { name = name, entries = entries, always = good ~= nil and bad ~= nil }
  for _, entry in ipairs(entries) do
    if entry.off ~= entry.on then add_item(self, entry, name, whole) end
  end
end

-- A line of candidates: flags of the only variable, or NAME=FLAGS.
local function add_candidate(self, line)
  local name, value = line:match "^([%a_][%w_]*)=(.*)$"
  if not name then
    if #self.variables ~= 1 then
      usage("which variable is the candidate '" .. line .. "' for?", "Write it as NAME=" .. line)
    end
    name, value = self.variables[1].name, line
  end
  local variable = values.find(self.variables, function(one) return one.name == name end)
  if not variable then
    variable = { name = name, entries = {} }
    table.insert(self.variables, variable)
  end
  local flag = table.concat(words_of(name, value), " ")
  if values.find(variable.entries, function(entry) return entry.on == flag end) then return end
  local entry = { on = flag }
  table.insert(variable.entries, entry)
  add_item(self, entry, name, not has_flags(flag))
end

--- The variables with these items on, and the others off. Raises usage for a string that is not one of the items.
--- ```lua
--- local flags = reg.flags({ "CFLAGS=-O2" }, { "CFLAGS=-O3" })
--- print(flags:env({}).CFLAGS)
--- ```
---@param subset string[]
---@return table<string, string> env
function Flags:env(subset)
  local on, env = values.set(subset), {}
  for _, item in ipairs(subset) do
    if not self.entry_of[item] then usage("not one of the items: '" .. tostring(item) .. "'") end
  end
  for _, variable in ipairs(self.variables) do
    local words = values.map(variable.entries, function(entry)
      if entry.item and not on[entry.item] then return entry.off end
      return entry.on
    end)
    if variable.always or #words > 0 then env[variable.name] = table.concat(words, " ") end
  end
  return env
end

--- The items that differ between the variables of `good` and of `bad`, each a list such as { "XLA_FLAGS=--a=1 --b" },
--- and the candidates, which are off on the good side. Without `bad` or without `good` only the candidates differ.
--- Quotes stay as they are. Raises usage for a quote that is not closed, and if nothing differs.
--- ```lua
--- local flags = reg.flags({ "XLA_FLAGS=--a=1 --b" }, { "XLA_FLAGS=--a=2 --b" })
--- print(flags.items[1], flags:env(flags.items).XLA_FLAGS)
--- ```
---@param good? string[]
---@param bad? string[]
---@param candidates? string[] flags of the only variable, or NAME=FLAG; empty lines and those that begin with # do not
--- count
---@return flags.Flags flags
return function(good, bad, candidates)
  local of_good, of_bad = variables_of(good or bad or {}), variables_of(bad or good or {})
  local self = setmetatable({ items = {}, entry_of = {}, variables = {} }, Flags)
  for _, name in ipairs(values.sorted_names(values.merged(of_good, of_bad))) do
    add_variable(self, name, of_good[name], of_bad[name])
  end
  for _, line in ipairs(candidates or {}) do
    line = line:match "^%s*(.-)%s*$"
    if line ~= "" and not line:match "^#" then add_candidate(self, line) end
  end
  if #self.items == 0 then usage("nothing differs between the two sides", "Check --good, --bad and --candidates.") end
  return self
end
