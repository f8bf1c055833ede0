local test = require "harness"
local null = reg.json.null

local function run_line(over)
  return reg.json.encode(test.merged({
    model = { suite_name = "torchbench", model_name = "BERT" },
    experiment = { accelerator = "cuda", accelerator_model = "One of Tesla V100, ...", xla = null, xla_flags = null,
      dynamo = "inductor", torch_xla2 = null, keep_model_data_on_cuda = false, test = "eval", batch_size = 16 },
    metrics = { total_time = { 15.5, 0.25, 0.5, 1 } }, timestamp = 1699680738.7234068, ["repeat"] = 4,
    iterations_per_run = 1,
  }, over))
end

local function experiment(over) return test.merged(reg.json.decode(run_line()).experiment, over) end

local function analyze(lines, options)
  reg.fs.write("runs.jsonl", table.concat(lines, "\n") .. "\n")
  return reg.results.analyze(test.merged({ files = { "runs.jsonl" }, timestamp = 1700000000.25 }, options))
end

-- The CSV row as a table by column's name; with names, the list of these cells.
local function row(report, n, ...)
  local csv, cells = report.lines[n or 1], {}
  local at = 1
  for cell in (csv .. ","):gsub('"[^"]*"', function(quoted) return (quoted:gsub(",", ";")) end):gmatch "([^,]*)," do
    cells[report.columns[at]] = cell
    at = at + 1
  end
  test.equal(at - 1, #report.columns)
  return ... and test.map({ ... }, function(name) return cells[name] end) or cells
end

test("a run is a row in upstream's columns, with its numbers", function()
  local report = analyze { run_line() }
  test.equal(table.concat(report.columns, ","),
    "timestamp,suite_name,model_name,accelerator,accelerator_model,xla,xla_flags,dynamo,"
    .. "torch_xla2,keep_model_data_on_cuda,test,batch_size,repeat,iterations_per_run,error_message,median_total_time,"
    .. "median_per_iter_time,xla_median_trace_per_iter_time,xla_compile_time,dynamo_compile_time,outputs_file,"
    .. "min_total_time,max_total_time,mean_total_time,std_total_time")
  -- mean and deviation of 0.25, 0.5 and 1; the compile time is 15.5 - 0.75
  test.equal(report.lines,
    { '1699680738.7234068,torchbench,BERT,cuda,"One of Tesla V100, ...",,,inductor,,False,eval,16,4,1,,'
    .. "0.75,,,-1,14.75,,0.25,15.5,0.5833333333333334,0.31180478223116176" })
  test.equal({ report.notes, report.failed }, { {}, 0 })
end)

test("the sum is numpy's, whose order shows in the last digits", function()
  -- numpy.mean and numpy.std of i * i % 97 / 10, i = 1..n; added one by one they end otherwise from 23 on.
  local wanted = { [7] = "2 1.6370705543744901", [8] = "2.5499999999999998 2.112463017427761",
    [23] = "4.0391304347826091 2.9277887679857115", [128] = "4.7273437500000002 3.0380841733460806",
    [129] = "4.7325581395348841 3.0268607011199138", [300] = "4.7510000000000003 3.0351110358601381",
    [1000] = "4.7866999999999997 3.0327434955828361" }
  local function of(values)
    reg.fs.write("sums.jsonl", '{"model":{},"experiment":{},"metrics":{"x":[9,' .. table.concat(values, ",") .. "]}}\n")
    local cells = row(reg.results.analyze { files = { "sums.jsonl" } })
    return string.format("%.17g %.17g", tonumber(cells.mean_x), tonumber(cells.std_x))
  end
  for count, numbers in pairs(wanted) do
    local values = {}
    for i = 1, count do values[i] = string.format("%.17g", (i * i % 97) * 0.1) end
    test.equal(of(values), numbers)
  end
end)

test("which compile time there is depends on what compiled; a trace is XLA's", function()
  local metrics = { total_time = { 3, 1, 1 }, trace_per_iter_time = { 0.5, 0.25 } }
  for _, case in ipairs { { "PJRT", "openxla", { "2.0", "2.0", "0.375" } }, { "PJRT", null, { "2.0", "-1", "0.375" } },
    { null, null, { "-1", "-1", "-1" } } } do
    local report = analyze { run_line { metrics = metrics, experiment = experiment { xla = case[1], dynamo = case[2] } } }
    test.equal(row(report, 1, "xla_compile_time", "dynamo_compile_time", "median_trace_per_iter_time"), case[3])
  end
end)

test("a metric that comes later is a last column, empty in the rows before", function()
  local report = analyze { run_line(), run_line { metrics = { total_time = { 1 }, alone = { 2 }, bytes = 3 } } }
  test.equal(table.concat(report.columns, ",", 26), "min_alone,median_alone,max_alone,min_bytes,median_bytes,max_bytes")
  test.truthy(report.lines[1]:find "0.31180478223116176,,,,,,$", report.lines[1])
  test.equal(row(report, 2, "mean_total_time", "median_bytes"), { "", "3.0" })
end)

test("failed runs say why, unless that is hidden", function()
  local lines = { run_line { metrics = { error = 'no "memory",\nat all' } } }
  test.has(analyze(lines).lines[1], '"no ""memory"",\nat all"')
  test.equal({ analyze(lines).failed, row(analyze(lines, { hide_errors = true })).error_message }, { 1, "" })
  local json = reg.json.decode(analyze(lines, { format = "jsonl" }).lines[1])
  test.equal({ json.error_message, json.dimensions.run_status }, { 'no "memory",\nat all', "failure" })
  test.equal(reg.json.decode(analyze(lines, { format = "jsonl", hide_errors = true }).lines[1]).error_message, nil)
end)

test("JSON lines have the numbers and all else apart, and null for nothing", function()
  local line = run_line { model = { suite_name = "torchbench", model_name = "ü😀\1" },
    metrics = { total_time = { 2, 1 } } }
  test.equal(analyze({ line }, { format = "jsonl" }).lines[1],
    '{"metrics": {"timestamp": 1699680738.7234068, "repeat": 4, "iterations_per_run": 1, "min_total_time": 1.0, '
    .. '"median_total_time": 1.5, "max_total_time": 2.0, "mean_total_time": 1.0, "std_total_time": 0.0, '
    .. '"dynamo_compile_time": 0.5, "xla_compile_time": -1}, "dimensions": {"suite_name": "torchbench", '
    .. '"model_name": "ü😀\\u0001", "accelerator": "cuda", "accelerator_model": "One of Tesla V100, ...", '
    .. '"xla": null, "xla_flags": null, "dynamo": "inductor", "torch_xla2": null, "keep_model_data_on_cuda": false, '
    .. '"test": "eval", "batch_size": 16, "outputs_file": null, "run_status": "success"}}')
end)

test("nothing makes it stop: what is missing is said, and the rest is there", function()
  local lines = {
    run_line(), "{", '{"model":{"model_name":"m"},"experiment":{}}',
    '{"model":{"model_name":"bare"},"experiment":{},"metrics":{}}',
    run_line { metrics = { total_time = { 1, null, 3 } } },
    run_line { metrics = { total_time = "fast", empty = reg.json.array {} } },
    run_line { metrics = { total_time = null }, timestamp = null },
  }
  local report = analyze(lines)
  test.equal(test.map(report.notes, function(note) return (note.line .. " " .. note.message:gsub(": .*", "")) end),
    { "2 not a valid result", "3 not a valid result", "4 no metrics", "5 total_time contains null", "6 empty is empty",
    "6 total_time is not a list of numbers", "6 no total_time, so no compile time", "7 total_time contains null" })
  test.equal({ report.notes[2].message, #report.lines }, { "not a valid result: it has no metrics", 5 })
  test.equal(row(report, 2, "model_name", "timestamp"), { "bare", "1700000000.25" })
  test.equal(row(report, 3, "median_total_time", "dynamo_compile_time", "std_total_time"), { "", "", "" })
  test.equal(row(report, 4, "median_total_time", "xla_compile_time"), { "", "-1" })
  test.equal(row(report, 5).timestamp, "1700000000.25")
  for _, line in ipairs(analyze(lines, { format = "jsonl" }).lines) do reg.json.decode(line) end
  reg.fs.write("cut.jsonl", run_line() .. "\n" .. run_line():sub(1, -9))
  report = reg.results.analyze { files = { "cut.jsonl" } }
  test.equal({ #report.lines, report.notes[1].line, report.notes[1].message },
    { 1, 2, "not a valid result: incomplete line" })
end)

test("the database grows; each number stays under its name", function()
  local one = analyze { run_line() }
  test.equal(reg.results.append("db.csv", one), {})
  test.equal(reg.results.append("db.csv", one), {})
  local head = table.concat(one.columns, ",")
  test.equal(reg.fs.read "db.csv", head .. "\n" .. one.lines[1] .. "\n" .. one.lines[1] .. "\n")

  local failed = analyze { run_line { metrics = { error = "two\nlines, each" } } }  -- fewer columns than the file has
  test.equal(reg.results.append("db.csv", failed), {})
  test.equal(reg.fs.read "db.csv":match "\n([^\n]*\n[^\n]*)\n$", failed.lines[1] .. ",,,,")

  local wide = analyze { run_line { metrics = { total_time = { 1 }, alone = { 2 } } } }
  test.equal(reg.results.append("db.csv", wide), { "min_alone", "median_alone", "max_alone" })
  local text = reg.fs.read "db.csv"
  test.has(text, head .. ",min_alone,median_alone,max_alone\n" .. one.lines[1] .. ",,,\n" .. one.lines[1] .. ",,,\n")
  test.truthy(text:find('"two\nlines, each"', 1, true) and text:find(",1.0,1.0,,,2.0,2.0,2.0\n$"), text)
end)

test("a database whose last line was cut off, or that has other columns of its own, goes on", function()
  local one = analyze { run_line() }
  local head = table.concat(one.columns, ",")
  reg.fs.write("cut.csv", head .. "\n1,torch")
  reg.results.append("cut.csv", one)
  test.equal(reg.fs.read "cut.csv", head .. "\n1,torch\n" .. one.lines[1] .. "\n")
  reg.fs.write("own.csv", "host,model_name\nA,m\n")
  test.equal(#reg.results.append("own.csv", one), #one.columns - 1)
  local lines = test.lines(reg.fs.read("own.csv"))
  test.equal(lines[1]:sub(1, 31), "host,model_name,timestamp,suite")
  test.equal(lines[2], "A,m" .. (","):rep(#one.columns - 1))
  test.equal(lines[3]:sub(1, 42), ",BERT,1699680738.7234068,torchbench,cuda,\"")
end)

test("a folder's results, but not the report", function()
  reg.fs.mkdir "folder"
  test.raises("no results in folder", function() reg.results.files "folder" end, "not_found")
  for _, name in ipairs { "b.jsonl", "a.jsonl", "metric_report.jsonl", "database.csv" } do
    reg.fs.write("folder/" .. name, "")
  end
  test.equal(reg.results.files "folder", { "folder/a.jsonl", "folder/b.jsonl" })
  test.equal(reg.results.files "runs.jsonl", { "runs.jsonl" })
end)

test("a suite's own axes are columns, by name; those of pytorch/xla stay as they are", function()
  local with = experiment { threads = 4, level = "best", enable_functionalization = true }
  with["repeat"] = 9
  local report = analyze { run_line { experiment = with }, run_line() }
  test.equal(table.concat(report.columns, ",", 21, 25), "outputs_file,level,axis_repeat,threads,min_total_time")
  test.equal(row(report, 1, "level", "threads", "axis_repeat", "repeat"), { "best", "4", "9", "4" })
  test.equal(row(report, 2).level, "")
  local dimensions = reg.json.decode(analyze({ run_line { experiment = with } }, { format = "jsonl" }).lines[1]).dimensions
  test.equal({ dimensions.level, dimensions.threads, dimensions.axis_repeat }, { "best", 4, 9 })
end)

test("processes are grouped by what ran, without warm-up", function()
  local function timed(total_time, over)
    return run_line { metrics = { total_time = total_time }, experiment = experiment(over or {}) }
  end
  reg.fs.write("runs.jsonl", table.concat({ timed { 9, 8, 7, 1, 2 }, timed({ 9, 8, 7, 3 }, { outputs_file = "x" }),
    timed({ 9, 8, 7, 4 }, { batch_size = 1 }), timed { 1, 2, 3 }, run_line { metrics = { error = "SKIP" } },
    timed { 1, 1, 1, 0 } }, "\n"))
  local found = reg.results.processes { files = { "runs.jsonl" } }
  test.equal(#found.groups, 2)
  test.equal({ found.groups[1].model, found.groups[1].processes, found.groups[2].processes },
    { "BERT", { { 1.0, 2.0 }, { 3.0 } }, { { 4.0 } } })
  test.equal(found.groups[1].failed, { "total_time has 3 values, but the first 3 are warm-up", "failed: SKIP",
    "total_time has a value that is not positive" })
  test.equal(found.notes[1].line, 4)
  test.equal(#reg.results.processes({ files = { "runs.jsonl" }, ignore = { "batch_size" } }).groups, 1)
  test.equal(reg.results.processes({ files = { "runs.jsonl" }, warmup = 0 }).groups[1].processes[1],
    { 9.0, 8.0, 7.0, 1.0, 2.0 })
end)

test("misuse says what is wrong", function()
  test.refuses("usage", analyze, { { "not a valid 'format': 'xml'", {}, { format = "xml" } },
    { "timestamp must be", {}, { timestamp = "now" } }, { "unknown option 'formt' (did you mean 'format'?)", {}, { formt = "csv" } } })
  test.refuses("usage", reg.results.runs, { { "needs 'files'", {} } })
  test.refuses("usage", reg.results.processes, { { "'warmup' must be", { files = { "runs.jsonl" }, warmup = 0.5 } } })
  test.refuses("not_found", reg.results.analyze, { { "nowhere.jsonl", { files = { "nowhere.jsonl" } } } })
  test.raises("/tmp", function() reg.results.analyze { files = { "/tmp" } } end)
end)

return test.finish()
