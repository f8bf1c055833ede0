-- overlap = true: what is likely to be measured next is prepared meanwhile, and nothing else changes.

local test = require "harness"

local files = 0
-- A sweep over n subjects that are slower from number `step` on. o.prepare(subject): what preparing does besides.
-- Returns the series, and by id how many runs had ended when a subject was prepared and when it was first measured.
local function sweep(n, step, o)
  files = files + 1
  local subjects, when, now = {}, { prepared = {}, measured = {} }, { runs = 0 }
  for i = 1, n do subjects[i] = { id = string.format("s%03d", i), at = i } end
  local options = { into = "overlap" .. files .. ".db", metric = "v", overlap = o.overlap, parallel = o.parallel,
    every = o.every }
  function options.prepare(subject)
    if o.prepare then o.prepare(subject) end
    when.prepared[subject.id] = now.runs
  end
  function options.measure(subject)
    when.measured[subject.id] = when.measured[subject.id] or now.runs
    reg.sleep(0.02)
    now.runs = now.runs + 1
    return (subject.at < step and 100 or 90) * (1 + 0.001 * (subject.at * 7919 % 13) / 13)
  end
  return reg.sweep(subjects, options), when
end

local function asked(series)
  local list = {}
  for i, entry in ipairs(series.asked) do list[i] = entry.id .. " " .. entry.status end
  return list
end

-- How many of the measured subjects were prepared while others were measured, and how many were measured.
local function ahead(when)
  local count, all = 0, 0
  for id, runs in pairs(when.measured) do
    count, all = count + (when.prepared[id] < runs and 1 or 0), all + 1
  end
  return count, all
end

test("subjects are prepared beside the measurement of others, and the answer is the same", function()
  local plain, alone = sweep(60, 23, {})
  local overlapped, when = sweep(60, 23, { overlap = true })
  test.equal(asked(overlapped), asked(plain))
  test.equal({ overlapped.changes[1].first_bad, overlapped.verdict }, { "s023", "changes" })
  test.equal(ahead(alone), 0)
  local count, all = ahead(when)
  test.equal(count, all - 1)
  local prepared = 0
  for _ in pairs(when.prepared) do prepared = prepared + 1 end
  test.truthy(prepared <= 2 * all, prepared .. " were prepared, and " .. all .. " measured")
end)

test("in the first look, and where everything is measured, it is always the next one", function()
  local _, when = sweep(12, 5, { overlap = true, every = true })
  test.equal({ ahead(when) }, { 11, 12 })
end)

test("with several at a time too", function()
  local series, when = sweep(40, 11, { overlap = true, parallel = 2 })
  test.equal(series.changes[1].first_bad, "s011")
  local count, all = ahead(when)
  test.truthy(count >= all - 4, count .. " of " .. all)
end)

test("a failure ahead is tried again by the subject's own run, which alone tells of it", function()
  local tried = {}
  local function once(subject)
    tried[subject.id] = (tried[subject.id] or 0) + 1
    if tried[subject.id] == 1 and subject.at > 1 then error({ kind = "network", message = "no way" }, 0) end
  end
  local series = sweep(30, 9, { overlap = true, prepare = once })
  test.equal({ series.changes[1].first_bad, series.skipped }, { "s009", 0 })
  for _, entry in ipairs(series.asked) do test.equal(tried[entry.id], entry.id == "s001" and 1 or 2) end

  local function gone(subject)
    if subject.at == 30 then error({ kind = "failed_trial", message = "no such image" }, 0) end
  end
  local skipped = sweep(30, 9, { overlap = true, prepare = gone })
  test.equal({ skipped.changes[1].first_bad, skipped.skipped }, { "s009", 1 })
  test.equal(skipped.points[#skipped.points].message, "no such image")
end)

test("what is slow is waited for where it is needed, and stopped where it is not", function()
  local slow, needed = {}, sweep(30, 9, {})
  for _, entry in ipairs(needed.asked) do slow[entry.id] = 0.05 end
  local series = sweep(30, 9, { overlap = true, prepare = function(subject) reg.sleep(slow[subject.id] or "1h") end })
  test.equal(asked(series), asked(needed))
end)

return test.finish()
