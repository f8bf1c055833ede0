-- The trials of a stage as tables: all of them, the failed ones with the ends of their logs, and the results of a
-- benchmark suite.

local chart = require "lib/report/page/chart"
local direction = require "lib/direction"
local h = require "lib/report/page/markup"
local median = require("lib/values").median
local names = require "lib/report/names"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local sorted_names = require("lib/values").sorted_names
local words = require "lib/report/words"

local trials = {}

local LOGS, LOG_LINES, LOG_BYTES, SAMPLES, SHORT = 40, 40, 6000, 8, 24

local function label_of(trial, stage) return (stage.found.by_id[trial.subject] or {}).label or trial.subject end

-- A failure of a pass/fail test is a result, but its output is of interest all the same.
local function fails_the_test(trial, found)
  local values = trial.samples[found.metric]
  return found.kind ~= "metric" and trial.status == "ok" and type(values) == "table" and values[1] == 1
end

-- All trials that gave no number, and one run of each subject that fails the test.
local function failed(stage)
  local list, told = {}, {}
  for _, trial in ipairs(stage.trials) do
    local fails = fails_the_test(trial, stage.found)
    if fails and not told[trial.subject] or trial.status ~= "ok" and trial.status ~= "set_aside" then
      list[#list + 1] = trial
    end
    if fails then told[trial.subject] = true end
  end
  return list
end

-- The end of the last output file that is not empty.
local function log_of(trial, store, stage)
  if not stage.with_output then return end
  local ok, files = pcall(store.output, store, trial.id, { keep_bytes = LOG_BYTES })
  for at = ok and #files or 0, 1, -1 do
    local lines = {}
    local cut_off = files[at].bytes > #files[at].text
    -- The first line is a part of one, and may have the rest of a token that nobody would recognize.
    local whole = cut_off and files[at].text:match "^[^\n]*\n(.*\n)" or files[at].text
    for line in stage.mask:text(h.plain(whole)):gmatch "[^\n]*\n" do lines[#lines + 1] = line end
    if #lines > 0 then
      local text = table.concat(lines, "", math.max(1, #lines - LOG_LINES + 1))
      return files[at].name, text, cut_off or #lines > LOG_LINES, files[at].bytes
    end
  end
end

local function failure(trial, label, store, stage)
  local name, text, cut_off, bytes = log_of(trial, store, stage)
  local message = stage.mask:text(h.plain(trial.message or ""))
  local why = message ~= "" and h.span { class = "why", " \u{b7} ", (message:match "^[^\n]*") } or nil
  local status = trial.status == "ok" and "fails" or words.status(trial.status)
  local head = { h.b { label }, " ", h.span { class = "status", status }, why }
  if not name then
    return h.details { class = "failure", h.summary { head }, h.pre { message },
      h.p { class = "quiet", stage.with_output and "Its output was not kept."
        or "Its output is not published: --with-output adds the end of it." } }
  end
  return h.details { class = "failure", h.summary { head },
    h.p { class = "quiet", cut_off and "The end of " or "", h.code { name }, ", ", bytes, " bytes, of trial ", trial.id,
    ":" }, h.pre { h.redacted(text) } }
end

--- The failures, with the ends of their logs.
function trials.failures(stage, store)
  local list, all = {}, failed(stage)
  if #all == 0 then return nil end
  for i = 1, math.min(#all, LOGS) do list[i] = failure(all[i], label_of(all[i], stage), store, stage) end
  if #all > LOGS then list[#list + 1] = h.p { class = "quiet", #all - LOGS .. " more are in the table of trials." } end
  return h.all { h.h2 { "Failures" }, list }
end

local function trial_row(trial, label, stage)
  local metric, mask = stage.found.metric, stage.mask
  local samples = {}
  for i, value in ipairs(type(trial.samples[metric]) == "table" and trial.samples[metric] or {}) do
    samples[i] = numbers.plain(value)
  end
  local ok, values = trial.status == "ok", table.concat(samples, ", ", 1, math.min(#samples, SAMPLES))
  local suspect = trial.suspect and "suspect: " .. table.concat(trial.suspect, ", ") or nil
  local note = trial.message and trial.message ~= "" and mask:text(h.plain(trial.message):match "^[^\n]*") or suspect
  local clocks = chart.clocks(trial)
  return h.tr { h.td { class = "n", ["data-name"] = "trial", trial.id },
    h.td { class = #label <= SHORT and "tight" or nil, h.b { label } },
    h.td { class = "n", ["data-name"] = metric, values, #samples > SAMPLES and ", \u{2026}" or nil },
    h.td { class = "tight", ok and "ok" or h.span { class = "status", words.status(trial.status) } },
    h.td { class = "tight", ["data-name"] = "started", names.moment(trial.started) },
    h.td { class = "n", ["data-name"] = "seconds", trial.wall_s and string.format("%.1f", trial.wall_s) or nil },
    h.td { clocks, clocks and note and "; " or nil, note } }
end

--- The table of all trials, folded.
function trials.all(stage)
  if #stage.trials == 0 then return nil end
  local rows = {}
  for i, trial in ipairs(stage.trials) do rows[i] = trial_row(trial, label_of(trial, stage), stage) end
  return h.details { class = "screen", h.summary { "All ", words.count(#stage.trials, "trial") },
    h.div { class = "scroll", h.rows("stack trials", { { class = "n", "trial" }, "subject",
      { class = "n", stage.found.metric }, "status", "started", { class = "n", "seconds" }, "" }, rows) } }
end

local MOST_METRICS = 4
local STANDARD = "total_time"

-- The experiments in the order of their first processes: { subject =, trials = }.
local function experiments_of(stage)
  local list, of = {}, {}
  for _, trial in ipairs(stage.trials) do
    if trial.kind == "experiment" and trial.status ~= "set_aside" then
      local one = of[trial.subject]
      if not one then
        one = { subject = trial.subject, trials = {} }
        of[trial.subject], list[#list + 1] = one, one
      end
      table.insert(one.trials, trial)
    end
  end
  return list
end

-- The names of all metrics, the standard one first.
local function metrics_of(experiments)
  local metrics, ordered = {}, {}
  for _, one in ipairs(experiments) do
    for _, trial in ipairs(one.trials) do
      for name in pairs(read.list(trial.samples)) do metrics[name] = true end
    end
  end
  if metrics[STANDARD] then ordered[1] = STANDARD end
  for _, name in ipairs(sorted_names(metrics)) do
    if name ~= STANDARD and #ordered < MOST_METRICS then ordered[#ordered + 1] = name end
  end
  return ordered
end

-- The cells of a metric: the median of all values, and their range.
local function cells_of(one, metric)
  local all = {}
  for _, trial in ipairs(one.trials) do
    local values = trial.status == "ok" and read.each(read.list(trial.samples[metric]), read.number) or {}
    table.move(values, 1, #values, #all + 1, all)
  end
  if #all == 0 then return { h.td {}, h.td {} } end
  table.sort(all)
  local range = #all > 1 and numbers.plain(all[1]) .. " to " .. numbers.plain(all[#all]) or nil
  return { h.td { class = "n", ["data-name"] = metric, h.b { numbers.plain(median(all)) } },
    h.td { class = "n tight", ["data-name"] = "range", range } }
end

local function row_of(one, metrics, mask)
  local cells, status = { h.td { h.b { mask:text(one.subject) } } }, "ok"
  for _, metric in ipairs(metrics) do cells[#cells + 1] = cells_of(one, metric) end
  for _, trial in ipairs(one.trials) do status = trial.status ~= "ok" and trial.status or status end
  cells[#cells + 1] = h.td { class = "n", ["data-name"] = "processes", #one.trials }
  cells[#cells + 1] = h.td { class = "tight",
    status == "ok" and "ok" or h.span { class = "status", words.status(status) } }
  return h.tr(cells)
end

--- The results of a benchmark suite: a row for each experiment; nil for another stage.
function trials.results(stage)
  local experiments = experiments_of(stage)
  if #experiments == 0 then return nil end
  local columns, rows, metrics = { "experiment" }, {}, metrics_of(experiments)
  local units = read.list(experiments[1].trials[1].info.units)
  for _, metric in ipairs(metrics) do
    columns[#columns + 1] = { class = "n", direction.labeled(metric, read.text(units[metric])) }
    columns[#columns + 1] = { class = "n", "range" }
  end
  columns[#columns + 1], columns[#columns + 2] = { class = "n", "processes" }, "status"
  for i, one in ipairs(experiments) do rows[i] = row_of(one, metrics, stage.mask) end
  return h.all { h.h2 { "Results" }, h.div { class = "scroll", h.rows("stack", columns, rows) } }
end

return trials
