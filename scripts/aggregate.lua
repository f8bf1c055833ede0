#!/usr/bin/env regengine
--- Aggregates results of benchmark suites: how many times as fast as a baseline
--- each backend is, over time. It reads results.jsonl files in the format of
--- pytorch/xla's benchmarks and writes the four reports of its aggregate.py:
--- speedup (geometric means over time), histogram (percentiles), latest, and
--- latest_grouped (by model).

local ACCELERATORS = {
  v100 = "One of Tesla V100", a6000 = "One of Quadro P1000, NVIDIA RTX A6000", a100 = "NVIDIA A100-SXM4-40GB",
}

local opt = reg.options {
  results     = { "files of results, one JSON record per line, or stores", type = "string", list = true, words = true,
                  required = true },
  report      = { "report to write", type = "string", default = "speedup",
                  choices = { "speedup", "histogram", "latest", "latest_grouped" } },
  format      = { "format; unless given, what the name of the output ends in, or csv", type = "string",
                  choices = { "csv", "tab", "plot", "png", "svg" } },
  output      = { "file to write; unless given, standard output", type = "output", short = "o" },
  title       = { "line below the title of the plot", type = "string" },
  fig_width   = { "width of a png or svg in inches", type = "number", default = 9 },
  fig_height  = { "height of a png or svg in inches", type = "number", default = 6.75 },
  accelerator = { "only results of this accelerator: v100, a6000, a100, or a regular expression for its name",
                  type = "string" },
  backends    = { "backends to report, the baseline first", type = "string", list = true,
                  choices = { "inductor", "openxla+dynamo", "openxla+lazytensor", "eager" } },
  by          = { "FIELD=VALUE,VALUE: compare these values of a field instead of backends, such as level=9,1",
                  type = "string" },
  baseline    = { "results to compare with: the first of each model, or those of the last time", type = "string",
                  choices = { "oldest", "latest" }, default = "oldest" },
  test        = { "test whose results are read; not used with --by", type = "string",
                  choices = { "inference", "training" }, default = "inference" },
  metric      = { "time to compare: of a run, or of the compilation", type = "string", choices = { "exec", "compile" },
                  default = "exec" },
  filter      = { "only models that match this regular expression", type = "string", list = true, short = "k" },
  exclude     = { "no models that match this regular expression", type = "string", list = true, short = "x" },
  tiers       = { 'JSON file with lists of models, { "tier1": ["bert"] }', type = "file" },
  filter_by_tier  = { "only models of this tier, and those that --filter finds", type = "string", list = true,
                      needs = { "tiers" } },
  exclude_by_tier = { "no models of this tier", type = "string", list = true, needs = { "tiers" } },
}

local backends = reg.results.backends(opt.by or opt.backends)
for _, tier in ipairs(opt.filter_by_tier) do table.insert(opt.filter, reg.results.tier(opt.tiers, tier)) end
for _, tier in ipairs(opt.exclude_by_tier) do table.insert(opt.exclude, reg.results.tier(opt.tiers, tier)) end

local found = reg.results.speedups {
  files = opt.results, backends = backends, select = opt.metric, baseline = opt.baseline,
  where = not opt.by and { test = opt.test == "inference" and "eval" or "train" } or nil,
  axes = opt.by ~= nil, accelerator = opt.accelerator and (ACCELERATORS[opt.accelerator:lower()] or opt.accelerator),
  filter = table.concat(opt.filter, "|"), exclude = table.concat(opt.exclude, "|"),
}
for _, note in ipairs(found.notes) do reg.log.warn("%s:%d: %s", note.file, note.line, note.message) end

if found.records == 0 and #found.notes == 0 then
  error({ kind = "usage", message = "aggregate.lua: no results of a suite in " .. table.concat(opt.results, ", "),
    hint = "Pass the results.jsonl of the suite." }, 0)
end
local report = reg.results.report(found, opt.report)
if #report.rows == 0 then
  reg.log.warn("none of %d results has these backends, this test and this accelerator, and a baseline%s", found.records,
    not opt.by and "; to compare the values of an axis of the suite, pass --by, such as --by level=9,1"
      or opt.metric == "exec" and "; a run needs more than 3 values, because the first 3 do not count" or "")
  return 1
end

local ending = (opt.output or ""):match "%.(%w+)$"
local format = opt.format or (ending == "png" or ending == "svg") and ending or "csv"
if format == "png" or format == "svg" then
  if not opt.output then error({ kind = "usage", message = "aggregate.lua: an image needs --output FILE" }, 0) end
  reg.results.plot(report, { file = opt.output, format = format, title = opt.title,
    inches = { opt.fig_width, opt.fig_height } })
  return 0
end
local text = format == "csv" and reg.results.csv(report)
  or format == "plot" and reg.results.plot(report, { title = opt.title })
  or reg.report.table(report.rows, { columns = report.columns })
if opt.output then reg.fs.write(opt.output, text .. "\n") else print(text) end
