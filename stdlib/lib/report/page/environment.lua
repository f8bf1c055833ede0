-- The machine, the commands and the script of an investigation, and how to start it again.

local environment = require "lib/provenance/environment"
local h = require "lib/report/page/markup"
local restart = require "lib/provenance/restart"
local names = require "lib/report/names"
local words = require "lib/report/words"

local COMMANDS = 6  -- of different ones, how many are shown

-- Each different command, with how often it was run.
local function commands(stage)
  local count, order = {}, {}
  for _, trial in ipairs(stage.trials) do
    for _, argv in ipairs(trial.command) do
      local line = type(argv) ~= "table" and argv or #argv == 3 and argv[1] == "sh" and argv[2] == "-c" and argv[3]
        or nil
      local ok, quoted = pcall(core.shell_words, argv)
      line = tostring(line or ok and quoted or "?")
      if not count[line] then order[#order + 1] = line end
      count[line] = (count[line] or 0) + 1
    end
  end
  local shown = {}
  for i = 1, math.min(#order, COMMANDS) do
    local times = #order > 1 and h.span { class = "quiet", ", ", words.count(count[order[i]], "time") } or nil
    shown[i] = h.div { h.code { stage.mask:text(order[i]) }, times }
  end
  if #order > COMMANDS then shown[#shown + 1] = h.div { class = "quiet", "and ", #order - COMMANDS, " others" } end
  return #shown > 0 and { "command", shown } or nil
end

-- A line break within --test would make another option of it.
local function run_again(start)
  if start.title == "" or start.title == "prompt" then return nil end
  local parts = { "regengine ", start.title }
  for _, word in ipairs(start.words) do
    parts[#parts + 1] = " "
    parts[#parts + 1] = word:match "^%-%-[%w-]+$" and h.span { class = "tight", word } or core.shell_words { word }
  end
  return { "started by", h.code(parts) }
end

-- With many images each belongs to one subject; those that matter are in the changes' cards.
local function without_images(rows)
  local kept, images = {}, 0
  for _, row in ipairs(rows) do
    local of_image = row[1]:match "^image"
    if of_image then images = images + 1 else kept[#kept + 1] = row end
  end
  return images > 1 and kept or rows
end

-- Consecutive rows of one name share it.
local function facts(rows)
  local list, last = {}, nil
  for _, row in ipairs(without_images(rows)) do
    if row[1] ~= last then list[#list + 1] = h.dt { row[1] } end
    last = row[1]
    list[#list + 1] = h.dd { type(row[2]) == "string" and names.date(row[2]) or row[2] }
  end
  return h.dl { class = "facts", list }
end

return function(stage, script)
  local start = restart.of(stage, script, stage.mask)
  local rows = environment.rows(stage, stage.mask, start.seed)
  rows[#rows + 1] = commands(stage)
  rows[#rows + 1] = run_again(start)
  local hash = tostring(stage.row.script_sha256):sub(1, 16)
  return h.all { h.h2 { "Environment" }, facts(rows),
    script ~= "" and h.details { class = "screen", h.summary { "The script, sha256 ", h.code { hash } },
      h.pre { h.redacted(stage.mask:code(script)) } } or nil }
end
