-- The table of --explain: why each run was made.

local median = require "lib/median"
local numbers = require "lib/report/numbers"
local words = require "lib/report/words"

-- The median of a subject's runs with their range; of a flaky test how often it failed.
local function value_of(values, failed, series)
  if #values == 0 then return words.status(failed) end
  if series.flaky then
    local failures = 0
    for _, value in ipairs(values) do failures = failures + value end
    return string.format("%g of %d failed", failures, #values)
  end
  if #values == 1 then return numbers.plain(values[1], series) end
  return string.format("%s (%s to %s)", numbers.plain(median(values), series),
    numbers.plain(math.min(table.unpack(values)), series), numbers.plain(math.max(table.unpack(values)), series))
end

-- Why it was run first, and why again: each reason with its count, in the words of the last time.
local function reasons_of(entries)
  local parts, at, counts = { entries[1].why }, { [entries[1].reason] = 1 }, { [entries[1].reason] = 1 }
  for i = 2, #entries do
    local reason = entries[i].reason
    if not at[reason] then at[reason] = #parts + 1 end
    counts[reason] = (counts[reason] or 0) + 1
    parts[at[reason]] = (counts[reason] > 1 and counts[reason] .. " times " or "") .. entries[i].why
  end
  return table.concat(parts, "; ")
end

--- A table of the subjects in the order of their first runs, with their values and the reasons for the
--- runs.
return function(series)
  local order, of = {}, {}
  for _, asked in ipairs { series.asked, series.side_asked or {} } do
    for _, entry in ipairs(asked) do
      local subject = of[entry.label]
      if not subject then
        subject = { entries = {}, values = {} }
        of[entry.label], order[#order + 1] = subject, subject
      end
      table.insert(subject.entries, entry)
      if entry.value then table.insert(subject.values, entry.value) else subject.failed = entry.status end
    end
  end
  local rows = {}
  for i, subject in ipairs(order) do
    rows[i] = { subject = subject.entries[1].label, runs = #subject.entries,
      value = value_of(subject.values, subject.failed, series), why = reasons_of(subject.entries) }
  end
  return reg.report.table(rows, { columns = { "subject", "runs", "value", "why" }, width = 0 })
end
