-- Which values of a metric are better, and in what unit they are, as far as its name or pattern says so.

local measured = require "lib/measured"
local set = require("lib/values").words

local direction = {}

local TIMES = set [[s sec secs second seconds ms msec msecs millisecond milliseconds us usec usecs µs μs microsecond
  microseconds ns nsec nsecs nanosecond nanoseconds]]
local BYTES = set "byte bytes kb mb gb tb kib mib gib tib"
local SLOW = set "time times latency latencies duration elapsed runtime walltime delay overhead minutes hours"
local FAST = set [[throughput bandwidth speed speedup fps qps rps tps iops mips ips ipc accuracy]]
-- What uses resources. These words give way to those of speed, as in "memory bandwidth".
local USED = set [[memory mem rss footprint size allocs allocations instructions insns cycles misses faults errors
  failures]]
local COUNTED = set "size sizes count counts instructions insns allocs allocations symbols sections lines"
local EACH = set "op call iter iteration step request"

local function is_fast(word) return FAST[word] or word:match "^[kmgtp]?flops$" or word:match "^[kmgt]?l?lups$" end

-- The text of a pattern without what matches numbers.
local function literal(metric)
  if measured[metric] then return measured[metric].name end
  if metric:find("{number}", 1, true) then return (metric:gsub("{number}", " ")) end
  if not metric:find "[(%%]" then return metric end
  return (metric:gsub("%%%a", " "):gsub("%%(%p)", "%1"):gsub("%[.-%]", " "):gsub("[%^%$%*%+%-%?%.]", " "))
end

-- "tokens per second (GB/s)" as "tokens/second", "gb/s".
local function words_of(text)
  text = text:lower():gsub("[%s_]per[%s_]", "/"):gsub("%s*/%s*", "/"):gsub("'s", "")
  return text:gmatch "[^%s_:;=,()%[%]{}|<>\"#@!-]+"
end

-- "items/s" is better higher and "ms/item" lower; of most other ratios nobody can say. The second result is whether the
-- word is a ratio.
local function of_ratio(word)
  local over, under = word:match "^([^/]+)/(.+)$"
  if not over then return nil, false end
  if TIMES[over] then return "lower", true end
  for part in under:gmatch "[^/]+" do
    if TIMES[part] then return not USED[over] and "higher" or nil, true end
  end
  return (BYTES[over] or USED[over]) and EACH[under] and "lower" or nil, true
end

--- "higher" or "lower" for the name of a metric, or its pattern such as "MLUPS: {number}"; nil where it does not say.
function direction.of(metric)
  if measured[metric] and measured[metric].better then return measured[metric].better end
  local fast, slow, used, ratio
  for word in words_of(literal(metric)) do
    local of, is_ratio = of_ratio(word)
    if of and ratio and ratio ~= of then return nil end
    ratio = ratio or of
    if not is_ratio then
      fast = fast or is_fast(word)
      slow = slow or TIMES[word] or SLOW[word]
      used = used or BYTES[word] or USED[word]
    end
  end
  if ratio then return ratio end
  if fast then return not slow and "higher" or nil end
  return (slow or used) and "lower" or nil
end

local function is_unit(word)
  local lower = word:lower()
  return TIMES[lower] or BYTES[lower] or lower == "%" or is_fast(lower) and not FAST[lower]
    or lower:match "^[%a_]+/[%a/]+$"
end

--- The unit behind the number of a pattern, or at the end of a name: "ms", "GB/s", "MLUPS"; nil where there is none.
function direction.unit(metric)
  if measured[metric] then return measured[metric].unit end
  local behind = metric:match "{number}%s*([^%s,;:)%]]+)" or metric:match "%)%s*([%aµμ%%/]+)$"
  if behind and is_unit(behind) then return behind end
  local last = reg.metric.name(metric):match "[^%s_]+$"
  return last and is_unit(last) and last or nil
end

--- Whether the unit of a metric is one of time.
function direction.is_time(metric) return TIMES[(direction.unit(metric) or ""):lower()] == true end

--- Whether it is the wall time, or a time that the test prints: CPU time or instructions may have less noise.
function direction.is_wall_time(metric)
  return metric == "@wall" or metric == "wall time" or metric:sub(1, 1) ~= "@" and direction.is_time(metric)
end

--- A metric with its unit for an axis or the head of a column: "total_time (s)"; "MLUPS", which is its own unit.
function direction.labeled(metric, unit) return unit and unit ~= metric and metric .. " (" .. unit .. ")" or metric end

--- Whether the numbers of a metric are bytes, counts or instructions, which may be the same at every run.
function direction.is_counted(metric)
  if measured[metric] and measured[metric].counted then return true end
  local counted = false
  for word in words_of(literal(metric)) do
    if word:find("/", 1, true) or TIMES[word] or SLOW[word] or is_fast(word) then return false end
    counted = counted or BYTES[word] or COUNTED[word] or false
  end
  return counted
end

-- Speaks of no speed, though higher values are better.
local NO_SPEED = set "accuracy ipc"

--- What larger and smaller numbers of a metric are called: "slower" and "faster" of a time, the reverse of a rate.
function direction.comparatives(metric, unit, better)
  local text = metric .. " " .. (unit or "")
  local of = direction.of(text)
  for word in words_of(text) do
    if USED[word] or BYTES[word] or NO_SPEED[word] then of = nil end
  end
  if not of or better and better ~= of then return "higher", "lower" end
  if of == "higher" then return "faster", "slower" end
  return "slower", "faster"
end

--- `better` if it is given, else that of the metric. Raises usage for another value of `better`; `who` is the function
--- that has it as an option.
function direction.given(better, metric, who)
  if better ~= nil and better ~= "higher" and better ~= "lower" then
    core.fail("usage", who .. ': better must be "higher" or "lower"')
  end
  return better or direction.of(metric)
end

--- What is wrong where an option needs the direction of a metric that does not say it, and what to do.
function direction.unknown(metric)
  return "cannot tell whether higher or lower values of '" .. reg.metric.name(metric) .. "' are better",
    "Pass --better higher or --better lower."
end

return direction
