-- The answer of a series in the terminal: first its changes, then what limits it, then the plot.

local changes = require "lib/report/changes"
local measured = require "lib/report/measured"
local reasons = require "lib/sweep/reasons"
local words = require "lib/report/words"
local wrapped = core.nouns.report.wrap

local COLORS = { regression = "red", improvement = "green", change = "yellow" }

local function print_changes(found)
  for _, change in ipairs(changes.all(found)) do
    local text = wrapped(change.text)
    core.nouns.report.say(text:sub(1, change.head), COLORS[change.role], text:sub(change.head + 1))
  end
end

--- Prints the findings of a series.
return function(series, found)
  -- By the changes, unless the first line has to say that runs are stored ones.
  local led = found.verdict == "changes" and #found.listed > 0 and not found.stored
  if not led then
    print(wrapped(words.headline(found)))
  elseif words.prefix(found) ~= "" then
    print((words.prefix(found):gsub(" $", "")))
  end
  print_changes(found)
  local below = words.below(found, led and words.took(found) or nil)
  if #below > 0 then print(wrapped(table.concat(below, "\n"))) end
  if core.options and core.options.explain then
    if words.statistics(found) then print(wrapped(words.statistics(found))) end
    if #series.asked > 0 then print(wrapped(reasons.table(series))) end
  end
  local drawn = not found.stopped and measured.drawn(found)
  if drawn then print(drawn) end
  print ""
end
