-- The drawing of a series in the page: the data that engine/page/page.js draws. The points lie at
-- 1, 2, 3, ...; subjects between them were not measured.

local sorted_names = require("lib/values").sorted_names
local direction = require "lib/direction"
local h = require "lib/report/page/markup"
local changes = require "lib/report/changes"
local names = require "lib/report/names"
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
  local list = {}
  for _, one in ipairs(type(gpu.gpus) == "table" and gpu.gpus or {}) do
    local clock = one.busy_sm_mhz or one.sm_mhz
    local parts = {}
    if clock then
      parts[#parts + 1] = string.format("SM %.0f MHz (%.0f to %.0f)", clock.median, clock.min, clock.max)
    end
    if one.temperature_c then parts[#parts + 1] = string.format("%.0f \u{b0}C", one.temperature_c.max) end
    if one.power_w then parts[#parts + 1] = string.format("%.0f W", one.power_w.median) end
    if one.throttled then parts[#parts + 1] = "throttled" end
    list[#list + 1] = (#gpu.gpus > 1 and "GPU " .. one.index .. ": " or "") .. table.concat(parts, ", ")
  end
  list[#list + 1] = gpu.locked and "locked" or "not locked"
  return table.concat(list, "; ")
end

--- The GPUs' clocks, temperatures and power during a trial; nil if it used none.
function chart.clocks(trial)
  local ok, text = pcall(clocks_of, trial)  -- the store may be malformed
  return ok and text or nil
end

local function point_of(point, stage)
  local last = stage.by_id[point.trials[#point.trials] or 0]
  local message = point.message and stage.mask:text(h.plain(point.message)):sub(1, MESSAGE)
  return { label = point.label, value = point.value, values = point.values, status = point.status,
    failed = words.status(point.status), message = message, place = point.index,
    commits = commits_of(point.subject), image = type(point.subject) == "table" and point.subject.image or nil,
    clocks = chart.clocks(last) }
end

-- Where changes, or doubts as such, lie among the points.
local function marks_of(found, edges)
  local marks = reg.json.array {}
  for i, edge in ipairs(edges) do
    marks[i] = { from = edge.from, to = edge.to, near = edge.to - edge.from == 1,
      label = edge.recovery and "recovered" or edge.change.after and changes.effect(edge.change, found) or nil }
  end
  return marks
end

-- The data of a drawing.
local function data_of(stage)
  local found, shown, levels, doubts = stage.found, reg.json.array {}, reg.json.array {}, {}
  for i, point in ipairs(found.points) do
    shown[i] = point_of(point, stage)
    shown[i].x = i
  end
  for i, doubt in ipairs(found.doubts) do doubts[i] = { last_good = doubt.after, first_bad = doubt.upto } end
  local data = { points = shown, metric = direction.labeled(words.measured(found), found.unit), thing = found.thing,
    subjects = stage.answered and found.subjects or nil, kind = found.kind == "test" and "exact" or found.kind,
    levels = levels, changes = marks_of(found, found.edges),
    doubts = marks_of(found, changes.edges(found.points, doubts)) }
  for i, level in ipairs(found.levels) do
    levels[i] = { from = level.first - 0.5, to = level.last + 0.5, value = level.value,
      low = level.low, high = level.low and level.high }
    data.low = math.min(data.low or math.huge, level.low or level.value)
    data.high = math.max(data.high or -math.huge, level.high or level.value)
  end
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
