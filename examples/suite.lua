#!/usr/bin/env regengine
--- Runs the suite of programs.lua beside it on three "days", analyzes and
--- aggregates the results, and compares the last day with the first. On the third
--- day a debugging option of the C library is on: which programs does it slow
--- down?

local opt = reg.options {
  ["repeat"] = { "processes of each experiment", type = "integer", default = 8, min = 1 },
  filter     = { "only programs that match this regular expression", type = "string", list = true, short = "k" },
}

local suite = require "programs"
local DAYS = { {}, {}, { MALLOC_PERTURB_ = "165" } }
local files = {}
for day, more in ipairs(DAYS) do
  local env = { LC_ALL = "C" }
  for name, value in pairs(more) do env[name] = value end
  suite.env = env
  files[day] = reg.suite.run(suite, { folder = "day" .. day, filter = opt.filter, ["repeat"] = opt["repeat"] }).results
end

-- One row per run, as pytorch/xla's result_analyzer writes them.
local report = reg.results.analyze { files = files }
reg.fs.write("metric_report.csv", table.concat(report.columns, ",") .. "\n" .. table.concat(report.lines, "\n") .. "\n")
print(#report.lines .. " runs in metric_report.csv\n")

-- How many times as fast as the slowest setting the others are, on each day.
local backends = reg.results.backends "setting=best,default,fast"
local found = reg.results.speedups { files = files, backends = backends, baseline = "oldest" }
local speedup = reg.results.report(found)
print(reg.report.table(speedup.rows, { columns = speedup.columns }))

-- The third day against the first, program by program and setting by setting.
local function percent(x) return x and string.format("%+.1f %%", 100 * x) or "?" end
local function processes(file) return reg.results.processes { files = { file } } end
local rows = reg.results.compare(processes(files[1]), processes(files[3])).rows
for i, row in ipairs(rows) do
  rows[i] = { verdict = row.verdict, program = row.model, setting = row.differs:match "setting=(%w+)",
    effect = percent(row.effect), low = percent(row.low), high = percent(row.high) }
end
print(reg.report.table(rows, { columns = { "verdict", "program", "setting", "effect", "low", "high" } }))
