-- What it takes to repeat a stored investigation elsewhere: its script and options, redacted.

local read = require "lib/report/read"
local redactor = require "lib/redaction/redactor"
local usage = require "lib/options/usage"
local values = require "lib/values"

local restart = {}

-- The command line of an investigation that a script began itself: its options, with their defaults.
local function words_of_options(options)
  return values.flat(values.sorted_names(options), function(name)
    local value, flag = options[name], "--" .. name:gsub("_", "-")
    local list = usage.COMMON[name] and {} or type(value) == "table" and value or { value }
    return values.flat(list, function(one)
      return { one and flag or nil, (type(one) == "string" or type(one) == "number") and tostring(one) or nil }
    end)
  end)
end

-- Pairs of name and text, as the store has modules and files.
local function named_texts(list, mask)
  return read.each(list, function(one)
    local valid = type(one) == "table" and type(one.name) == "string" and type(one.text) == "string"
    return valid and { name = mask:code(one.name), text = one.text } or nil
  end)
end

-- The words redacted, and those of them that have to be passed again, "--repo xla=PATH". `inherited`: variables whose
-- values nobody typed, as of --env NAME.
local function masked_words(words, mask, inherited)
  local shared, again = {}, {}
  for i, word in ipairs(words) do
    local flag = i > 1 and words[i - 1]:match "^%-%-[^=]+$" or nil
    local before, name = word:match(flag and "^(([%a_][%w_]*)=)" or "^(%-%-[%w-]+=([%a_][%w_]*)=)")
    shared[i] = name and inherited[name] and before .. redactor.REDACTED .. mask:count("variable", false)
      or mask:option(flag or word:match "^(%-%-[^=]+)=" or "", word)
    if redactor.is_redacted(shared[i]) then
      local shown = redactor.to_pass(shared[i])
      again[#again + 1] = flag and flag .. " " .. shown or shown
    end
  end
  return shared, again
end

local function uses_random(text) return text:find("math%s*%.%s*random") ~= nil or text:find("math%s*%[") ~= nil end

--- `stage`: of lib/report/stored.lua. The result has title, text, words (redacted), again (those to pass again),
--- modules, files, and the seed if random numbers are used.
function restart.of(stage, text, mask)
  local start = read.list(stage.facts.start)
  local self = { title = mask:code(tostring(stage.row.script):match "([^/]*)$"), text = text,
    modules = named_texts(start.required, mask), files = named_texts(start.files, mask) }
  local words = start.args and read.each(start.args, function(word) return type(word) == "string" and word or nil end)
    or words_of_options(stage.options)
  local inherited = {}
  for _, name in ipairs(read.each(start.inherited, read.text)) do inherited[name] = not stage.with_output end
  self.words, self.again = masked_words(words, mask, inherited)
  local random = uses_random(text) or values.find(self.modules, function(module) return uses_random(module.text) end)
  self.seed = random and math.tointeger(start.seed) or nil
  return self
end

return restart
