-- The two ends of a comparison, each collected once or several times, and what of them differs by more than an end
-- differs from itself.

local values = require "lib/values"

local ends = {}

local FACTOR <const> = 1.5  -- how much more the ends differ than one of them within itself

--- The collected tables of both ends as lists: `who` was given two, each a list or one table.
function ends.lists(who, a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    core.fail("usage", who .. ": takes what was collected of two ends, each a table or a list of them")
  end
  return a[1] ~= nil and a or { a }, b[1] ~= nil and b or { b }
end

--- The lowest and the highest of some numbers.
function ends.range(numbers) return math.min(table.unpack(numbers)), math.max(table.unpack(numbers)) end

--- Whether numbers of one end differ from those of the other: the smallest difference between the ends is larger than
--- `least`, and than 1.5 times the largest within an end. Two runs an end are few: chance alone passes the second in
--- one of 13 comparisons, so `least` is to be what matters, and more than such numbers usually vary.
function ends.differ(before, after, least)
  if #before == 0 or #after == 0 then return false end
  local low, high = ends.range(before)
  local low_after, high_after = ends.range(after)
  local between = math.max(low_after - high, low - high_after)
  return between > least and between > FACTOR * math.max(high - low, high_after - low_after)
end

--- The mean of some numbers.
function ends.mean(numbers) return values.sum(numbers) / #numbers end

local function squares_of(numbers)
  local mean = ends.mean(numbers)
  return values.sum(numbers, function(x) return (x - mean) ^ 2 end)
end

--- The standard deviation of at least two numbers.
function ends.deviation(numbers) return math.sqrt(squares_of(numbers) / (#numbers - 1)) end

--- How likely a value of Student's t within -t and t is by chance, for an integer number of degrees of freedom.
--- Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4, which are exact.
function ends.student(t, freedom)
  local angle = math.atan(math.abs(t), math.sqrt(freedom))
  local odd, cosine = freedom % 2 == 1, math.cos(angle)
  local term, sum = odd and cosine or 1, 0
  for k = odd and 3 or 2, freedom, 2 do
    sum = sum + term
    term = term * cosine ^ 2 * (k - 1) / k
  end
  if odd then return 2 / math.pi * (angle + math.sin(angle) * sum) end
  return math.sin(angle) * sum
end

--- The confidence that the means of two ends differ, by the t-test with one deviation for both; 1 where neither end
--- varies, and nil of a single run an end. Two runs an end that pass ends.differ have at least 0.92.
function ends.confidence(before, after)
  local freedom = #before + #after - 2
  if #before == 0 or #after == 0 or freedom < 1 then return nil end
  local error_of = math.sqrt((squares_of(before) + squares_of(after)) / freedom * (1 / #before + 1 / #after))
  local difference = ends.mean(after) - ends.mean(before)
  return error_of == 0 and 1 or ends.student(difference / error_of, freedom)
end

--- The number of each collected table where `read` finds one.
function ends.numbers(collected, read)
  return values.map(collected, function(one)
    local number = read(one)
    return type(number) == "number" and number or nil
  end)
end

--- By how much the mean of a number that `read` finds in each collected table is larger at the second end; nil where an
--- end has none.
function ends.difference(a, b, read)
  local before, after = ends.numbers(a, read), ends.numbers(b, read)
  return #before > 0 and #after > 0 and ends.mean(after) - ends.mean(before) or nil
end

--- The means at both ends of a number that `read` finds in each collected table, and the confidence that they differ;
--- nil where they do not, by `least` and by `part` of the larger mean.
function ends.moved(a, b, read, least, part)
  local before, after = ends.numbers(a, read), ends.numbers(b, read)
  if #before < #a or #after < #b or #before == 0 or #after == 0 then return nil end
  local one, other = ends.mean(before), ends.mean(after)
  if not ends.differ(before, after, math.max(least, part * math.max(one, other))) then return nil end
  return one, other, ends.confidence(before, after)
end

--- The findings, or nil, that finding_of returns for each name in the tables `a` and `b` of both ends, sorted by how
--- much their numbers differ.
function ends.by_name(a, b, finding_of)
  local names = values.sorted_names(values.merged(table.unpack(values.flat { a, b })))
  return values.sort_by(values.map(names, finding_of), function(one)
    return -math.abs(one.after - one.before), one.what
  end)
end

local function sentences_of(findings)
  return values.set(values.map(findings, function(finding) return finding.what end))
end

--- The findings of diff(before, after) that both runs of each end state alike, and whether each end was always the
--- same. What an end does not do alike in its own runs says nothing about the other. `within`: as `diff`, for two runs
--- of one end.
function ends.stated(before, after, diff, within)
  local unstable = {}
  for _, collected in ipairs { before, after } do
    for i = 2, #collected do
      for what in pairs(sentences_of((within or diff)(collected[1], collected[i]))) do unstable[what] = true end
    end
  end
  local always = sentences_of(diff(before[#before], after[#after]))
  return values.only(diff(before[1], after[1]), function(finding)
    return always[finding.what] and not unstable[finding.what]
  end), next(unstable) == nil
end

return ends
