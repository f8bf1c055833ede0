local test = require "harness"

-- Two nights of two models and two backends, as Python writes them; one run failed, and some say more than upstream's.
local function record(model, dynamo, night, k)
  local values = string.format("9.5, 0.5, 0.25, %s, 0.0%d1, %s", model == "bert" and "0.021" or "0.042", 1 + k,
    dynamo == "openxla" and "0.0123" or "0.0456")
  local metrics = k == 7 and '"error": "out of memory \\"now\\""'
    or string.format('"total_time": [%s], "per_iter_time": [%s], "lone": 3', values, values)
  return string.format('{"model": {"suite_name": "torchbench", "model_name": "%s"}, "experiment": '
    .. '{"accelerator": "cuda", "accelerator_model": "One of Tesla V100", "xla": %s, '
    .. '"dynamo": "%s", "test": "eval", "batch_size": %d}, '
    .. '"repeat": 6, "iterations_per_run": 1, "metrics": {%s}, "timestamp": %s, "verification_code": "PASS"%s}',
    model, dynamo == "openxla" and '"PJRT"' or "null", dynamo, 1 + k % 2, metrics, night,
    k % 3 == 0 and ', "commit": "c0ffee", "clocks": {"sm": [1380, 1.5e3], "locked": null}' or "")
end

local lines = {}
for k = 0, 8 do
  for _, model in ipairs { "bert", "resnet" } do
    for _, dynamo in ipairs { "inductor", "openxla" } do
      lines[#lines + 1] = record(model, dynamo, k % 2 == 0 and "1699680738.7234068" or "1699767138", k)
    end
  end
end
lines[#lines + 1] = '{"model": {}, "experiment": {}, "metrics": {"total_time": [NaN, Infinity, -Infinity, 1.0, 2.0]}}'
local TEXT = table.concat(lines, "\n") .. "\n"
reg.fs.write("results.jsonl", TEXT)
test.equal(reg.results.import({ files = { "results.jsonl" }, into = "results.db" }),
  { imported = 37, duplicates = 0, bad = {} })

test("out again to the byte, and nothing comes in twice", function()
  test.equal(reg.results.export { store = "results.db", to = "again.jsonl" }, 37)
  test.equal(reg.fs.read "again.jsonl", TEXT)
  test.equal(reg.results.import({ files = { "again.jsonl", "results.jsonl" }, into = "results.db" }).duplicates, 74)
  local store <close> = reg.store.open "results.db"
  test.equal(reg.results.export { store = store, to = "again.jsonl" }, 37)
  test.equal(reg.results.import({ files = { "results.jsonl" }, into = store }).imported, 0)
end)

-- Two answers that differ in the names of the files alone.
local function without_files(list)
  for _, note in ipairs(list) do note.file = nil end
  return list
end

-- tests/scripts/test_results_store.sh has the reports.
test("runs and processes are the files'", function()
  for _, read in ipairs { reg.results.processes, reg.results.analyze } do
    local of_file, of_store = read { files = { "results.jsonl" } }, read { store = "results.db" }
    test.equal({ of_store.groups, of_store.failed }, { of_file.groups, of_file.failed })
    test.equal(without_files(of_store.notes), without_files(of_file.notes))
  end
  local runs = {}
  for run in reg.results.runs { files = { "results.jsonl" }, store = "results.db" } do runs[#runs + 1] = run end
  test.equal({ #runs, runs[38].file, runs[38].line, runs[38].model.model_name }, { 74, "results.db", 1, "bert" })
  test.equal(reg.json.encode(runs[38].metrics), reg.json.encode(runs[1].metrics))
end)

test("SQL sees each number, and all else that a record says", function()
  local store <close> = reg.store.open "results.db"
  local rows = store:query([[SELECT model_name, dynamo, count(*) AS n, median(value) AS m FROM measurements
    WHERE metric = 'total_time' AND n = 3 AND model_name IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2]])
  test.equal(rows[1], { model_name = "bert", dynamo = "inductor", n = 8, m = 0.021 })
  test.equal(rows[4], { model_name = "resnet", dynamo = "openxla", n = 8, m = 0.042 })
  test.equal(store:query("SELECT count(*) AS n FROM runs WHERE json_extract(record, '$.commit') = ?", "c0ffee"),
    { { n = 12 } })
  test.equal(store:query "SELECT timestamp FROM runs WHERE run = 1", { { timestamp = 1699680738.7234068 } })
  test.raises("cannot modify runs because it is a view", function() store:query "DELETE FROM runs" end)
end)

test("broken lines are told, and the rest comes in", function()
  reg.fs.write("cut.jsonl", "nonsense\n" .. TEXT .. lines[1]:sub(1, 300))
  local result = reg.results.import { files = { "cut.jsonl" }, into = "cut.db" }
  test.equal({ result.imported, result.duplicates, #result.bad }, { 37, 0, 2 })
  test.equal({ result.bad[1].file, result.bad[1].line, result.bad[1].truncated }, { "cut.jsonl", 1, false })
  test.equal({ result.bad[2].line, result.bad[2].truncated }, { 39, true })
end)

test("a line comes out as it came in; however it is spaced it is the same, and any other difference counts", function()
  local function imported(store, text)
    reg.fs.write("r.jsonl", text)
    return reg.results.import { files = { "r.jsonl" }, into = store }
  end
  local text = '\t{"model":{ } ,"experiment" :{},"metrics": {"a":[ 1 ,0.50]}} \r\n'
  imported("spaced.db", "\n" .. text .. " \n")
  reg.results.export { store = "spaced.db", to = "again.jsonl" }
  test.equal(reg.fs.read "again.jsonl", text)
  local line = '{"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.5]}, "timestamp": 1}\n'
  local result = imported("alike.db", line .. line:gsub(" ", "") .. line:gsub("0.5", "0.50") .. line:gsub("1}\n", "1.0}\n")
    .. line:gsub('"t"', '"u"'))
  test.equal({ result.imported, result.duplicates }, { 4, 1 })
end)

test("an import that fails leaves nothing behind, and the store as good as before", function()
  reg.fs.write("one.jsonl", lines[1] .. "\n")
  reg.results.import { files = { "one.jsonl" }, into = "failed.db" }
  test.refuses("not_found", reg.results.import,
    { { "nowhere.jsonl", { files = { "results.jsonl", "nowhere.jsonl" }, into = "failed.db" } } })
  test.equal(reg.results.export { store = "failed.db", to = "again.jsonl" }, 1)
  test.equal(reg.results.import({ files = { "results.jsonl" }, into = "failed.db" }).imported, 36)
  reg.results.export { store = "failed.db", to = "again.jsonl" }
  test.equal(reg.fs.read "again.jsonl", TEXT)
end)

test("a store holds trials and runs alike", function()
  local store <close> = reg.store.open "both.db"
  local trial = store:start { investigation = store:begin {}, subject = "bert", key = "k" }
  store:finish(trial.id, { status = "ok", samples = { v = 1 } })
  reg.results.import { files = { "results.jsonl" }, into = store }
  test.equal(store:query([[SELECT count(*) AS n FROM measurements m JOIN results r ON r.subject = m.model_name
    WHERE m.metric = 'lone']]), { { n = 16 } })
end)

test("misuse says what is wrong", function()
  test.raises("nowhere.db", function() reg.results.export { store = "nowhere.db", to = "x.jsonl" } end, "not_found")
  test.raises("is not a regengine store", function() reg.results.export { store = "results.jsonl", to = "x.jsonl" } end,
    "corrupt")
  test.truthy(not reg.fs.exists "x.jsonl" and not reg.fs.exists "nowhere.db")
end)

return test.finish()
