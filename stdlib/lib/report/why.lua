-- Why one end is slower than the other, in words: one sentence, then the levels.

local predictions = require "lib/predictions"
local values = require "lib/values"
local words = require "lib/report/words"

local find, map, why = values.find, values.map, {}

local IDENTICAL <const> = "the compiled program is identical: look at the host, the clocks or the data"

--- Whether a share is more than noise: that of a swap has an interval.
function why.counts(finding) return (finding.share or 0) > 0 and (not finding.low or finding.low > 0) end

-- A share in whole percent.
local function rounded(share) return (string.format("%.0f", 100 * share):gsub("^%-0$", "0")) end

local function percent(share) return rounded(math.min(share, 1)) .. " %" end

-- How much of the slowdown the finding is, and what is left.
local function share_words(found)
  local top, moved = found.top, found.top.moves_with
  if top.level == "swap" then
    local all = top.only and "nothing else differs between the two" or percent(top.share) .. " of it moves with "
      .. top.name
    return all .. (not top.only and found.unexplained and "; unexplained: " .. percent(found.unexplained) or "")
  end
  if top.share then
    return string.format("%s of it; unexplained: %s", percent(top.share), percent(found.unexplained or 1 - top.share))
  end
  if moved then return string.format("%s of it moves with %s", percent(moved.share), moved.name) end
  return "how much of it that explains was not measured"
end

-- What else there is to look at where the first finding only says what the slowdown is made of.
local function beside_words(found)
  if found.top.level ~= "host" then return "" end
  local said = found.identical and ". The compiled program is identical" or ""
  if #(found.beside or {}) == 0 then return said end
  local more = #found.beside > 1 and string.format(" and %d more", #found.beside - 1) or ""
  return said .. ". The environment differs: " .. found.beside[1].what .. more
end

local function nothing(found)
  return (found.program_differs and "apart from the program itself, " or "") .. "nothing that was collected differs"
end

--- The answer in one sentence, without its end.
function why.sentence(found)
  local slower = found.slowdown.sentence
  if found.verdict == "no_difference" then return slower end
  if found.verdict == "inconclusive" then
    if not found.top then return slower .. ", and " .. nothing(found) end
    return slower .. ". What differs first: " .. found.top.what
  end
  if not found.top then return slower .. ": " .. (found.identical and IDENTICAL or nothing(found)) end
  return string.format("%s: %s (%s)%s", slower, found.top.what, share_words(found), beside_words(found))
end

local function finding_line(finding)
  if finding.only then return finding.what .. "   the only difference" end
  if not finding.share then return finding.what end
  local moves = finding.low and string.format(" moves with %s (%s to %s %%)", finding.name, rounded(finding.low),
    rounded(finding.high))
  return finding.what .. "   " .. percent(finding.share) .. (moves or "")
end

-- What moved in a swap, each level with its findings or what it says, and the two commands.
local function findings_lines(found)
  local lines = {}
  local function add(name, findings, said)
    for i, finding in ipairs(findings) do
      lines[#lines + 1] = string.format("  %-12s %s", i == 1 and name or "", finding_line(finding))
    end
    if #findings == 0 and said then lines[#lines + 1] = string.format("  %-12s %s", name, said) end
  end
  add("swap", found.swaps)
  for _, level in ipairs(found.levels) do add(level.name, level.findings, level.said) end
  lines[#lines + 1], lines[#lines + 2] = "  A  " .. found.commands[1], "  B  " .. found.commands[2]
  return lines
end

local RETRACED <const> = "To see why JAX traces it again, run B with JAX_EXPLAIN_CACHE_MISSES=1 (JAX 0.4.24 and newer)."

-- What was not compared, or has no shares, and why; and what all of it took.
local function closing_lines(found)
  local list = map(found.notes, function(note)
    return string.format("Collecting removed %s of the slowdown: findings of the level %s have no shares.",
      percent(note.removed), note.level)
  end)
  for _, levels in ipairs(values.grouped(found.levels, function(level) return level.why end)) do
    local names = table.concat(map(levels, function(level) return level.name end), ", ")
    list[#list + 1] = string.format("Not compared: %s: %s.", names, levels[1].why)
  end
  for _, reason in ipairs(found.not_swapped) do list[#list + 1] = "Not exchanged: " .. reason .. "." end
  local function is_unsaid(finding) return finding.again and finding.kind == "traced" and not finding.reason end
  if find(found.levels, function(level) return find(level.findings, is_unsaid) end) then list[#list + 1] = RETRACED end
  list[#list + 1] = string.format("%s with collection, %s without, %s.", words.count(found.collected_runs, "run"),
    words.count(found.runs, "run"), reg.time.words(found.seconds))
  return list
end

-- The findings of the level that is named first as a bar of text, with the rest as "unexplained"; nil without shares.
local function bar_of(found)
  local sum, width = 0, 40
  if not found.top or not found.top.share then return nil end
  local lines = { found.slowdown.verdict == "better" and "Where the time was saved:" or "What the lost time went to:" }
  local function add(share, what)
    local filled = math.tointeger((share * width + 0.5) // 1)
    local bar = ("#"):rep(filled) .. ("."):rep(width - filled)
    if share <= 0.005 then return end
    lines[#lines + 1] = string.format("%5s  %s  %s", percent(share), bar, what)
    sum = sum + share
  end
  local level = find(found.levels, function(one) return one.name == found.top.level end)
  for _, finding in ipairs(level and level.findings or found.swaps) do
    if why.counts(finding) then add(math.min(finding.share, 1 - sum), finding.what) end
  end
  add(1 - sum, "unexplained")
  return table.concat(lines, "\n")
end

--- The text for the terminal: the sentence, the levels, the bar and what was not compared.
function why.text(found)
  return table.concat(values.flat { { found.sentence .. "." }, predictions.lines(found.predictions),
    findings_lines(found), { bar_of(found) }, closing_lines(found) }, "\n")
end

return why
