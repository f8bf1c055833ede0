-- The result files of other benchmark programs as reg.compare takes them: each sample counts as a process of its own.
-- Each program has a reader, by the fields that its manual documents; they are told apart by their content.

local not_finite = require "lib/not_finite"
local processes = require "lib/results/processes"
local read = require "lib/report/read"
local some = require("lib/report/numbers").some
local values = require "lib/values"

local find, map, set, sorted_names = values.find, values.map, values.set, values.sorted_names
local list_of = read.list

-- Seconds of Google Benchmark's time units.
local SECONDS = { ns = 1e-9, us = 1e-6, ms = 1e-3, s = 1 }

local numbers_in = read.default(read.table_of(function(x) return type(x) == "number" and x or nil end), {})

-- What lies at a path such as "benchmarks.1.stats"; nil for nothing.
local function field(x, path)
  for name in path:gmatch "[^.]+" do x = list_of(x)[math.tointeger(tonumber(name)) or name] end
  return x
end

-- { "1", "2" } of a list of numbers or of numbers as text, without what is none.
local function samples_in(list) return map(list_of(list), function(value) return tonumber(value) end) end

-- The rows of a program whose list has an entry for each benchmark. The arguments are where it has the name, the
-- samples, the number in their place if there are none, and all other numbers.
local function simple_rows(list, name, samples, single, numbers)
  return function(doc, add)
    for _, row in ipairs(doc[list]) do
      local found = samples_in(field(row, samples))
      add { name = tostring(row[name] or row.name), fields = row.parameters,
        samples = #found > 0 and found or { field(row, single) }, numbers = numbers_in(numbers and row[numbers] or row),
        metric = doc.metric, unit = doc.unit }
    end
  end
end

-- The readers. `has`: fields and their types that tell a program's file from those of the readers below. A file of
-- hyperfine may be regengine's own, which has a metric and a unit if it is not the wall time.
local hyperfine = { tool = "hyperfine", metric = "wall time", unit = "s", more = "--runs 10",
  has = { ["results.1.command"] = "string", ["results.1.mean"] = "number" },
  rows = simple_rows("results", "command", "times", "mean") }

-- Without --benchmark-save-data the file has no samples.
local pytest = { tool = "pytest-benchmark", metric = "time", unit = "s", more = "--benchmark-save-data",
  has = { ["benchmarks.1.stats"] = "table" },
  rows = simple_rows("benchmarks", "fullname", "stats.data", "stats.median", "stats") }

local google = { tool = "Google Benchmark", metric = "real_time", unit = "s", more = "--benchmark_repetitions=10",
  has = { context = "table", ["benchmarks.1.name"] = "string" } }

-- The repetitions of a benchmark, or, where the file has only aggregates, its median.
function google.rows(doc, add)
  local repeated = {}
  for _, row in ipairs(doc.benchmarks) do
    if row.run_type ~= "aggregate" then repeated[row.run_name or row.name] = true end
  end
  for _, row in ipairs(doc.benchmarks) do
    local name, scale = row.run_name or row.name, SECONDS[row.time_unit or "ns"]
    local counts = row.run_type ~= "aggregate" or not repeated[name] and row.aggregate_name == "median"
    if counts and scale and type(row.real_time) == "number" and not row.error_occurred and not row.skipped then
      local numbers = numbers_in(row)
      numbers.real_time, numbers.cpu_time = row.real_time * scale, row.cpu_time and row.cpu_time * scale
      add { name = name, samples = { numbers.real_time }, numbers = numbers }
    end
  end
end

local asv = { tool = "asv", metric = "result", better = "lower", more = "--record-samples",
  has = { result_columns = "table", results = "table" } }

local ASV_UNITS = { time = "s", timeraw = "s", mem = "bytes", peakmem = "bytes" }

-- Every combination of the parameters' values, the last one changing fastest.
local function combinations(params)
  local list = { "" }
  for _, each in ipairs(list_of(params)) do
    list = values.flat(list, function(text)
      return map(each, function(value) return text .. (text == "" and "" or ", ") .. tostring(value) end)
    end)
  end
  return list
end

function asv.rows(doc, add)
  local at = {}
  for i, name in ipairs(doc.result_columns) do at[name] = i end
  for _, name in ipairs(sorted_names(doc.results)) do
    local row = doc.results[name]
    local columns = list_of(row)  -- null for a benchmark that failed
    local results, samples = columns[at.result], columns[at.samples]
    for i, text in ipairs(columns == row and combinations(columns[at.params]) or {}) do
      local own = samples_in(list_of(samples)[i])
      if #own == 0 then own = samples_in { list_of(results)[i] } end
      add { name = name .. (text ~= "" and "(" .. text .. ")" or ""), samples = own, numbers = {},
        unit = ASV_UNITS[name:match "([^.]+)$":match "^([^_]+)"] }
    end
  end
end

local nvbench = { tool = "nvbench", metric = "GPU time", unit = "s", more = "--jsonbin FILE",
  has = { ["benchmarks.1.states"] = "table" } }
local TIMES = { "nv/cold/time/gpu/mean", "nv/cpu_only/time/cpu/mean" }
local SAMPLES = "nv/json/bin:nv/cold/sample_times"

local function value_of(summary, name)
  return (find(list_of(summary.data), function(one) return one.name == name end) or {}).value
end

-- The samples that --jsonbin wrote as float32 beside the file; nil without them.
local function sidecar(path, name)
  local at = find({ (path:match "^(.*/)" or "") .. name, name }, core.is_regular_file)
  local bytes, samples = at and reg.fs.read(at) or "", {}
  for from = 1, #bytes - 3, 4 do samples[#samples + 1] = string.unpack("<f", bytes, from) end
  return #samples > 0 and samples or nil
end

function nvbench.rows(doc, add, path)
  for _, bench in ipairs(doc.benchmarks) do
    for _, state in ipairs(list_of(bench.states)) do
      local numbers, samples = {}, nil
      for _, summary in ipairs(list_of(state.summaries)) do
        if summary.tag == SAMPLES then samples = sidecar(path, tostring(value_of(summary, "filename"))) end
        numbers[summary.tag] = tonumber((value_of(summary, "value")))
      end
      local mean = numbers[TIMES[1]] or numbers[TIMES[2]]
      if not state.is_skipped and mean then
        local name = (bench.name .. " " .. state.name):match "^(.-) ?$"
        add { name = name, samples = samples or { mean }, numbers = numbers }
      end
    end
  end
end

local READERS = { hyperfine, pytest, nvbench, google, asv }

-- The rows of a file, and its reader; nil and the JSON for another file. A row: name, fields (a table or nil), samples,
-- numbers (by name), metric and unit where they are not the reader's.
local function rows_of(path, text)
  local valid, doc = not_finite.decode(text)
  doc = valid and type(doc) == "table" and doc or nil
  local reader, rows = find(doc and READERS or {}, function(one)
    return not find(sorted_names(one.has), function(name) return type(field(doc, name)) ~= one.has[name] end)
  end), {}
  if not reader then return nil, doc end
  local ok, why = pcall(reader.rows, doc, function(row) rows[#rows + 1] = row end, path)
  if not ok then core.fail("usage", string.format("not a valid file of %s: %s", reader.tool, path), tostring(why)) end
  return rows, reader
end

local KINDS = { { "^%s*$", "empty" }, { "^\31\139", "compressed with gzip" }, { "^PK\3\4", "a zip archive" },
  { "^\127ELF", "a program" }, { "^<", "XML or HTML" } }

-- What a file is that has no results. `doc`: its JSON, or nil.
local function kind_of(text, doc)
  local known = find(KINDS, function(kind) return text:find(kind[1]) end)
  if known then return known[2] end
  if doc then return doc[1] and "a JSON list" or "JSON with the fields " .. some(sorted_names(doc), 6, ", ") end
  if text:sub(1, 1000):find "\0" then return "binary data" end
  return text:match "^%s*([^\r\n]*)":find ",.*," and "CSV" or "text"
end

local function check_metric(path, rows, reader, metric)
  local known = set(values.flat(rows, function(row) return sorted_names(row.numbers) end))
  if known[metric] then return end
  local names = sorted_names(known)
  core.fail("usage", string.format("%s has no metric '%s'%s", path, metric, core.did_you_mean(metric, names)),
    #names > 0 and "Choose one of: " .. table.concat(names, ", ")
      or "Leave --metric out: " .. reader.tool .. " files have one.")
end

local function add(found, row, metric, ignored)
  local group = processes.group(found, row.name, processes.fields(row.fields or {}, ignored), row.name)
  for _, value in ipairs(metric and { row.numbers[metric] } or row.samples) do
    local is_good = value > 0 and value < math.huge
    table.insert(is_good and group.processes or group.failed, is_good and { value } or "a value is not positive")
  end
  if #group.processes == 0 and #group.failed == 0 then table.insert(group.failed, "no samples") end
end

--- What `o.files` hold, as lib/results/processes has it, with `better` and `more`, how to get more samples; nil if they
--- hold records of regengine that are all damaged. Raises usage for a file of another kind.
return function(o)
  local found, ignored = { groups = {}, notes = {}, by_key = {} }, set(o.ignore or {})
  for _, path in ipairs(o.files or {}) do
    local text = reg.fs.read(path)
    local rows, reader = rows_of(path, text)
    if not rows and text:find '^%s*{"model"' then return nil end
    if not rows then
      core.fail("usage", string.format("not a file of benchmark results: %s: it is %s", path, kind_of(text, reader)),
        "Pass results.jsonl, or the JSON file of hyperfine, Google Benchmark, pytest-benchmark, asv or nvbench.")
    end
    if o.metric then check_metric(path, rows, reader, o.metric) end
    for i, row in ipairs(rows) do
      local unit = row.unit or not row.metric and reader.unit
      found.unit = not o.metric and (i == 1 or found.unit == unit) and unit or nil
      found.metric = o.metric or row.metric or reader.metric
      add(found, row, o.metric, ignored)
    end
    found.better = not o.metric and reader.better or nil
    found.more = "Run " .. reader.tool .. " with " .. reader.more .. " for more samples."
  end
  found.by_key = nil
  return found
end
