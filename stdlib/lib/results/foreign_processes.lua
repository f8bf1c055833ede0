-- The files of other benchmark programs as reg.compare takes them: each sample counts as a process of its own.

local foreign = require "lib/results/foreign"
local sorted_names = require "lib/sorted_names"

local function usage(message, hint) core.fail("usage", message, hint) end

local BYTES = { { "\31\139", "compressed with gzip" }, { "PK\3\4", "a zip archive" }, { "\127ELF", "a program" },
  { "<", "XML or HTML" } }

-- What a file is that has no results. `doc`: its JSON, or nil.
local function kind_of(text, doc)
  if text:match "^%s*$" then return "it is empty" end
  for _, one in ipairs(BYTES) do
    if text:sub(1, #one[1]) == one[1] then return "it is " .. one[2] end
  end
  if doc and doc[1] == nil then
    local names = sorted_names(doc)
    return "it is JSON with the fields " .. table.concat(names, ", ", 1, math.min(#names, 6))
  end
  if doc then return "it is a JSON list" end
  if text:sub(1, 1000):find "\0" then return "it is binary data" end
  return text:match "^%s*([^\r\n]*)":find ",.*," and "it is CSV" or "it is text"
end

local function refuse(path, text, doc)
  usage(string.format("not a file of benchmark results: %s: %s", path, kind_of(text, doc)),
    "Pass results.jsonl, or the JSON file of hyperfine, Google Benchmark, pytest-benchmark, asv or nvbench.")
end

local function check_metric(path, rows, reader, metric)
  local names = {}
  for _, row in ipairs(rows) do
    if row.numbers[metric] then return end
    for name in pairs(row.numbers) do names[name] = true end
  end
  names = sorted_names(names)
  usage(string.format("%s has no metric '%s'%s", path, metric, core.did_you_mean(metric, names)), #names > 0
    and "Choose one of: " .. table.concat(names, ", ") or "Leave --metric out: " .. reader.tool .. " files have one.")
end

-- The fields of a row that --ignore does not name.
local function fields_of(row, ignored)
  local fields = {}
  for _, name in ipairs(sorted_names(row.fields or {})) do
    if not ignored[name] then fields[#fields + 1] = { name = name, value = tostring(row.fields[name]) } end
  end
  return fields
end

local function add(found, row, metric, ignored)
  local fields, key = fields_of(row, ignored), row.name
  for _, field in ipairs(fields) do key = key .. "\n" .. field.name .. "=" .. field.value end
  local group = found.by_key[key]
  if not group then
    group = { key = key, model = row.name, fields = fields, processes = {}, failed = {}, load = {} }
    found.by_key[key], found.groups[#found.groups + 1] = group, group
  end
  for _, value in ipairs(metric and { row.numbers[metric] } or row.samples) do
    if value > 0 and value < math.huge then
      table.insert(group.processes, { value })
    else
      table.insert(group.failed, "a value is not positive")
    end
  end
  if #group.processes == 0 and #group.failed == 0 then table.insert(group.failed, "no samples") end
end

--- What `o.files` hold, as lib/results/processes has it, with `better` and `more`, how to get more samples; nil if they
--- hold records of regengine that are all damaged. Raises usage for a file of another kind.
return function(o)
  local found, ignored = { groups = {}, notes = {}, by_key = {} }, {}
  for _, name in ipairs(o.ignore or {}) do ignored[name] = true end
  for _, path in ipairs(o.files or {}) do
    local text = reg.fs.read(path)
    local rows, reader = foreign.read(path, text)
    if not rows then
      if text:find('^%s*{"model"') then return nil end
      refuse(path, text, reader)
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
