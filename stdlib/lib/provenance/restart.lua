-- What starts a stored investigation again elsewhere: its script and options as the store has them, masked.

local masking = require "lib/provenance/masking"
local usage = require "lib/options/usage"

local restart = {}

-- Of an investigation whose words were not kept: from its options, defaults among them.
local function words_of_options(options)
  local names, words = {}, {}
  for name in pairs(options) do
    if type(name) == "string" and not usage.COMMON[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local value, flag = options[name], "--" .. name:gsub("_", "-")
    if value == true then
      words[#words + 1] = flag
    elseif type(value) == "table" then
      for _, one in ipairs(value) do words[#words + 1], words[#words + 2] = flag, tostring(one) end
    elseif type(value) == "string" or type(value) == "number" then
      words[#words + 1], words[#words + 2] = flag, tostring(value)
    end
  end
  return words
end

local function texts(list)
  local words = {}
  for _, word in ipairs(type(list) == "table" and list or {}) do
    if type(word) == "string" then words[#words + 1] = word end
  end
  return words
end

-- Pairs of name and text, as the store has modules and files.
local function named_texts(list)
  local found = {}
  for _, one in ipairs(type(list) == "table" and list or {}) do
    if type(one) == "table" and type(one.name) == "string" and type(one.text) == "string" then found[#found + 1] = one end
  end
  return found
end

-- The words masked, and those of them that have to be given again, "--repo xla=PATH".
local function masked_words(words, mask)
  local shared, again = {}, {}
  for i, word in ipairs(words) do
    local flag = i > 1 and words[i - 1]:match "^%-%-[^=]+$" or nil
    shared[i] = mask:option(flag or word:match "^(%-%-[^=]+)=" or "", word)
    if masking.is_masked(shared[i]) then
      local shown = masking.to_give(shared[i])
      again[#again + 1] = flag and flag .. " " .. shown or shown
    end
  end
  return shared, again
end

local function uses_random(text) return text:find("math%s*%.%s*random") ~= nil or text:find("math%s*%[") ~= nil end

--- `stage`: of lib/report/page/collect. What comes back: title, text, words (masked), again (those to be given again), modules, files,
--- and where random numbers are used, seed.
function restart.of(stage, text, mask)
  local start = type(stage.facts.start) == "table" and stage.facts.start or {}
  local self = { title = tostring(stage.row.script):match "([^/]*)$", text = text, modules = named_texts(start.required),
    files = named_texts(start.files) }
  local words = start.args and texts(start.args) or words_of_options(stage.options)
  self.words, self.again = masked_words(words, mask)
  local random = uses_random(text)
  for _, module in ipairs(self.modules) do random = random or uses_random(module.text) end
  self.seed = random and math.tointeger(start.seed) or nil
  return self
end

return restart
