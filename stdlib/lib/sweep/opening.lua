-- What reg.ab, reg.minimize and reg.prove begin and end with: their options, and an answer that also Ctrl-C leaves.

local check_keys = require "lib/options/check_keys"
local direction = require "lib/direction"
local named_files = require "lib/identity/named_files"
local phase = require "lib/sweep/phase"
local run_of = require "lib/sweep/run"

local opening = {}

--- What is given to the function `who`, over its defaults. Raises usage for what is not among `keys`, for a budget less
--- than `least`, and where an option needs the direction of a metric that does not say it.
function opening.options(who, given, keys, least, defaults)
  check_keys(who, given, keys)
  local o = { title = who }
  for name, value in pairs(defaults) do o[name] = value end
  for name, value in pairs(given) do o[name] = value end
  if o.budget ~= nil and (math.type(o.budget) ~= "integer" or o.budget < least) then
    core.fail("usage", string.format("%s: budget must be an integer of at least %d", who, least))
  end
  o.better = direction.given(o.better, o.metric or "value", who)
  if o.metric and not o.better and core.options and core.options.fail_on_regression then
    core.fail("usage", direction.unknown(o.metric))
  end
  return o
end

--- Hashes of the files that the commands name, below `folder`.
function opening.contents(commands, folder)
  local contents = reg.json.array {}
  for _, command in ipairs(commands) do
    for _, path in ipairs(named_files(command, folder or ".")) do contents[#contents + 1] = core.path_hash(path) end
  end
  return contents
end

--- Begins an investigation, and runs `of(run)` to its end: an object with go(progress), knows(), which is whether there
--- is something to say, and answer(). The store gets the answer. Ctrl-C and a failure print what is known so far.
function opening.investigate(o, text_of, shown, of)
  local _ <close> = phase("investigation", o.title)
  local began, run, finished = core.seconds(), run_of(o, o.better), nil
  local work = of(run)
  local function answer()
    local found = work:answer()
    found.investigation, found.seconds = run.investigation, core.seconds() - began
    found.text = text_of(found)
    return found
  end
  local _ <close> = setmetatable({}, { __close = function()
    if not finished and work:knows() then print("So far: " .. answer().text) end
  end })
  do
    shown.title, shown.metric = o.title, o.metric and run.metric
    local progress <close> = reg.progress(shown)
    work:go(progress)
  end
  finished = answer()
  run.store:finish_investigation(run.investigation, finished)
  return finished
end

return opening
