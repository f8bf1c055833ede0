-- The trials of a stage as tables: all of them, and the failed ones with the ends of their logs.

local chart = require "lib/report/page/chart"
local h = require "lib/report/page/markup"
local names = require "lib/report/names"
local map, matches = require("lib/values").map, require("lib/values").matches
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local words = require "lib/report/words"

local trials = {}

local LOGS, LOG_LINES, LOG_BYTES, SAMPLES, SHORT = 40, 40, 6000, 8, 24

local function label_of(trial, stage) return (stage.found.by_id[trial.subject] or {}).label or trial.subject end

-- All trials that gave no number, and one run of each subject that fails the test: its output is of interest, too.
local function failed(stage)
  local told = {}
  return map(stage.trials, function(trial)
    if trial.status ~= "ok" then return trial.status ~= "set_aside" and trial or nil end
    local fails = stage.found.kind ~= "metric" and read.list(trial.samples[stage.found.metric])[1] == 1
    local listed = fails and not told[trial.subject]
    told[trial.subject] = told[trial.subject] or fails
    return listed and trial or nil
  end)
end

-- The end of the last output file that is not empty.
local function log_of(trial, store, stage)
  if not stage.with_output then return end
  local ok, files = pcall(store.output, store, trial.id, { keep_bytes = LOG_BYTES })
  for at = ok and #files or 0, 1, -1 do
    local cut_off = files[at].bytes > #files[at].text
    -- The first line is a part of one, and may have the rest of a token that nobody would recognize.
    local whole = cut_off and files[at].text:match "^[^\n]*\n(.*\n)" or files[at].text
    local lines = matches(stage.mask:text(h.plain(whole)), "[^\n]*\n")
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
  return h.details { class = "failure", h.summary { head }, name and { h.p { class = "quiet",
    cut_off and "The end of " or "", h.code { name }, ", ", bytes, " bytes, of trial ", trial.id, ":" },
    h.pre { h.redacted(text) } } or { h.pre { message }, h.p { class = "quiet", stage.with_output
    and "Its output was not kept." or "Its output is not published: --with-output adds the end of it." } } }
end

--- The failures, with the ends of their logs.
function trials.failures(stage, store)
  local all = failed(stage)
  return #all > 0 and { h.h2 { "Failures" }, map({ table.unpack(all, 1, LOGS) }, function(trial)
    return failure(trial, label_of(trial, stage), store, stage)
  end), #all > LOGS and h.p { class = "quiet", #all - LOGS .. " more are in the table of trials." } } or nil
end

local function trial_row(trial, label, stage)
  local metric, mask = stage.found.metric, stage.mask
  local samples = map(read.list(trial.samples[metric]), function(value) return numbers.plain(value) end)
  local ok, values = trial.status == "ok", table.concat(samples, ", ", 1, math.min(#samples, SAMPLES))
  local suspect = trial.suspect and "suspect: " .. table.concat(trial.suspect, ", ") or nil
  local note = trial.message and trial.message ~= "" and mask:text(h.plain(trial.message):match "^[^\n]*") or suspect
  local clocks = chart.clocks(trial)
  return h.tr { id = "trial-" .. stage.id .. "-" .. trial.id, h.td { class = "n", ["data-name"] = "trial", trial.id },
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
  local rows = map(stage.trials, function(trial) return trial_row(trial, label_of(trial, stage), stage) end)
  return h.details { class = "screen", h.summary { "All ", words.count(#stage.trials, "trial") },
    h.div { class = "scroll", h.rows("stack trials", { { class = "n", "trial" }, "subject",
      { class = "n", stage.found.metric }, "status", "started", { class = "n", "seconds" }, "" }, rows) } }
end

return trials
