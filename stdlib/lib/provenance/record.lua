-- What the store keeps of how an investigation was started, so that it can be repeated elsewhere.

local read = require "lib/report/read"
local values = require "lib/values"

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
  return read.each(files, function(file)
    local there, text = pcall(reg.fs.read, file)
    return there and #text <= LONGEST and { name = file:match "[^/]+$", text = text } or nil
  end)
end

-- The GPUs: results on another model are other results.
local function gpus()
  if not reg.gpu.status().ok then return reg.json.array {} end
  local _, all = pcall(reg.gpu.list)
  return read.each(all, function(gpu) return values.picked(gpu, { "name", "driver", "cuda", "memory_bytes" }) end)
end

--- For store:begin. `predicted`: what was predicted (lib/predictions), or nil.
function record.of(title, files, predicted)
  local settings, facts = core.settings(), core.nouns.machine.facts()
  facts.start = { args = reg.json.array(record.words()), required = reg.json.array(settings.required),
    inherited = reg.json.array(values.sorted_names(core.inherited or {})), files = texts_of(files),
    seed = settings.seed, lua = _VERSION }
  facts.predicted = predicted and predicted[1] and read.each(predicted, function(one) return one.line end)
  facts.gpus = gpus()
  return { name = title or settings.title, script = settings.title, text = settings.text,
    options = values.merged(core.options), facts = facts }
end

return record
