local test = require "harness"

-- The two days of pytorch/xla's own test of its aggregate.py, in short.
local T1, T2 = 1699680738.7234068, 1699767138
local COMPILE = 15.150130984999123

local function record(model, batch, dynamo, timestamp, times)
  local total = { COMPILE }
  for i, time in ipairs(times) do total[i + 1] = time end
  return reg.json.encode {
    model = { suite_name = "torchbench", model_name = model },
    experiment = { accelerator = "cuda", accelerator_model = "One of Tesla V100-SXM2-16GB, ...", test = "eval",
      batch_size = batch,
      xla = dynamo == "openxla" and "PJRT" or reg.json.null, dynamo = dynamo },
    metrics = { total_time = total }, timestamp = timestamp, ["repeat"] = #total, iterations_per_run = 1,
  }
end

local function thrice(time) return { time, time, time } end

reg.fs.write("example.jsonl", table.concat({
  record("BERT_pytorch", 16, "inductor", T1,
    { 0.031173147726804018, 0.03317314772680402, 0.031173147726804018, 0.03317314772680402 }),
  record("BERT_pytorch", 16, "openxla", T1, thrice(0.032508088905364274)),
  record("Background_Matting", 1, "inductor", T1, thrice(0.043817784171551466)),
  record("Background_Matting", 1, "openxla", T1, thrice(0.06068705682083964)),
  record("BERT_pytorch", 16, "inductor", T2, thrice(0.02117314772680402)),
  record("BERT_pytorch", 16, "openxla", T2, thrice(0.020508088905364274)),
  record("Background_Matting", 1, "inductor", T2, thrice(0.033817784171551464)),
  record("Background_Matting", 1, "openxla", T2, thrice(0.05668705682083964)),
}, "\n") .. "\n")

local BACKENDS = {
  { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } },
  { name = "openxla+dynamo", title = "XLA+Dynamo", where = { dynamo = "openxla", xla = "PJRT" } },
}

local function csv(report, options)
  local question = test.merged({ files = { "example.jsonl" }, backends = BACKENDS, where = { test = "eval" } }, options)
  local found = reg.results.speedups(question)
  return reg.results.csv(reg.results.report(found, report))
end

test("the reports are aggregate.py's, to the digit", function()
  test.equal(csv "latest", "# Workload,Speedup(Inductor/Oldest Inductor),StdDev,ModelName(Inductor),"
    .. [[Speedup(XLA+Dynamo/Oldest Inductor),StdDev,ModelName(XLA+Dynamo)
0,1.2957024,0.0,Background_Matting,0.77297688,0.0,Background_Matting
1,1.51952596,0.06679279,BERT_pytorch,1.56880282,0.06895882,BERT_pytorch]])
  test.equal(csv "latest_grouped", [[
# ModelName,Speedup(Inductor/Oldest Inductor),StdDev,Speedup(XLA+Dynamo/Oldest Inductor),StdDev
Background_Matting,1.2957024,0.0,0.77297688,0.0
BERT_pytorch,1.51952596,0.06679279,1.56880282,0.06895882
GEOMEAN,1.40315838,0.03083885,1.10120312,0.02420242]])
  test.equal(csv "histogram", [[
# Datetime(UTC),Inductor p95,Inductor p50,Inductor p5,XLA+Dynamo p95,XLA+Dynamo p50,XLA+Dynamo p5
2023-11-11 05:32:18.723407,1.0,1.0,1.0,0.97631327,0.85586259,0.7354119
2023-11-12 05:32:18,1.50833479,1.40761418,1.30689358,1.52901152,1.17088985,0.81276817]])
  test.equal(csv "speedup", [[
# Datetime(UTC),Speedup(Inductor/Oldest Inductor),StdDev,Speedup(XLA+Dynamo/Oldest Inductor),StdDev
2023-11-11 05:32:18.723407,1.0,0.03108182,0.84533378,0.01857889
2023-11-12 05:32:18,1.40315838,0.03083885,1.10120312,0.02420242]])
end)

test("the latest moment as baseline, a compile time, and filters", function()
  test.truthy(csv("latest", { baseline = "latest" }):find("Speedup(Inductor/Latest Inductor)", 1, true))
  test.truthy(csv("latest_grouped", { baseline = "latest" }):find("\nGEOMEAN,1.0,", 1, true))
  test.truthy(csv("latest", { select = "compile" }):find "\n1,")
  local one = csv("latest", { filter = "^bert" })
  test.truthy(one:find("BERT", 1, true) and not one:find("Matting", 1, true), one)
  test.equal(csv("latest", { accelerator = "A100" }), "#"
    .. " Workload,Speedup(Inductor/Oldest Inductor),StdDev,ModelName(Inductor)"
    .. ",Speedup(XLA+Dynamo/Oldest Inductor),StdDev,ModelName(XLA+Dynamo)")
end)

test("numbers as Python prints them", function()
  local function printed(x) return (reg.results.csv { columns = { "x" }, rows = { { x } } }):match "\n(.*)$" end
  for _, case in ipairs { { 0.1, "0.1" }, { 1.0, "1.0" }, { 1 / 3, "0.3333333333333333" }, { 1e-5, "1e-05" }, { 1.5e-7, "1.5e-07" },
    { 1e16, "1e+16" }, { 123456789.0, "123456789.0" }, { 0.0001, "0.0001" }, { -2.5, "-2.5" }, { 1e15, "1000000000000000.0" },
    { 0.0, "0.0" }, { 5e-324, "5e-324" }, { 2.2250738585072014e-308, "2.2250738585072014e-308" }, { -0.0, "-0.0" },
    { 123456789012345680.0, "1.2345678901234568e+17" }, { 0.1 + 0.2, "0.30000000000000004" }, { -1.5e300, "-1.5e+300" },
    { 0.00012345678901234567, "0.00012345678901234567" }, { 9007199254740993.0, "9007199254740992.0" },
    { 2.0 ^ -44, "5.684341886080802e-14" }, { 100.0, "100.0" } } do test.equal(printed(case[1]), case[2]) end
  test.equal(printed(7), "7")
  test.equal(printed 'a "model", with a comma', '"a ""model"", with a comma"')
end)

-- The last moment's summary of the baseline, of one record for each { model, batch size, time of day, times }.
local function last_of(rows)
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = type(row) == "string" and row or record(row[1], row[2], "inductor", row[3], row[4])
  end
  reg.fs.write("rows.jsonl", table.concat(lines, "\n") .. "\n")
  local found = reg.results.speedups { files = { "rows.jsonl" }, backends = BACKENDS }
  return found.moments[#found.moments].backends.inductor, found
end

test("of two records of one thing the last counts, and batch sizes are one model's", function()
  local summary = last_of { { "bert", 1, 1, { 9, 9, 5 } }, { "bert", 1, 1, { 9, 9, 1 } }, { "bert", 4, 1, { 9, 9, 1 } },
    { "bert", 1, 2, { 9, 9, 0.5 } }, { "bert", 4, 2, { 9, 9, 0.125 } } }
  test.equal({ #summary.speedups, summary.speedups[1].model }, { 1, "bert" })
  test.near(summary.value, 4, 1e-12)  -- of 2 and 8
end)

test("it goes on after failures, nulls and times that are not valid", function()
  local null = reg.json.null
  local summary, found = last_of { { "bert", 1, 1, { 9, 9, 1, 3 } }, { "bert", 2, 1, {} },
    { "bert", 3, 1, { 9, 9, null } }, { "bert", 4, 1, { 9, 9, -1 } },
    { "resnet", 1, "2", { 9, 9, 1 } }, { "bert", 1, 2, { 9, 9, null, 1, 1 } },
    '{"model":{"model_name":"x"},"experiment":{"a":1},"metrics":{"error":"SKIP"},"timestamp":1}',
    '{"model":{},"experiment":{},"metrics":{}}', "[]" }
  test.equal({ found.records, #found.notes, found.notes[1].line, found.notes[1].message, found.notes[2].message },
    { 7, 2, 8, "not a valid result: it has no timestamp", "not a valid result: not a JSON object" })
  test.equal({ #found.moments, #summary.speedups, #found.moments[1].backends.inductor.speedups }, { 2, 2, 1 })
  test.near(summary.speedups[1].value, 2, 1e-12)
  test.refuses("not_found", reg.results.speedups, { { "hold none of the baseline, openxla+dynamo",
    { files = { "rows.jsonl" }, baseline = "latest", backends = { BACKENDS[2], BACKENDS[1] } } } })
end)

test("what cannot be drawn is refused, and a report without rows says so", function()
  local report = reg.results.report(reg.results.speedups { files = { "example.jsonl" }, backends = BACKENDS })
  test.refuses("usage", reg.results.plot, { { "did you mean 'title'", report, { titel = "" } },
    { "takes a report of reg.results.report", { rows = {} } } })
  report.rows = {}
  test.has(reg.results.plot(report), "nothing to plot")
end)

test("a tier is an expression that matches its models only", function()
  reg.fs.write("tiers.json", '{ "tier1": ["BERT_pytorch", "a.b+(c"], "2": ["alexnet"], "none": [], "odd": 7 }')
  for model, found in pairs { BERT_pytorch = 1, ["a.b+(c"] = 1, BERT_pytorch_large = 0, ["aXb+(c"] = 0, x_BERT_pytorch = 0 } do
    reg.fs.write("one.jsonl", record(model, 1, "inductor", T1, { 1, 1, 1, 1 }) .. "\n")
    local o = { files = { "one.jsonl" }, backends = BACKENDS, filter = reg.results.tier("tiers.json", "tier1") }
    test.equal(#reg.results.speedups(o).moments, found, model)
  end
  reg.fs.write("broken.json", '{ "tier1": ')
  reg.fs.write("number.json", "7")
  test.refuses("usage", reg.results.tier, { { "no such tier: 'tier2' in tiers.json (did you mean 'tier1'?)", "tiers.json", "tier2" },
    { "no such tier: 'odd'", "tiers.json", "odd" },
    { "not a JSON object of tiers: broken.json", "broken.json", "tier1" },
    { "not a JSON object of tiers: number.json", "number.json", "tier1" } })
  test.raises("nowhere.json", function() reg.results.tier("nowhere.json", "x") end, "not_found")
end)

test("misuse says what is wrong", function()
  test.refuses("usage", reg.results.speedups, { { "needs 'backends'", { files = { "example.jsonl" } } },
    { "needs 'files', a list of results.jsonl, or 'store'", { backends = BACKENDS } } })
  test.refuses("usage", csv, { { "not a valid 'select': 'exc'", "latest", { select = "exc" } },
    { "not a valid 'report': 'newest'", "newest" }, { "not a valid regular expression", "latest", { filter = "(" } } })
  test.raises("nowhere.jsonl", function() csv("latest", { files = { "nowhere.jsonl" } }) end, "not_found")
end)

test("backends are pytorch/xla's by name, or values of a field, the baseline first", function()
  test.equal(reg.results.backends({ "eager" })[1].where, { dynamo = reg.json.null, xla = reg.json.null })
  test.equal(#reg.results.backends {}, 2)
  test.equal(reg.results.backends "level=9,fast,null", { { name = "9", title = "level=9", where = { level = 9 } },
    { name = "fast", title = "level=fast", where = { level = "fast" } },
    { name = "null", title = "level=null", where = { level = reg.json.null } } })
  test.raises("did you mean 'eager'?", function() reg.results.backends { "eagre" } end)
  test.raises("not a valid FIELD=VALUE,VALUE: 'level'", function() reg.results.backends "level" end)
end)

test("a record of a suite is as many processes as it says, each of them once; others are one process", function()
  local function line_of(values, more)
    return reg.json.encode(test.merged({ model = { model_name = "m" }, experiment = { level = 1 }, timestamp = 1,
      metrics = { total_time = values } }, more)) .. "\n"
  end
  local function processes_of(...)
    reg.fs.write("suite.jsonl", table.concat { ... })
    local found = reg.results.processes { files = { "suite.jsonl" }, warmup = 1 }
    return found.groups[1].processes, found.notes
  end
  test.equal(processes_of(line_of { 9, 1.5, 2 }, line_of { 9, 3 }), { { 1.5, 2.0 }, { 3.0 } })
  test.equal(processes_of(line_of({ 1, 2, 3 }, { values_per_process = 1 })), { { 1.0 }, { 2.0 }, { 3.0 } })
  test.equal(processes_of(line_of({ 9, 1, 9, 2 }, { values_per_process = 2 })), { { 1.0 }, { 2.0 } })
  test.equal(processes_of(line_of({ 1, 2 }, { values_per_process = 1, process_started = { 100.25, 101.5 } }),
    line_of({ 1, 2, 3 }, { values_per_process = 1, process_started = { 100.25, 101.5, 102 } })),
      { { 1.0 }, { 2.0 }, { 3.0 } })
  -- What makes no sense is left aside: then it is a record like any other.
  test.equal(processes_of(line_of({ 9, 1, 2 }, { values_per_process = 2, process_started = "x" })), { { 1.0, 2.0 } })
  local none, notes = processes_of(line_of { 9 })
  test.equal({ #none, #notes }, { 0, 1 })
end)

return test.finish()
