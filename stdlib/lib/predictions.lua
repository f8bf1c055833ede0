-- What a user expects of a comparison, written down before it runs, "step time -10 %, kernels fewer", and what became
-- of each line.

local ends = require "lib/why/two_ends"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local values = require "lib/values"

local find, sorted_names = values.find, values.sorted_names

local predictions = {}

local TIMES <const> = 0.05  -- times that differ by less are the same

-- The sum of a field of a list; nil where that, or another list that is collected with it, is absent.
local function total(list, field, with)
  return function(one)
    return one[with or list] and values.sum(one[list] or {}, function(row) return row[field] end)
  end
end

local function opcode(name) return function(one) return one.modules and reg.hlo.count(one, name) end end

-- What a prediction may be about beside the compared metric: the level that collects it, the number in what that
-- collected of a run, and of times, or what varies as times do, the unit.
local QUANTITIES <const> = {
  kernels = { "kernels", total("kernels", "count") },
  ["kernel time"] = { "kernels", total("kernels", "total_s"), "s" },
  ["idle time"] = { "kernels", function(one)
    return one.kernels and math.max(0, (one.span_s or 0) - (one.busy_s or 0))
  end, "s" },
  copies = { "kernels", total("copies", "count", "kernels") },
  fusions = { "program", opcode "fusion" },
  transposes = { "program", opcode "transpose" },
  ["custom calls"] = { "program", opcode "custom-call" },
  ["compile time"] = { "jit", total("compiled", "compile_s"), "s" },
  compiles = { "jit", total("compiled", "count") },
  traces = { "jit", total("functions", "traces", "compiled") },
  ["import time"] = { "host", function(one) return one.imports and one.imports.total_s end, "s" },
  ["CPU time"] = { "host", function(one) return one.user_s and one.user_s + (one.sys_s or 0) end, "s" },
  ["wall time"] = { "host", function(one) return one.wall_s end, "s" },
  ["page faults"] = { "host",
    function(one) return one.minor_faults and one.minor_faults + (one.major_faults or 0) end, "" },
  memory = { "host", function(one) return one.peak_bytes end, "bytes" },
}

local WORDS <const> = { same = "same", unchanged = "same", fewer = "lower", less = "lower", lower = "lower",
  shorter = "lower", more = "higher", higher = "higher", longer = "higher" }
local UNDERSTOOD <const> = "Write each line as NAME -10 %, NAME +5 %, NAME fewer, NAME more or NAME same; "
  .. "separate lines with commas."

local function usage(who, message, hint) core.fail("usage", who .. ": " .. message, hint or UNDERSTOOD) end

local function lines_of(who, given)
  if type(given) == "string" then return values.matches(given .. ",", "([^,\n]*)[,\n]") end
  local is_list = type(given) == "table" and #given > 0
    and not find(given, function(line) return type(line) ~= "string" end)
  return is_list and given or usage(who, "predict must be a string, or a list of strings")
end

-- The name that a line begins with, and what it expects: `direction` "lower", "higher" or "same", with `size`, the
-- relative change, of a percentage.
local function parts_of(line)
  local name, sign, number = line:match "^(.-)%s*([+-])%s*(%d+%.?%d*)%s*%%$"
  local size = number and tonumber(number) / 100
  if size and size > 0 and (sign == "+" or size <= 1) then
    return name, { direction = sign == "-" and "lower" or "higher", size = size }
  end
  local word
  name, word = line:match "^(.-)%s+(%a+)$"
  return name, WORDS[word] and { direction = WORDS[word] } or nil
end

local function known(names, name) return (find(names, function(one) return one:lower() == name:lower() end)) end

--- The expectations in `given`, a string or a list: { line =, name =, direction =, size = }; nil of nil.
--- `metric`: the name of what is compared, for which "metric" is another name; nil while it is not known, and then
--- names are not checked. `levels`: whether numbers are collected beside it. Raises usage for a line that it does not
--- understand; `who` is the function that was given it.
function predictions.parse(who, given, metric, levels)
  if given == nil then return nil end
  local names, seen = levels and sorted_names(QUANTITIES) or {}, {}
  if metric and not known(names, metric) then table.insert(names, 1, metric) end
  return values.map(lines_of(who, given), function(line)
    line = line:match "^%s*(.-)%s*$"
    local name, expected = parts_of(line)
    if not expected or name == "" then usage(who, "not a valid prediction: '" .. line .. "'") end
    local full = name == "metric" and metric or known(names, name) or not metric and name
    if not full then
      usage(who, string.format("cannot measure '%s', which is predicted here%s", name, core.did_you_mean(name, names)),
        "Predict one of: " .. table.concat(names, ", ") .. ".")
    end
    if seen[full] then usage(who, "two predictions for '" .. full .. "'", "Keep one of them.") end
    seen[full] = true
    expected.line, expected.name = line, full
    return expected
  end)
end

-- met, not met, contradicted or not measured: `moved` is "lower", "higher" or "same", and nil where that is not clear.
local function verdict_of(expected, moved, low, high)
  local wanted, size = expected.direction, expected.size
  local excluded = size and low and (wanted == "lower" and low > -size or wanted == "higher" and high < size)
  if not moved then return excluded and "not met" or "not measured" end
  if moved == wanted then return excluded and "not met" or "met" end
  return moved == "same" and "not met" or "contradicted"
end

-- The verdict on the metric that reg.ab compared, and what was measured.
local function of_metric(expected, found)
  local moved = found.verdict == "no_difference" and "same" or nil
  if not moved and found.verdict ~= "inconclusive" then moved = found.effect > 0 and "higher" or "lower" end
  local size, interval = numbers.effect({ effect = found.effect, effect_low = found.low, effect_high = found.high },
    found)
  return verdict_of(expected, moved, found.low, found.high), (moved and "" or "inconclusive: ") .. size
    .. (interval and " (95 % interval " .. interval .. ")" or "")
end

-- Means that are this far apart and yet do not differ say nothing: the numbers of an end vary too much.
local ALIKE <const> = 0.25

-- The verdict on numbers that were collected, a list of each end, and what they are.
local function of_numbers(expected, before, after, unit)
  local low_a, high_a = ends.range(before)
  local low_b, high_b = ends.range(after)
  local old, new, moved = ends.mean(before), ends.mean(after), nil
  if ends.differ(before, after, (unit and TIMES or 0) * math.max(high_a, high_b)) then
    moved = new > old and "higher" or "lower"
  elseif math.abs(new - old) <= ALIKE * math.max(old, new) then
    moved = "same"
  end
  if unit == "bytes" then old, new, unit = old / (1 << 20), new / (1 << 20), "MiB" end
  old, new = numbers.pair({ before = old, after = new }, { unit = unit ~= "" and unit or nil })
  return verdict_of(expected, moved, low_b / high_a - 1, high_b / low_a - 1),
    (moved and "" or "inconclusive: ") .. old .. " -> " .. new
end

-- The verdict on a number that a level has, and what was measured or why not.
local function of_levels(expected, _, collected)
  local name, number_of, unit = table.unpack(QUANTITIES[expected.name])
  local sides = collected and collected.seen[name] or { {}, {} }
  local before, after = ends.numbers(sides[1], number_of), ends.numbers(sides[2], number_of)
  if #before > 0 and #after > 0 then return of_numbers(expected, before, after, unit) end
  local level = find(collected or {}, function(one) return one.name == name end)
  return "not measured", level and level.why or collected and "it was not collected" or "nothing was collected"
end

--- What became of the expectations: { line =, verdict =, measured = } of each, by what reg.ab found and, of other
--- numbers, by what the levels collected (lib/why/collect), or nil. An empty JSON array without predictions.
function predictions.judge(expected, found, collected)
  return read.each(expected, function(one)
    local verdict, measured = (one.name == found.metric and of_metric or of_levels)(one, found, collected)
    return { line = one.line, verdict = verdict, measured = measured }
  end)
end

--- "Predicted:" and a line for each; {} without predictions.
function predictions.lines(list)
  local function width_of(one) return utf8.len(one.line) or #one.line end
  local width = math.max(0, table.unpack(values.map(list, width_of)))
  return values.flat { { list[1] and "Predicted:" }, values.map(list, function(one)
    return "  " .. one.line .. (" "):rep(width - width_of(one) + 3) .. one.verdict .. ": " .. one.measured
  end) }
end

return predictions
