-- What the injection library (inject/) wrote of the processes of one command, a JSON file for each, as one summary. The
-- files came from somebody else's program, so each field is checked.

local readable = core.nouns.trace.readable
local values = require "lib/values"

local VERSION <const>, NS <const> = 1, 1e-9

local function refuse(path, why)
  core.fail("corrupt", path .. " is not a trace summary: " .. why, "Run the command under reg.trace.run again.")
end

local TYPES <const> = {
  count = function(value) return math.type(value) == "integer" and value >= 0 end,
  string = function(value) return type(value) == "string" end,
  boolean = function(value) return type(value) == "boolean" end,
  list = function(value) return type(value) == "table" and (#value > 0 or next(value) == nil) end,
}

-- The fields of an object with their types, "count" unless another one is named; those with "?" may be absent.
local PROCESS <const> = "regengine_trace pid command:string complete:boolean status:string cupti:string?"
local SUMS <const> = "records first_ns last_ns busy_ns dropped nameless_ranges? ranges_ended_elsewhere? "
  .. "memory_peak_bytes? kernels:list copies:list ranges:list"
local KERNEL <const> = "name:string count total_ns min_ns max_ns"
local COPY <const> = "kind:string count bytes total_ns"
local RANGE <const> = "name:string parent count kernels self_ns nccl_ns?"

-- The fields of an object of the file: "total_ns" in seconds as "total_s", and strings so that they can be shown.
local function fields_of(object, types, path)
  if type(object) ~= "table" then refuse(path, "an object was expected") end
  local made = {}
  for name, kind, optional in types:gmatch "([%l_]+):?(%l*)(%??)" do
    if kind == "" then kind = "count" end
    local value = object[name]
    local valid = value == nil and optional == "?" or TYPES[kind](value)
    if not valid then refuse(path, ("its '%s' is not a %s"):format(name, kind)) end
    local stem = name:match "^(.*)_ns$"
    if stem then made[stem .. "_s"] = value and value * NS
    else made[name] = kind == "string" and value and readable(value) or value end
  end
  return made
end

local function rows_of(list, types, path)
  return values.map(list, function(object) return fields_of(object, types, path) end)
end

-- Parents come before their children; range i of the file has the number i.
local function ranges_of(list, path)
  local ranges = rows_of(list, RANGE, path)
  for i, range in ipairs(ranges) do
    if range.parent >= i then refuse(path, "a range lies in one that comes after it") end
    local parent = ranges[range.parent]
    if parent then range.name = parent.name .. " > " .. range.name end
    range.total_s, range.nccl_self_s = range.self_s, range.nccl_s or 0.0
    range.nccl_s = range.nccl_self_s
  end
  for i = #ranges, 1, -1 do
    local range, parent = ranges[i], ranges[ranges[i].parent]
    for _, sum in ipairs(parent and { "total_s", "kernels", "nccl_s" } or {}) do
      parent[sum] = parent[sum] + range[sum]
    end
    range.parent = nil
  end
  return ranges
end

local ADDED <const> = { min_s = math.min, max_s = math.max }
local function plus(a, b) return a + b end

-- What has a key once, the most time first.
local function gathered(rows, key)
  local by_key, list = {}, reg.json.array {}
  for _, row in ipairs(rows) do
    local into = by_key[row[key]]
    if not into then by_key[row[key]], list[#list + 1] = row, row end
    for name, value in pairs(into and row or {}) do
      if type(value) == "number" then into[name] = (ADDED[name] or plus)(into[name], value) end
    end
  end
  return values.sort_by(list, function(row) return -row.total_s, row[key] end)
end

local function add_process(all, path)
  local ok, object = pcall(reg.json.decode, reg.fs.read(path))
  if not ok then refuse(path, "it is not JSON") end
  local process = fields_of(object, PROCESS, path)
  if process.regengine_trace ~= VERSION then refuse(path, "it was written by another version of regengine") end
  all.processes[#all.processes + 1] = process
  process.regengine_trace, process.status, process.records = nil, nil, 0
  if object.status == "unavailable" then
    process.why = fields_of(object, "why:string", path).why
    return process.why ~= "" or refuse(path, "its 'why' is empty")
  elseif object.status ~= "ok" then
    refuse(path, "its status is '" .. readable(object.status) .. "'")
  end
  local sums, first, last = fields_of(object, SUMS, path), object.first_ns, object.last_ns
  if last < first then refuse(path, "it ends before it begins") end
  process.records = sums.records
  for _, name in ipairs { "records", "busy_s", "dropped", "nameless_ranges", "ranges_ended_elsewhere" } do
    all[name] = all[name] + (sums[name] or 0)
  end
  if sums.memory_peak_bytes then all.peak = math.max(all.peak or 0, sums.memory_peak_bytes) end
  if first > 0 then all.first, all.last = math.min(all.first or first, first), math.max(all.last or last, last) end
  for name, rows in pairs { kernels = rows_of(object.kernels, KERNEL, path),
    copies = rows_of(object.copies, COPY, path), ranges = ranges_of(object.ranges, path) } do
    table.move(rows, 1, #rows, #all[name] + 1, all[name])
  end
end

local function words(process) return ("process %d (%s)"):format(process.pid, process.command) end

-- What may be missing or too much in sums that are used all the same. `cut` says which process has no end.
local function doubts(all, cut)
  local list = { cut and "the last records may be missing: " .. cut }
  if all.nameless_ranges > 0 then
    list[#list + 1] = ("%d ranges have no name of their own, and count for the ranges around them: a program has room "
      .. "for 4095 names, a thread for 64 ranges at once"):format(all.nameless_ranges)
  end
  local count = all.ranges_ended_elsewhere
  if count > 0 then
    list[#list + 1] = ("%d NVTX range%s ended on another thread than %s began on, and may include work after that")
      :format(count, count == 1 and "" or "s", count == 1 and "it" or "they")
  end
  return #list > 0 and table.concat(list, "; ") or nil
end

-- Whether the sums of all processes are the whole truth; and why not, or what may be missing.
local function judged(all)
  local untraced, cut, missing = nil, nil, 0
  for _, process in ipairs(all.processes) do
    if process.why then untraced, missing = untraced or words(process) .. ": " .. process.why, missing + 1 end
    if not process.complete then cut = cut or words(process) .. " was killed, or left by _exit" end
  end
  if #all.processes == 0 then return false, "no CUDA was initialized in the command" end
  if untraced then
    return false, "tracing unavailable in " .. untraced .. (missing < #all.processes
      and ("; %d of %d processes are missing"):format(missing, #all.processes) or "")
  elseif all.records == 0 then
    return false, "CUDA was initialized, and no work of a GPU was recorded" .. (cut and ": " .. cut or "")
  elseif all.dropped > 0 then
    return false, ("%d records were lost, so the sums are too small"):format(all.dropped)
  elseif #all.kernels == 0 and #all.copies > 0 then
    return false, "copies were recorded, but no kernel: the command runs none, or its CUPTI is older than the GPU"
  end
  return true, doubts(all, cut)
end

--- The files of a folder as one trace.Summary. The sums are absent if nothing was measured: a zero would look like a
--- result.
return function(folder)
  local all = { processes = reg.json.array {}, kernels = {}, copies = {}, ranges = {}, records = 0, busy_s = 0.0,
    dropped = 0, nameless_ranges = 0, ranges_ended_elsewhere = 0 }
  if not reg.fs.exists(folder) then
    core.fail("not_found", "no such folder: " .. folder, "Pass the folder that reg.trace.run wrote.")
  end
  for _, name in ipairs(reg.fs.list(folder)) do
    if name:find "%.json$" then add_process(all, folder .. "/" .. name) end
  end
  local ok, why = judged(all)
  local summary = { ok = ok, why = why, processes = all.processes }
  if all.records == 0 then return summary end
  summary.kernels, summary.copies = gathered(all.kernels, "name"), gathered(all.copies, "kind")
  summary.ranges, summary.memory_peak_bytes = gathered(all.ranges, "name"), all.peak
  summary.busy_s, summary.dropped = all.busy_s, all.dropped
  summary.span_s = ((all.last or 0) - (all.first or 0)) * NS
  return summary
end
