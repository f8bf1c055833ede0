-- What a command takes: kernels, copies and idle time of the GPU, and the NVTX ranges in which its kernels took another
-- time; and what it costs the host: CPU time, waiting, page faults, Python's imports.

local costs = require "lib/host_costs"
local ends = require "lib/why/two_ends"
local sorted_names = require("lib/values").sorted_names
local tracing = require "lib/tracing"

local kernels = { name = "kernels", pass = "plain", measures = true }

local LEAST_PART <const> = 0.01  -- of the GPU's time: less is not worth a finding
local MOST_FINDINGS <const> = 8
local MOST_RANGES <const> = 3
local SAME_COUNT <const> = 0.02  -- counts that differ by less are those of one program

function kernels.around(call, execute)
  return tracing.run(call, execute, call.image ~= nil and tracing.in_container(call.runtime), nil, true)
end

function kernels.read(run)
  if not run.trace or not run.trace.kernels then
    return nil, run.trace and run.trace.why or "nothing was recorded"
  end
  return run.trace
end

-- The rows of each trace by name: kernels, and copies by kind.
local function rows_of(traces)
  local of = {}
  for i, trace in ipairs(traces) do
    of[i] = {}
    for _, kernel in ipairs(trace.kernels) do of[i][kernel.name] = kernel end
    for _, copy in ipairs(trace.copies or {}) do of[i]["copies " .. copy.kind] = copy end
    local idle = (trace.span_s or 0) - (trace.busy_s or 0)
    of[i]["idle time"] = { total_s = math.max(idle, 0), count = 1 }
  end
  return of
end

local function time(seconds)
  if seconds >= 1 then return string.format("%.3g s", seconds) end
  if seconds >= 1e-3 then return string.format("%.3g ms", 1e3 * seconds) end
  return string.format("%.3g us", 1e6 * seconds)
end

-- "fusion_3: 21.8 us -> 128 us", of one launch where their number stays.
local function sentence(name, seconds, counts)
  local before, after = seconds[1], seconds[2]
  if counts[1] == 0 then return string.format("%s is new: %s", name, time(after)) end
  if counts[2] == 0 then return string.format("%s is gone: %s", name, time(before)) end
  if math.abs(counts[2] - counts[1]) <= SAME_COUNT * math.max(counts[1], counts[2]) then
    return string.format("%s: %s -> %s", name, time(before / counts[1]), time(after / counts[2]))
  end
  return string.format("%s: %.4g times -> %.4g times, %s -> %s", name, counts[1], counts[2], time(before), time(after))
end

-- What NCCL's kernels have of a range, if it has some: they wait for other GPUs.
local function nccl_share(seconds, before, after)
  if before + after == 0 then return "" end
  return string.format(" (NCCL: %.0f %% -> %.0f %%)", 100 * before / math.max(seconds[1], 1e-9),
    100 * after / math.max(seconds[2], 1e-9))
end

local function span(trace) return trace.span_s or 0 end

-- Shares of the time on the GPU by which the ends differ. Kernels that overlap have none: theirs add up to more.
local function give_shares(found, before, after)
  local old, new = ends.moved(before, after, span, 0, 0)
  if not old then return end
  local difference, sum = new - old, 0
  for _, one in ipairs(found) do sum = sum + math.max(0, (one.after - one.before) / difference) end
  if sum > 1.1 then return end
  for _, one in ipairs(found) do
    local share = (one.after - one.before) / difference
    one.share = share > 0 and math.min(share, 1) or nil
  end
end

-- The ranges of each trace by name, with the seconds of the kernels that were started in it and not in a nested one.
local function ranges_of(traces)
  local of = {}
  for i, trace in ipairs(traces) do
    of[i] = {}
    for _, range in ipairs(trace.ranges or {}) do
      of[i]["range " .. range.name] = { total_s = range.self_s, count = range.count,
        nccl_s = range.nccl_self_s }
    end
  end
  return of
end

-- What of these rows differs by more than `least` seconds, the largest difference first.
local function differing(a, b, least)
  local names, found = {}, {}
  for _, rows in ipairs { a, b } do
    for _, by_name in ipairs(rows) do
      for name in pairs(by_name) do names[name] = true end
    end
  end
  for _, name in ipairs(sorted_names(names)) do
    local function total(rows) return rows[name] and rows[name].total_s or 0 end
    local function count(rows) return rows[name] and rows[name].count or 0 end
    local function nccl_of(rows) return rows[name] and rows[name].nccl_s or 0 end
    local before, after, confidence = ends.moved(a, b, total, least, 0)
    if before then
      local counts = { ends.mean(ends.numbers(a, count)), ends.mean(ends.numbers(b, count)) }
      local nccl =
        nccl_share({ before, after }, ends.mean(ends.numbers(a, nccl_of)), ends.mean(ends.numbers(b, nccl_of)))
      found[#found + 1] = { level = "kernels", what = sentence(name, { before, after }, counts) .. nccl,
        before = before, after = after, unit = "s", confidence = confidence }
    end
  end
  return ends.largest_first(found)
end

-- Ranges hold the seconds of the kernels, so only these have shares.
function kernels.compare(before, after)
  local least = LEAST_PART * math.max(ends.mean(ends.numbers(before, span)), ends.mean(ends.numbers(after, span)))
  local rows = differing(rows_of(before), rows_of(after), least)
  give_shares(rows, before, after)
  local found = table.move(rows, 1, MOST_FINDINGS, 1, {})
  return table.move(differing(ranges_of(before), ranges_of(after), least), 1, MOST_RANGES, #found + 1, found)
end

local host = { name = "host", pass = "plain", measures = true, around = costs }

function host.read(run) return run.host, "it could not be measured" end

host.compare = reg.host.diff

return { kernels = kernels, host = host }
