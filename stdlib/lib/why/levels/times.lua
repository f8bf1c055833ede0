-- What a command takes: kernels, copies and idle time of the GPU, and the NVTX ranges in which its kernels took another
-- time; and what it costs the host: CPU time, waiting, page faults, Python's imports.

local costs = require "lib/host_costs"
local ends = require "lib/why/two_ends"
local numbers = require "lib/report/numbers"
local tracing = require "lib/tracing"
local values = require "lib/values"

local map = values.map

local kernels = { name = "kernels", pass = "plain", measures = true }

local LEAST_PART <const> = 0.01  -- of the GPU's time: less is not worth a finding
local MOST_FINDINGS <const> = 8
local MOST_RANGES <const> = 3
local SAME_COUNT <const> = 0.02  -- counts that differ by less are those of one program

function kernels.around(call, execute)
  return tracing.run(call, execute, call.image ~= nil and tracing.in_container(call.runtime), nil, true)
end

function kernels.read(run)
  if not run.trace or not run.trace.kernels then return nil, run.trace and run.trace.why or "nothing was recorded" end
  return run.trace
end

-- The rows of each trace by name: kernels, and copies by kind.
local function rows_of(traces)
  return map(traces, function(trace)
    local of = { ["idle time"] = { total_s = math.max((trace.span_s or 0) - (trace.busy_s or 0), 0), count = 1 } }
    for _, kernel in ipairs(trace.kernels) do of[kernel.name] = kernel end
    for _, copy in ipairs(trace.copies or {}) do of["copies " .. copy.kind] = copy end
    return of
  end)
end

local function time(seconds) return numbers.plain(seconds, { unit = "s" }) end

-- "fusion_3: 21.8 us -> 128 us", of one launch where their number stays.
local function sentence(name, before, after, old, new)
  if old == 0 then return string.format("%s is new: %s", name, time(after)) end
  if new == 0 then return string.format("%s is gone: %s", name, time(before)) end
  if math.abs(new - old) <= SAME_COUNT * math.max(old, new) then
    return string.format("%s: %s -> %s", name, time(before / old), time(after / new))
  end
  return string.format("%s: %.4g times -> %.4g times, %s -> %s", name, old, new, time(before), time(after))
end

local function span(trace) return trace.span_s or 0 end

-- Shares of the time on the GPU by which the ends differ. Kernels that overlap have none: theirs add up to more.
local function give_shares(found, before, after)
  local old, new = ends.moved(before, after, span, 0, 0)
  if not old then return end
  local difference = new - old
  local function share_of(one) return (one.after - one.before) / difference end
  if values.sum(found, function(one) return math.max(0, share_of(one)) end) > 1.1 then return end
  for _, one in ipairs(found) do one.share = share_of(one) > 0 and math.min(share_of(one), 1) or nil end
end

-- The ranges of each trace by name, with the seconds of the kernels that were started in it and not in a nested one.
local function ranges_of(traces)
  return map(traces, function(trace)
    local of = {}
    for _, range in ipairs(trace.ranges or {}) do
      of["range " .. range.name] = { total_s = range.self_s, count = range.count, nccl_s = range.nccl_self_s }
    end
    return of
  end)
end

-- What of these rows differs by more than `least` seconds, the largest difference first.
local function differing(a, b, least)
  return ends.by_name(a, b, function(name)
    local function reads(field) return function(rows) return rows[name] and rows[name][field] or 0 end end
    local function mean(of, field) return ends.mean(map(of, reads(field))) end
    local before, after, confidence = ends.moved(a, b, reads "total_s", least, 0)
    if not before then return nil end
    local what, old, new = sentence(name, before, after, mean(a, "count"), mean(b, "count")), mean(a, "nccl_s"),
      mean(b, "nccl_s")
    if old + new > 0 then  -- NCCL's kernels wait for other GPUs
      what = string.format("%s (NCCL: %.0f %% -> %.0f %%)", what, 100 * old / math.max(before, 1e-9),
        100 * new / math.max(after, 1e-9))
    end
    return { level = "kernels", what = what, before = before, after = after, unit = "s", confidence = confidence }
  end)
end

-- Ranges hold the seconds of the kernels, so only these have shares.
function kernels.compare(before, after)
  local least = LEAST_PART * math.max(ends.mean(ends.numbers(before, span)), ends.mean(ends.numbers(after, span)))
  local rows = differing(rows_of(before), rows_of(after), least)
  give_shares(rows, before, after)
  return values.flat { { table.unpack(rows, 1, MOST_FINDINGS) },
    { table.unpack(differing(ranges_of(before), ranges_of(after), least), 1, MOST_RANGES) } }
end

local host = { name = "host", pass = "plain", measures = true, around = costs }

function host.read(run) return run.host, "it could not be measured" end

host.compare = reg.host.diff

return { kernels = kernels, host = host }
