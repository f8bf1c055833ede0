-- Results of experiments as lines of results.jsonl: pytorch/xla's format, which its tools and reg.results read, with
-- more fields.

-- The fields of every experiment in that format; null if the suite has no such axis.
local EXPERIMENT = { "accelerator", "accelerator_model", "xla", "xla_flags", "dynamo", "torch_xla2",
  "keep_model_data_on_cuda", "test", "batch_size", "enable_functionalization" }
local METRICS = { "total_time", "per_iter_time" }

local record = {}

-- { "name", value, "name", value, ... } as a JSON object in that order, without nil values.
local function object(fields, count)
  local parts = {}
  for i = 1, count, 2 do
    local value = fields[i + 1]
    if value ~= nil then
      local text = type(value) == "table" and value.encoded or reg.json.encode(value)
      parts[#parts + 1] = reg.json.encode(fields[i]) .. ": " .. text
    end
  end
  return { encoded = "{" .. table.concat(parts, ", ") .. "}" }
end

-- The values named in `first`, in that order (`absent` for nil), then all others by name.
local function ordered(first, values, absent)
  local fields, count, seen, rest = {}, 0, {}, {}
  local function add(name, value)
    fields[count + 1], fields[count + 2] = name, value
    count = count + 2
  end
  for _, name in ipairs(first) do
    seen[name] = true
    if values[name] == nil then add(name, absent) else add(name, values[name]) end
  end
  for name in pairs(values) do
    if not seen[name] then rest[#rest + 1] = name end
  end
  table.sort(rest)
  for _, name in ipairs(rest) do add(name, values[name]) end
  return object(fields, count)
end

--- The line, without a newline. `r`: suite, workload, experiment (values by name), repeats, iterations, metrics (lists
--- by name) or error (why it failed), timestamp, verification (its code), and `more`: other fields by name.
function record.line(r)
  local metrics = r.error and { encoded = reg.json.encode { error = r.error } } or ordered(METRICS, r.metrics)
  local fields = { "model", object({ "suite_name", r.suite, "model_name", r.workload }, 4), "experiment",
    ordered(EXPERIMENT, r.experiment, reg.json.null), "repeat", r.repeats, "iterations_per_run", r.iterations,
    "metrics", metrics, "timestamp", r.timestamp, "verification_code", r.verification }
  local head = object(fields, 14).encoded
  return head:sub(1, -2) .. ", " .. ordered({ "status", "key" }, r.more).encoded:sub(2)
end

-- Cuts off a last line that is incomplete because its writer was stopped: it would make the next one unreadable.
local function without_partial_line(path, text)
  local whole = text:match "^(.*\n)" or ""
  if #whole == #text then return text end
  local ok = pcall(reg.json.decode, text:sub(#whole + 1))
  whole = ok and text .. "\n" or whole
  if not ok then reg.log.warn("%s: removed an incomplete last line; that experiment is recorded again", path) end
  reg.fs.write(path, whole)
  return whole
end

local function are_numbers(list)
  if type(list) ~= "table" or #list == 0 then return false end
  for _, value in ipairs(list) do
    if type(value) ~= "number" then return false end
  end
  return true
end

-- Why a line is not a record; nil for a record, also of another tool (without a key).
local function defect(found)
  if type(found) ~= "table" then return "not a JSON object" end
  if found.key == nil then return nil end
  local metrics = type(found.metrics) == "table" and found.metrics or {}
  if type(metrics.error) == "string" then return nil end
  for name, list in pairs(metrics) do
    if not are_numbers(list) then return name .. " is not a list of numbers" end
  end
  return next(metrics) == nil and "no metrics" or nil
end

--- { [key] = record } of the file, the last one of each key; empty without a file. Warns of other lines and keeps them.
function record.read(path)
  local records = {}
  if not reg.fs.exists(path) then return records end
  local number = 0
  for line in without_partial_line(path, reg.fs.read(path)):gmatch "([^\n]*)\n" do
    number = number + 1
    if line ~= "" then
      local ok, found = pcall(reg.json.decode, line)
      local why = defect(ok and found)
      if why then
        reg.log.warn("%s:%d: not a valid result: %s", path, number, why)
      elseif found.key then
        records[found.key] = found
      end
    end
  end
  return records
end

return record
