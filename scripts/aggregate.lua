#!/usr/bin/env regengine
--- Aggregates results of benchmark suites: the speedup of each backend over a baseline, over time.
--- It reads results.jsonl files of pytorch/xla's benchmarks (or in their format) and makes the four reports of its
--- aggregate.py: speedup (geometric means over time), histogram (percentiles), latest and latest_grouped (by model).

local ACCELERATORS = { v100 = "One of Tesla V100", a6000 = "One of Quadro P1000, NVIDIA RTX A6000",
  a100 = "NVIDIA A100-SXM4-40GB" }

local opt = reg.options {
  results     = { reg.several, "files of results, a JSON record a line, or stores of them", words = true },
  report      = { "speedup", "speedup, histogram, latest or latest_grouped",
                  choices = { "speedup", "histogram", "latest", "latest_grouped" } },
  format      = { reg.optional, "csv, tab, plot (in text), png or svg; csv, or what the output's name ends in",
                  choices = { "csv", "tab", "plot", "png", "svg" } },
  output      = { reg.optional, "file in place of standard output", short = "o" },
  title       = { reg.optional, "line below the plot's own title" },
  fig_width   = { 9, "of png and svg, inches" },
  fig_height  = { 6.75, "of png and svg, inches" },
  accelerator = { reg.optional, "only results of v100, a6000, a100, or of a regular expression in the accelerator's name" },
  backends    = { reg.several, "inductor, openxla+dynamo, openxla+lazytensor, eager; the first is the baseline",
                  choices = { "inductor", "openxla+dynamo", "openxla+lazytensor", "eager" } },
  by          = { reg.optional, "FIELD=VALUE,VALUE: values of the experiment's field in place of backends, as level=9,1" },
  baseline    = { "oldest", "oldest: each model's first result; latest: those of the last time", choices = { "oldest", "latest" } },
  test        = { "inference", "inference or training; not asked for with --by", choices = { "inference", "training" } },
  metric      = { "exec", "exec, the time of a run, or compile", choices = { "exec", "compile" } },
  filter      = { reg.several, "regular expression: only models that hold it", short = "k" },
  exclude     = { reg.several, "regular expression: no models that hold it", short = "x" },
  tiers       = { reg.optional, 'file with lists of models, { "tier1": ["bert"] } in JSON or Lua', file = true },
  filter_by_tier  = { reg.several, "only models of this tier, and those that --filter finds" },
  exclude_by_tier = { reg.several, "no models of this tier" },
}

local backends = reg.results.backends(opt.by or opt.backends)
for _, tier in ipairs(opt.filter_by_tier) do table.insert(opt.filter, reg.results.tier(opt.tiers, tier)) end
for _, tier in ipairs(opt.exclude_by_tier) do table.insert(opt.exclude, reg.results.tier(opt.tiers, tier)) end

local found = reg.results.speedups {
  files = opt.results, backends = backends, select = opt.metric, baseline = opt.baseline,
  models = opt.report == "latest" or opt.report == "latest_grouped",
  where = not opt.by and { test = opt.test == "inference" and "eval" or "train" } or nil,
  accelerator = opt.accelerator and (ACCELERATORS[opt.accelerator:lower()] or opt.accelerator),
  filter = table.concat(opt.filter, "|"), exclude = table.concat(opt.exclude, "|"),
}
for _, bad in ipairs(found.bad) do
  reg.log.warn("%s:%d: not a valid result: %s", bad.file, bad.line, bad.truncated and "incomplete line" or bad.message)
end

local report = reg.results.report(found, { report = opt.report, backends = backends, baseline = opt.baseline })
if #report.rows == 0 then
  reg.log.warn("none of %d results matches these backends, test and accelerator with a baseline%s", found.records,
    not opt.by and "; --by level=9,1 compares the values of a suite's own axis"
      or opt.metric == "exec" and "; a run needs more than 3 values, since the first 3 are warm-up" or "")
  return 1
end

local ending = (opt.output or ""):match "%.(%w+)$"
local format = opt.format or (ending == "png" or ending == "svg") and ending or "csv"
if format == "png" or format == "svg" then
  reg.results.plot(report, { file = opt.output or "-", format = format, title = opt.title,
    inches = { opt.fig_width, opt.fig_height } })
  return 0
end
local text
if format == "csv" then
  text = reg.results.csv(report)
elseif format == "plot" then
  text = reg.results.plot(report, { title = opt.title })
else
  text = reg.report.table(report.rows, { columns = report.columns })
end
if opt.output then reg.fs.write(opt.output, text .. "\n") else print(text) end
