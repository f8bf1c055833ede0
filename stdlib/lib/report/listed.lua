-- What a store has: its investigations, a row each, and one of them as the terminal showed it.

local findings = require "lib/report/findings"
local predictions = require "lib/predictions"
local read = require "lib/report/read"
local stages_of = require "lib/report/stages"
local terminal = require "lib/report/terminal"
local unanswered = require "lib/report/unanswered"
local why = require "lib/report/why"
local words = require "lib/report/words"

local ROWS = [[
  SELECT i.id, i.name, i.started, i.ended, i.verdict, coalesce(i.ended, i.started) - i.started AS took,
    (SELECT count(*) FROM trials t WHERE t.investigation = i.id) AS runs
  FROM investigations i ORDER BY i.id]]

local listed = {}

local function time_of(seconds) return reg.time.format(math.floor(seconds), "%Y-%m-%d %H:%M") end

--- The investigations, oldest first, each with what it found.
function listed.rows(store)
  local rows = {}
  for i, row in ipairs(store:query(ROWS)) do
    local answer = read.json(row.verdict)
    local found = findings(answer.series, { title = row.name })
    local said = row.ended and read.text(answer.sentence or answer.title or answer.verdict)
    local title = found and words.title(found) or said or "no answer yet"
    -- the last of several stages has the runs and the time of all of them
    local runs, seconds = read.integer(answer.series and answer.runs), read.number(answer.seconds)
    rows[i] = { id = row.id, started = time_of(row.started), title = row.name, runs = runs or row.runs,
      took = reg.time.words(math.max(seconds or row.took, 0)), found = title }
  end
  return rows
end

local function text_of(stage)
  local found, lines = stage.found, { stage.title .. ", " .. time_of(stage.row.started) }
  if stage.why then
    lines[#lines + 1] = why.text(stage.why)
  elseif stage.answered then
    lines[#lines + 1] = words.headline(found)
    table.move(words.lines(found), 1, #words.lines(found), #lines + 1, lines)
  else
    lines[#lines + 1] = unanswered.title(stage)
    lines[#lines + 1] = unanswered.note(stage)
    table.move(predictions.lines(stage.predictions), 1, #stage.predictions + 1, #lines + 1, lines)
  end
  lines[#lines + 1] = (stage.answered or stage.in_order) and terminal.drawn(found) or nil
  return table.concat(lines, "\n")
end

--- The investigation `wanted`, an id or a name or nil for the newest, and the other stages of its run, oldest first.
function listed.text(store, wanted)
  local stages, texts = stages_of(store, wanted), {}
  for i, stage in ipairs(stages) do texts[#stages - i + 1] = text_of(stage) end
  return table.concat(texts, "\n\n")
end

return listed
