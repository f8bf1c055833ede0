-- The answer of a series in the terminal: its changes, what limits it, and all measured numbers at a glance: of a few
-- subjects that were all measured a table, each beside the one before it and the first one; of more a plot.

local changes = require "lib/report/changes"
local direction = require "lib/direction"
local numbers = require "lib/report/numbers"
local values_of = require "lib/values"
local words = require "lib/report/words"
local wrapped = core.nouns.report.wrap

local grouped, map, median = values_of.grouped, values_of.map, values_of.median

local terminal = {}

local function size_of(effect, low, high, found)
  return effect and numbers.effect({ effect = effect, effect_low = low, effect_high = high }, found) or ""
end

local MOST_ROWS = 32  -- of a table in a terminal

--- The table of a few subjects that were all measured, at most `width` columns wide; nil where there is none.
function terminal.measured(found, width)
  if #found.table == 0 then return nil end
  local texts, unit = numbers.levels(found.table, found)
  local widest = math.max(table.unpack(map(texts, function(text) return #text[1] end)))
  local rows = map(found.table, function(row, i)
    local value, interval = table.unpack(texts[i], 1, 2)
    if not row.value then return { row.label, words.status(row.status or "skipped") } end
    return { row.label, (" "):rep(widest - #value) .. value .. (interval and " (" .. interval .. ")" or ""),
      size_of(row.step, row.step_low, row.step_high, found),
      size_of(row.from_first, row.from_first_low, row.from_first_high, found), row.runs,
      row.role or "" }
  end)
  local columns = { found.thing, direction.labeled(found.metric, unit), "vs previous", "vs first", "runs", "" }
  return (reg.report.table(rows, { columns = columns, width = width }):gsub("\n$", ""))
end

--- The table or the plot as text; nil where there is nothing to draw. `o`: width and height of the plot.
function terminal.drawn(found, o)
  if #found.table > 0 and #found.table <= MOST_ROWS then return wrapped(terminal.measured(found, o and o.width)) end
  return #found.points > 1 and found.kind ~= "test" and (reg.report.plot(found, o):gsub("\n$", "")) or nil
end

--- The median of a subject's runs with their range; of a flaky test how often it failed. `failed`: the status of one
--- without values.
function terminal.value_of(values, failed, series)
  if #values == 0 then return words.status(failed) end
  if series.flaky then
    return string.format("%d of %d failed", #map(values, function(value) return value == 1 or nil end), #values)
  end
  if #values == 1 then return numbers.plain(values[1], series) end
  return string.format("%s (%s to %s)", numbers.plain(median(values), series),
    numbers.plain(math.min(table.unpack(values)), series), numbers.plain(math.max(table.unpack(values)), series))
end

-- The table of --explain: the subjects in the order of their first runs, with their values and why each run was made.
local function reasons(series)
  local asked = values_of.flat { series.asked, series.side_asked or {} }
  return reg.report.table(map(grouped(asked, function(entry) return entry.label end), function(entries)
    local values = map(entries, function(entry) return entry.value end)
    -- Each reason with its count, in the words of the last time.
    local whys = map(grouped(entries, function(entry) return entry.reason end), function(same)
      return (#same > 1 and #same .. " times " or "") .. same[#same].why
    end)
    return { subject = entries[1].label, runs = #entries, why = table.concat(whys, "; "),
      value = terminal.value_of(values, entries[#entries].status, series) }
  end), { columns = { "subject", "runs", "value", "why" }, width = 0 })
end

local COLORS = { regression = "red", improvement = "green", change = "yellow" }

--- Prints the findings of a series.
function terminal.print(series, found)
  -- By the changes, unless the first line has to say that runs are stored ones.
  local led = found.verdict == "changes" and #found.listed > 0 and not found.stored
  if not led then
    print(wrapped(words.headline(found)))
  elseif words.prefix(found) ~= "" then
    print((words.prefix(found):gsub(" $", "")))
  end
  for _, change in ipairs(changes.all(found)) do
    local text = wrapped(change.text)
    core.nouns.report.say(text:sub(1, change.head), COLORS[change.role], text:sub(change.head + 1))
  end
  local below = words.below(found, led and words.took(found) or nil)
  if #below > 0 then print(wrapped(table.concat(below, "\n"))) end
  if core.options and core.options.explain then
    if words.statistics(found) then print(wrapped(words.statistics(found))) end
    if #series.asked > 0 then print(wrapped(reasons(series))) end
  end
  local drawn = not found.stopped and terminal.drawn(found)
  if drawn then print(drawn) end
  print ""
end

return terminal
