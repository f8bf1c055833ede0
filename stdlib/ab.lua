-- reg.ab: commands in turn until it is clear how each differs from the first.

local Rounds = require "lib/ab/rounds"
local Sequence = require "lib/ab/sequence"
local direction = require "lib/direction"
local investigation = require "lib/sweep/investigation"
local markdown = require "lib/provenance/markdown"
local numbers = require "lib/report/numbers"
local scan = require "lib/ab/scan"
local text_of = require("lib/report/ab").text
local values = require "lib/values"

local KEYS = { "measure", "metric", "better", "min_effect", "budget", "title", "into", "folder", "config", "files",
  "redo", "resume", "suspect", "predict", "warmup", "runs", "min_runs", "setup", "cleanup", "all_pairs", "parameters",
  "export_json", "export_csv", "export_markdown" }
local BUDGET = 30  -- rounds

local function usage(message, hint) core.fail("usage", "ab: " .. message, hint) end

-- The options with what follows from them, and the commands (lib/ab/scan) with their names.
local function complete(templates, given)
  for _, one in ipairs(templates) do
    if type(one) ~= "string" then usage "takes two commands or more, each a string" end
  end
  local o = investigation.options("ab", given, KEYS, 1, { kind = "command", budget = BUDGET, metric = "wall time",
    warmup = 1, min_runs = 1, measure = function(command, trial) return trial:run({ shell = command }).wall_s end })
  for name, least in pairs { warmup = 0, runs = 1, min_runs = 1 } do values.check_count("ab", o, name, least) end
  o.min_runs, o.budget = o.runs or o.min_runs, o.runs or math.max(o.budget, o.min_runs)
  o.list = scan.expanded(templates, o.parameters and require "lib/combinations"("ab", o.parameters))
  if #o.list < 2 then usage("takes two commands or more, not " .. #o.list) end
  o.commands, o.templates, o.names, o.fills = {}, {}, {}, {}
  for i, one in ipairs(o.list) do
    o.commands[i], o.templates[i] = one.command, one.template
    o.names[i] = i <= 26 and string.char(64 + i) or "C" .. i  -- A, B ... Z, C27, C28 ...
    o.fills[one.command] = one.fill
  end
  local measure, fills = o.measure, o.fills
  if o.parameters then
    o.measure = function(command, trial) return measure(command, trial, fills[command]) end
  end
  o.afresh = not o.resume  -- what a command reads is not known, so neither is whether its old numbers still hold
  o.unit = direction.unit(given.metric or "@wall")
  if given.predict ~= nil then
    o.predict = require("lib/predictions").parse("ab", given.predict, reg.metric.name(o.metric))
  end
  if o.predict and #o.list > 2 then usage "a prediction needs exactly two commands" end
  if o.min_effect and (type(o.min_effect) ~= "number" or o.min_effect <= 0) then
    usage "min_effect must be a positive number; 0.01 is one percent"
  end
  o.config = { commands = o.commands, contents = investigation.contents(o.commands, o.folder), more = o.config }
  return o
end

local WARM_UP = { [0] = "", ", once of which to warm up" }

local function describe(o)
  local dry_run = require "lib/sweep/dry_run"
  local least = math.min(math.max(Sequence.FEWEST, o.min_runs), o.budget) + o.warmup
  local most = o.budget + o.warmup
  print(string.format("%s: would run each command %s times, in turn%s; %s", o.title,
    least == most and least or least .. " to " .. most,
    WARM_UP[o.warmup] or ", " .. o.warmup .. " of which to warm up",
    dry_run.time_words(o, #o.list * least, #o.list * most)))
  for side, command in ipairs(o.commands) do dry_run.show_run(o.names[side], command, o) end
end

local COLUMNS = { "command", "mean", "stddev", "median", "user", "system", "min", "max" }

-- What was measured, in the form of hyperfine's files, by the option that names the file.
local exports = {}

-- Numbers of another metric than seconds of wall time say so.
function exports.export_json(found)
  local is_wall = found.metric == "wall time"
  return reg.json.encode({ results = found.results, metric = not is_wall and found.metric or nil,
    unit = not is_wall and found.unit or nil }) .. "\n"
end

function exports.export_csv(found)
  local columns, rows = table.move(COLUMNS, 1, #COLUMNS, 1, {}), {}
  for _, name in ipairs(scan.parameters(found.results)) do columns[#columns + 1] = "parameter_" .. name end
  for i, result in ipairs(found.results) do
    rows[i] = values.picked(result, COLUMNS)
    for name, value in pairs(result.parameters or {}) do rows[i]["parameter_" .. name] = value end
  end
  return require("lib/report/table").csv("ab", rows, columns)
end

function exports.export_markdown(found)
  local lines = { "| Command | Mean | SD | Median | Min | Max | Relative |", "|:---|---:|---:|---:|---:|---:|---:|" }
  for i, row in ipairs(found.results) do
    local fields = { "mean", "stddev", "median", "min", "max" }
    local cells = values.map(fields, function(name) return numbers.plain(row[name], found) end)
    lines[#lines + 1] = string.format("| %s | %s | %s |", markdown.cell(row.command), table.concat(cells, " | "),
      i == 1 and "1" or numbers.digits(row.mean / found.results[1].mean, 3))
  end
  return table.concat(lines, "\n") .. "\n"
end

---@class ab.Options: sweep.CommonOptions
---@field measure? fun(command: string, trial: sweep.Trial, fill?: fun(text: string): string): any one run of a command:
--- a number, or metrics by name; by default the wall time of the command in a shell. With `parameters`, `fill` puts the
--- values of this command into a string
---@field metric? string name or pattern of the number; without it the numbers are seconds of wall time
---@field better? "lower"|"higher" which numbers are better; by default what the metric's name says, and "lower" for the
--- wall time
---@field min_effect? number smallest ratio that matters, minus 1: at 0.02 it ends when the two differ by less than 2 %
---@field budget? integer most runs of each command, 30 by default
---@field runs? integer run each command exactly so often, decided or not
---@field min_runs? integer least runs of each command, 1 by default
---@field warmup? integer uncounted runs of each command before the others, 1 by default
---@field setup? fun(command: string, fill: fun(text: string): string) called for each command before the first run,
--- unless the store has all runs
---@field cleanup? fun(command: string, fill: fun(text: string): string) called for each command that was set up, after
--- the last run, also after a failure
---@field parameters? table<string, any[]>[] a command with {NAME} in it stands for one command for each value of NAME
---@field all_pairs? boolean compare all pairs of three commands or more, not only each with the first
---@field export_json? string file for the results, in the form of hyperfine's JSON
---@field export_csv? string file for the statistics, as hyperfine's CSV
---@field export_markdown? string file for the statistics as a Markdown table
---@field folder? string folder that the commands run in, to find the files that they name
---@field resume? boolean go on with the stored pairs of these commands; otherwise it measures afresh
---@field predict? string|string[] what you expect of B's number, such as "step time -10 %", "step time lower" or
--- "step time same": stored before the runs

---@class ab.Prediction
---@field line string as it was given
---@field verdict "met"|"not met"|"contradicted"|"not measured" of "-10 %": met if the interval reaches -10 %, not met
--- if the number is lower by less or stays, contradicted if it is higher; not measured where it is inconclusive
---@field measured string what was measured, or why it was not

---@class ab.Values
---@field a number[] one for each pair, in their order
---@field b number[]

---@class ab.Result
---@field command string with the values of its parameters
---@field mean number these are in seconds, or in the unit of `metric`
---@field median number
---@field min number
---@field max number
---@field stddev? number of one run; absent with a single one
---@field user? number mean CPU time of a run in seconds
---@field system? number
---@field times number[] of each run, in their order
---@field exit_codes integer[] all 0: a command that fails ends the comparison
---@field parameters? table<string, string>

---@class ab.Comparison
---@field first integer number of a command
---@field second integer the one that is compared with it
---@field verdict "better"|"worse"|"higher"|"lower"|"no_difference"|"inconclusive" of the second. It has regression,
--- effect, low, high, a, b, noise and more_pairs too, as in the answer for two commands

---@class ab.Answer: sweep.CommonAnswer
---@field verdict "better"|"worse"|"higher"|"lower"|"no_difference"|"inconclusive"|"decided" of B compared with A;
--- "higher" and "lower" where `better` is not known. Of three commands or more "decided" or "inconclusive"
---@field comparisons? ab.Comparison[] of three commands or more; then effect, low, high, a, b and values are absent
---@field results ab.Result[] one for each command, in their order
---@field names string[] "A", "B" ...
---@field title string the verdict in a sentence: of three commands or more which one is best
---@field templates? string[] the commands as they were given, with `parameters`
---@field regression boolean B is worse; of more, any one is worse than A
---@field effect number b / a - 1
---@field low? number its 95 % interval, which holds at whichever pair it ends; absent before the fifth pair
---@field high? number
---@field confidence number of the interval
---@field a number geometric mean of A
---@field b number geometric mean of B
---@field noise? number run-to-run noise: relative standard deviation of one run
---@field quieter? metric.Quieter of a wall time: another number has much less noise
---@field pairs integer rounds of one run of each command
---@field more_pairs? integer about how many more would decide it; of "no_difference" at the end of the budget, would
--- halve the interval
---@field pair_seconds? number wall time of the commands of one pair
---@field other_machines integer pairs of `reused` that were run on another machine, with --reuse any-machine
---@field min_effect? number
---@field commands string[] A, B ...
---@field values ab.Values
---@field predictions ab.Prediction[] in their order

--- Runs two commands in turn, A B, B A, A B ..., until it is clear which one has the larger number, or that they differ
--- by less than min_effect; at most `budget` pairs. Each command runs once before, uncounted. A list of three commands
--- or more, or of one with `parameters`, runs in rounds A B C, C B A ... until each comparison with A is decided. The
--- interval of the ratio and the verdict are valid although they are looked at after each pair: of two equal commands
--- at most 5 % are called different. Without min_effect, a budget that ends with an interval of at most 3 times the
--- noise gives "no_difference". The store keeps the pairs. With `resume` the newest comparison goes on, provided that
--- the commands are the same and the files they name: of each command of a line the first one that is there, such as
--- ./bench or bench.py. Without it all is measured, since what else a command builds or reads is not known. Times in
--- the answer are seconds. Raises failed_trial if a command fails, with the end of its output, and usage for a number
--- that is not positive. A dry run prints what would run, and returns nothing.
--- ```lua
--- print(reg.ab("seq 1e6 | gzip -1", "seq 1e6 | gzip -9", { min_effect = 0.05 }).text)
--- print(reg.ab({ "seq 1e6 | gzip -{level}" }, { parameters = { { level = { 1, 6, 9 } } } }).text)
--- ```
---@param a string|string[] the first command, or a list of all of them
---@param b? string|ab.Options the second command, or the options after a list
---@param options? ab.Options
---@return ab.Answer answer
return function(a, b, given)
  local commands = { a, b }
  if type(a) == "table" then commands, given = a, b end
  local o = complete(commands, given or {})
  if core.settings().dry_run then return describe(o) end
  local found = investigation.conduct(o, text_of, { unit = #o.list > 2 and "round" or "pair", total = o.budget },
    function(run) return Rounds.new(o, run) end)
  for name, form in pairs(exports) do
    if o[name] then reg.fs.write(o[name], form(found)) end
  end
  return found
end
