-- What engine/report/page.js draws of a series. Places are those of the points that are shown, from 0: what lies between them
-- was not measured.

local sorted_names = require "lib/sorted_names"
local words = require "lib/report/page/words"

local chart = {}

local MESSAGE = 400  -- bytes of a message beside the pointer

local function commits_of(subject)
  if type(subject) ~= "table" then return nil end
  local list = {}
  local function add(commit, repo)
    list[#list + 1] = { repo = repo, short = commit.short or commit.id:sub(1, 10), subject = commit.subject, author = commit.author,
      date = words.date(commit.author_date or commit.date) }
  end
  if subject.commits and next(subject.commits) then
    for _, name in ipairs(sorted_names(subject.commits)) do add(subject.commits[name], name) end
  elseif subject.subject then
    add(subject, subject.repo)
  end
  return #list > 0 and reg.json.array(list) or nil
end

--- What a trial's GPUs did, in words; nil where it had none.
function chart.clocks(trial)
  local gpu = trial and type(trial.info) == "table" and trial.info.gpu
  if type(gpu) ~= "table" then return nil end
  local list = {}
  for _, one in ipairs(type(gpu.gpus) == "table" and gpu.gpus or {}) do
    local clock = one.busy_sm_mhz or one.sm_mhz
    local parts = {}
    if clock then parts[#parts + 1] = string.format("SM %.0f MHz (%.0f to %.0f)", clock.median, clock.min, clock.max) end
    if one.temperature_c then parts[#parts + 1] = string.format("%.0f \u{b0}C", one.temperature_c.max) end
    if one.power_w then parts[#parts + 1] = string.format("%.0f W", one.power_w.median) end
    if one.throttled then parts[#parts + 1] = "throttled" end
    list[#list + 1] = (#gpu.gpus > 1 and "GPU " .. one.index .. ": " or "") .. table.concat(parts, ", ")
  end
  list[#list + 1] = gpu.locked and "locked" or "not locked"
  return table.concat(list, "; ")
end

local function clocks(trial)
  local ok, text = pcall(chart.clocks, trial)  -- of a store that is somebody else's
  return ok and text or nil
end

local function point_of(point, stage)
  local last = stage.by_id[point.trials[#point.trials] or 0]
  local message = point.message and stage.mask:text(core.nouns.report.plain(point.message:sub(1, MESSAGE)))
  return { label = point.label, value = point.value, values = point.values, status = point.status, message = message,
    place = point.index, aside = point.aside and #point.aside > 0 and reg.json.array(point.aside) or nil,
    commits = commits_of(point.subject), image = type(point.subject) == "table" and point.subject.image or nil, clocks = clocks(last) }
end

local function places(points)
  local of = {}
  for i, point in ipairs(points) do of[point.id] = i - 1 end
  return of
end

-- Where along the points a change lies: the last place before and the first after it.
local function around(of, last, first, merge)
  local to = of[merge or first]
  local from = not merge and of[last] or to and to - 1
  if not to or not from or from >= to then return nil end
  return from, to
end

local function level(change, name)
  local low, high = change[name .. "_low"], change[name .. "_high"]
  return { value = change[name], low = low, high = low and high, change = change, name = name }
end

--- The levels in their order, each { from =, to =, value =, low =, high =, points = }, of a series with changes; one level, the
--- median, where there are none.
function chart.levels(series)
  local of, edges = places(series.points), {}
  for _, change in ipairs(series.changes) do
    local from, to = around(of, change.last_good, change.first_bad, change.merge)
    if from then
      edges[#edges + 1] = { from = from, to = to, before = level(change, "before"), after = level(change, "after") }
      local back, again = around(of, change.still_bad, change.recovered_at)
      -- What a dip goes back to is about what was before; the change after it, where there is one, knows it better.
      if back then
        edges[#edges + 1] = { from = back, to = again, recovery = true, before = level(change, "after"), after = level(change, "before") }
      end
    end
  end
  table.sort(edges, function(a, b) return a.to < b.to end)
  local levels = reg.json.array {}
  local function add(of_level, from, to)
    if to < from then return end
    levels[#levels + 1] = { from = from - 0.5, to = to + 0.5, value = of_level.value, low = of_level.low, high = of_level.high,
      first = series.points[from + 1], last = series.points[to + 1], count = to - from + 1, change = of_level.change,
      name = of_level.name }
  end
  for i, edge in ipairs(edges) do
    local start = i == 1 and 0 or edges[i - 1].to
    local known = i == 1 or edges[i - 1].recovery
    add(known and edge.before or edges[i - 1].after, start, edge.from)
    if i == #edges then add(edge.after, edge.to, #series.points - 1) end
  end
  return levels
end

-- Of the points that are shown; on a side branch a change is where it is, and not at the merge.
local function change_marks(series, points)
  local of, marks = places(points), {}
  for _, change in ipairs(series.changes) do
    local from, to = around(of, change.last_good, change.first_bad, points == series.points and change.merge or nil)
    local label = words.effect(change, series) or (change.after > change.before and "fails" or "passes")
    if from then marks[#marks + 1] = { from = from, to = to, label = label } end
    local back, again = around(of, change.still_bad, change.recovered_at)
    if back then marks[#marks + 1] = { from = back, to = again, label = "recovered" } end
  end
  table.sort(marks, function(a, b) return a.to < b.to end)
  return reg.json.array(marks)
end

local function doubts(series)
  local of, marks = places(series.points), reg.json.array {}
  for _, doubt in ipairs(series.doubts) do
    local from, to = around(of, doubt.after, doubt.upto)
    if from then marks[#marks + 1] = { from = from, to = to } end
  end
  return marks
end

--- The data of one drawing: `points` are the series' own, or its side_points.
function chart.data(stage, points)
  local series, whole = stage.series, points == stage.series.points
  local shown, levels = reg.json.array {}, reg.json.array {}
  for i, point in ipairs(points) do shown[i] = point_of(point, stage) end
  local data = { points = shown, metric = words.measured(series), thing = words.things(stage, 1),
    subjects = whole and series.subjects or nil,
    kind = series.exact and "exact" or series.flaky and "flaky" or "metric", levels = levels,
    changes = change_marks(series, points), doubts = whole and doubts(series) or reg.json.array {} }
  if whole and not series.exact then
    for i, one in ipairs(chart.levels(series)) do
      levels[i] = { from = one.from, to = one.to, value = one.value, low = one.low, high = one.high }
      data.low = math.min(data.low or math.huge, one.low or one.value)
      data.high = math.max(data.high or -math.huge, one.high or one.value)
    end
  end
  return data
end

return chart
