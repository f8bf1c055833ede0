local test = require "harness"

reg.process.run { shell = 'cp -R "$REGENGINE_TEST_DATA/foreign" . && chmod -R u+w foreign' }
local function data(name) return reg.fs.read("foreign/" .. name) end

-- What a file of this name and text holds: its groups by name as lists of their samples, and all of what was read.
local function samples_of(name, text, o)
  reg.fs.write(name, text)
  local read, found = reg.results.processes(test.merged({ files = { name } }, o)), {}
  for _, group in ipairs(read.groups) do found[group.model] = test.map(group.processes, 1) end
  return found, read
end

test("hyperfine: each time is a sample; without times the mean is one", function()
  local found, read = samples_of("h.json", data "hyperfine.json")
  test.equal(found, { ["./bench 1"] = { 0.1, 0.101, 0.102, 0.103, 0.104 }, ["./bench 2"] = { 0.202 } })
  test.equal({ read.metric, read.unit, #read.notes }, { "wall time", "s", 0 })
  test.equal(read.groups[1].fields, { { name = "n", value = "1" } })
  test.equal(samples_of("h.json", data "hyperfine.json", { metric = "user" })["./bench 2"], { 0.19 })
end)

test("Google Benchmark: repetitions in seconds, without aggregates and failures", function()
  local found, read = samples_of("g.json", data "google.json")
  test.equal({ read.metric, #found["BM_Sort/8"] }, { "real_time", 2 })
  test.near(found["BM_Sort/8"][1], 1e-5, 1e-12)
  test.near(found.BM_Old[1], 3e-3, 1e-9)
  test.equal(found.BM_Broken, nil)
  test.near(samples_of("g.json", data "google.json", { metric = "cpu_time" })["BM_Sort/8"][2], 9.5e-6, 1e-12)
  test.equal(samples_of("g.json", data "google.json", { metric = "items_per_second" })["BM_Sort/8"], { 8.0e5, 7.0e5 })
  test.near(samples_of("a.json", data "google_aggregates.json")["BM_Sort/8"][1], 1.1e-8, 1e-15)
end)

test("pytest-benchmark: NaN as a parameter, also in the name of the test", function()
  local text = data("pytest.json"):gsub('"n": 10', '"v": NaN'):gsub("sort%[10%]", "sort[nan]")
  test.equal(#samples_of("p.json", text)["test_b.py::test_sort[nan]"], 5)
end)

test("pytest-benchmark: the data of each round, or the median", function()
  test.equal(samples_of("p.json", data "pytest.json"),
    { ["test_b.py::test_sort[10]"] = { 2e-6, 2.25e-6, 2.5e-6, 2.75e-6, 3e-6 } })
  local found, read = samples_of("p.json", data "pytest_statistics.json")
  test.equal(found, { ["test_b.py::test_sum"] = { 1.4e-5 } })
  test.has(read.more, "--benchmark-save-data")
end)

test("asv: samples or the result of each combination of parameters, without those that failed", function()
  local found, read = samples_of("asv.json", data "asv.json")
  test.equal(found, { ["b.Sort.time_sort(10, 'a')"] = { 0.004, 0.006 }, ["b.Sort.time_sort(10, 'b')"] = {},
    ["b.Sort.time_sort(1000, 'a')"] = { 0.007, 0.0071 }, ["b.Sort.time_sort(1000, 'b')"] = {},
    ["b.peakmem_list"] = { 25686016 } })
  test.equal({ read.better, read.unit }, { "lower" })  -- seconds and bytes have no unit in common
end)

test("nvbench: the samples beside the file, or the mean", function()
  local found, read = samples_of("nvbench.json", data "nvbench.json")
  test.equal(found, { ["copy Device=0 N=2^10"] = { 0.0010034 }, ["parse"] = { 2.5 } })
  test.equal({ read.metric, read.unit }, { "GPU time", "s" })
  reg.fs.mkdir "nvbench.json-bin"
  reg.fs.write("nvbench.json-bin/0.bin", string.pack("<fff", 0.5, 0.25, 2.0))
  found = samples_of("nvbench.json", data "nvbench.json")
  test.equal(found["copy Device=0 N=2^10"], { 0.5, 0.25, 2.0 })
end)

test("two such files are compared as others are, by their own metric", function()
  reg.fs.write("old.json", data "hyperfine.json")
  reg.fs.write("new.json", (data "hyperfine.json":gsub("0%.10", "0.20"):gsub("%[0%.1,", "[0.2,")))
  local old, new = reg.results.processes { files = { "old.json" } }, reg.results.processes { files = { "new.json" } }
  local found = reg.results.compare(old, new)
  test.equal({ found.slower, found.unit, #found.rows }, { 1, "s", 2 })
  test.near(found.rows[1].effect, 0.98, 0.03)
end)

test("a value that is not positive is no sample", function()
  local found, read = samples_of("h.json", '{"results":[{"command":"c","mean":1,"times":[1,0,2]}]}')
  test.equal({ found.c, read.groups[1].failed }, { { 1, 2 }, { "a value is not positive" } })
end)

test("any other file is named as what it is", function()
  local function refused(name, text, what)
    reg.fs.write(name, text)
    test.raises("not a file of benchmark results: " .. name .. ": it is " .. what,
      function() reg.results.processes { files = { name } } end, "usage")
  end
  refused("x.csv", "name,mean,sd\na,1,2\n", "CSV")
  refused("x.txt", "hello\n" .. ("x\n"):rep(20000), "text")
  refused("x.bin", "\1\2\0\3,,,", "binary data")
  refused("x.gz", "\31\139\8", "compressed with gzip")
  refused("x.json", '{"a":1,"b":[]}', "JSON with the fields a, b")
  refused("y.json", "[1,2]", "a JSON list")
  test.refuses("usage", samples_of, {
    { "has no metric 'usr' (did you mean 'user'?)", "h.json", data "hyperfine.json", { metric = "usr" } },
    { "not a valid file of hyperfine: bad.json", "bad.json", '{"results":[{"command":"c","mean":1}, 7]}' } })
end)

test("damaged records of regengine stay what they are", function()
  reg.fs.write("results.jsonl", '{"model":{"model_name":"a"},"exper')
  local found = reg.results.processes { files = { "results.jsonl" } }
  test.equal({ #found.groups, #found.notes }, { 0, 1 })
end)

return test.finish()
