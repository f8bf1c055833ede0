-- The drawing of a series in the page: the data that page.js draws, with measured points at 1, 2, 3, ...

local direction = require "lib/direction"
local each = require("lib/report/read").each
local h = require "lib/report/page/markup"
local changes = require "lib/report/changes"
local names = require "lib/report/names"
local sorted_names = require("lib/values").sorted_names
local words = require "lib/report/words"

local chart = {}

local MESSAGE = 400  -- bytes of a message in the box at the pointer

local function commits_of(subject)
  if type(subject) ~= "table" then return nil end
  local list = {}
  local function add(commit, repo)
    list[#list + 1] = { repo = repo, short = commit.short or commit.id:sub(1, 10), subject = commit.subject,
      author = commit.author, date = names.date(commit.author_date or commit.date) }
  end
  if subject.commits and next(subject.commits) then
    for _, name in ipairs(sorted_names(subject.commits)) do add(subject.commits[name], name) end
  elseif subject.subject then
    add(subject, subject.repo)
  end
  return #list > 0 and reg.json.array(list) or nil
end

local function clocks_of(trial)
  local gpu = trial and type(trial.info) == "table" and trial.info.gpu
  if type(gpu) ~= "table" then return nil end
  local list = each(gpu.gpus, function(one)
    local clock, parts = one.busy_sm_mhz or one.sm_mhz, {}
    parts[1] = clock and ("SM %.0f MHz (%.0f to %.0f)"):format(clock.median, clock.min, clock.max)
    parts[#parts + 1] = one.temperature_c and ("%.0f \u{b0}C"):format(one.temperature_c.max)
    parts[#parts + 1] = one.power_w and ("%.0f W"):format(one.power_w.median)
    parts[#parts + 1] = one.throttled and "throttled" or nil
    return (#gpu.gpus > 1 and "GPU " .. one.index .. ": " or "") .. table.concat(parts, ", ")
  end)
  list[#list + 1] = gpu.locked and "locked" or "not locked"
  return table.concat(list, "; ")
end

--- The GPUs' clocks, temperatures and power during a trial; nil if it used none.
function chart.clocks(trial)
  local ok, text = pcall(clocks_of, trial)  -- the store may be malformed
  return ok and text or nil
end

local function point_of(point, x, stage)
  local last = stage.by_id[point.trials[#point.trials] or 0]
  local message = point.message and stage.mask:text(h.plain(point.message)):sub(1, MESSAGE)
  return { x = x, label = point.label, value = point.value, values = point.values, status = point.status,
    failed = words.status(point.status), message = message, place = point.index,
    commits = commits_of(point.subject), image = type(point.subject) == "table" and point.subject.image or nil,
    clocks = chart.clocks(last) }
end

-- Where changes, or doubts as such, lie among the points.
local function marks_of(found, edges)
  return each(edges, function(edge)
    return { from = edge.from, to = edge.to, near = edge.to - edge.from == 1,
      label = edge.recovery and "recovered" or edge.change.after and changes.effect(edge.change, found) or nil }
  end)
end

-- The data of a drawing.
local function data_of(stage)
  local found = stage.found
  local doubts = each(found.doubts, function(doubt) return { last_good = doubt.after, first_bad = doubt.upto } end)
  local data = { points = each(found.points, function(point, i) return point_of(point, i, stage) end),
    metric = direction.labeled(words.measured(found), found.unit), thing = found.thing,
    subjects = stage.answered and found.subjects or nil, kind = found.kind == "test" and "exact" or found.kind,
    changes = marks_of(found, found.edges), doubts = marks_of(found, changes.edges(found.points, doubts)) }
  data.levels = each(found.levels, function(level)
    data.low = math.min(data.low or math.huge, level.low or level.value)
    data.high = math.max(data.high or -math.huge, level.high or level.value)
    return { from = level.first - 0.5, to = level.last + 0.5, value = level.value,
      low = level.low, high = level.low and level.high }
  end)
  return data
end

--- The drawing of a stage; its data is appended to `into`, which page.js reads.
function chart.drawing(stage, into, title)
  if #stage.found.points == 0 then return nil end
  local data = data_of(stage)
  into[#into + 1] = data
  local label = string.format("%s of %s: %s. Use the arrow keys to go from one to the next.", data.metric,
    words.count(#data.points, data.thing), title)
  return h.figure {
    h.div { class = data.kind == "exact" and "chart low" or "chart",
      h.canvas { ["data-stage"] = #into - 1, tabindex = 0, role = "img", ["aria-label"] = label } },
    h.div { class = "tip", hidden = true, ["aria-live"] = "polite" },
    h.p { class = "undrawn quiet", "The drawing needs scripts, which are off. All its numbers are in the tables." } }
end

return chart
