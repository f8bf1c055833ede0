-- Why the search wants each run, in words.

---@alias sweep.Reason "back"|"first_look"|"ends"|"round"|"split"|"repeat"|"confirm"|"chance"|"odd_one"|"retry"|"check"
---|"exact"|"link"|"witness"|"works"|"moved"

---@class sweep.Asked
---@field place integer position of the subject in the list
---@field id string
---@field label string
---@field reason sweep.Reason
---@field why string the reason in words
---@field lo integer positions of the nearest subjects on both sides that were run
---@field hi integer
---@field p number probability of a change between lo and hi
---@field value? number
---@field cpu_s? number CPU time of the test
---@field cpu_share? number its part of the time in which other programs left it a CPU
---@field instructions? integer of the test in user mode, where the machine counts them
---@field status string "ok", or how it failed
---@field message? string why it failed
---@field cause? string equal for failures that are alike
---@field reused boolean whether it came from the store
---@field trial integer its id in the store
---@field started number Unix seconds
---@field suspect? string[] why its number is in doubt
---@field artifact? string hash of what was built
---@field same_as? integer the trial of another subject with the same build, whose numbers these are
---@field loaded? sweep.Loaded what its commands loaded from worktrees
---@field installed? table<string, string> versions of the Python packages that its command installed into its image

local median = require "lib/median"
local numbers = require "lib/report/numbers"
local words = require "lib/report/words"

local reasons = {}

local WORDS = {
  first_look = function() return "first look" end,
  split = function(r, label)
    return string.format("splits %s..%s, where the probability of a change is %s", label(r.lo), label(r.hi),
      numbers.confidence(r.p))
  end,
  ["repeat"] = function(r, label)
    return string.format("repeated: the probability of a change between %s and %s is %s", label(r.lo), label(r.hi),
      numbers.confidence(r.p))
  end,
  back = function() return "goes back to a good one" end,
  check = function() return "checks that it still measures the same" end,
  witness = function() return "checks whether it moved as the good end did" end,
  moved = function() return "repeated: the machine changed, and this is a side of a change" end,
  exact = function() return "repeated: checks whether the numbers have noise" end,
  works = function() return "checks that the test still works" end,
  confirm = function() return "repeated: a level next to a change has too few runs" end,
  chance = function() return "repeated: whether its result is chance" end,
  odd_one = function() return "repeated: a single run far from its neighbors" end,
  retry = function(r, label)
    return string.format("repeated: it crashed, and %s and %s around it differ", label(r.lo), label(r.hi))
  end,
  round = function() return "each is measured in turn" end,
  ends = function() return "compares the two ends" end,
  link = function() return "repeated: another machine ran it, so this shows how the machines compare" end,
}

--- The reason of a request. `label(place)` names a place.
function reasons.of(request, label) return WORDS[request.reason](request, label) end

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

--- For --explain: a table of the subjects in the order of their first runs, with their values and the reasons for the
--- runs.
function reasons.table(series)
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

return reasons
