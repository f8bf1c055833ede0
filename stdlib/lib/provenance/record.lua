-- What the store keeps of how an investigation was started, so that it can be repeated elsewhere.

local merged, sorted_names = require("lib/values").merged, require("lib/values").sorted_names

local LONGEST = 32 * 1024  -- bytes; longer files are not kept

local record = {}

--- The command line of the script, without the options that every script has.
function record.words()
  local settings = core.settings()
  return core.given or #settings.args > 0 and settings.args or settings.reported
end

-- The texts of files that count as configuration, such as a test; those outside the workspace and long ones are not
-- kept.
local function texts_of(files)
  local texts = reg.json.array {}
  for _, file in ipairs(files or {}) do
    local there, text = pcall(reg.fs.read, file)
    if there and #text <= LONGEST then texts[#texts + 1] = { name = file:match "[^/]+$", text = text } end
  end
  return texts
end

-- The GPUs: results on another model are other results.
local function gpus()
  local list = reg.json.array {}
  if not reg.gpu.status().ok then return list end
  local _, all = pcall(reg.gpu.list)
  for i, gpu in ipairs(type(all) == "table" and all or {}) do
    list[i] = { name = gpu.name, driver = gpu.driver, cuda = gpu.cuda, memory_bytes = gpu.memory_bytes }
  end
  return list
end

--- For store:begin. `predicted`: what was predicted (lib/predictions), or nil.
function record.of(title, files, predicted)
  local settings, facts = core.settings(), core.nouns.machine.facts()
  facts.start = { args = reg.json.array(record.words()), required = reg.json.array(settings.required),
    inherited = reg.json.array(sorted_names(core.inherited or {})), files = texts_of(files), seed = settings.seed,
    lua = _VERSION }
  for i, one in ipairs(predicted or {}) do
    facts.predicted = facts.predicted or reg.json.array {}
    facts.predicted[i] = one.line
  end
  facts.gpus = gpus()
  return { name = title or settings.title, script = settings.title, text = settings.text,
    options = merged(core.options), facts = facts }
end

return record
