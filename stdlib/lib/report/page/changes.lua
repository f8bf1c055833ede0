-- The changes of a stage as cards: the size of each, the commit or the commits of each repository that may be the
-- culprit, and what else differs. The subjects of a short series as a table.

local described = require "lib/report/changes"
local h = require "lib/report/page/markup"
local terminal = require "lib/report/terminal"
local merged = require("lib/values").merged
local names = require "lib/report/names"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local sorted_names = require("lib/values").sorted_names
local surroundings = require "lib/identity/surroundings"
local words = require "lib/report/words"

local changes = {}

local FILES, COMMITS, LONGEST = 30, 20, 300

local function file_line(file)
  local counts = file.binary and "binary" or { h.span { class = "plus", "+" .. file.insertions }, " ",
    h.span { class = "minus", "\u{2212}" .. file.deletions } }
  local status = file.status ~= "modified" and { " ", h.span { class = "quiet", file.status } } or nil
  return h.li { h.span { class = "mono", file.path, status }, h.span { class = "n", counts } }
end

local function file_list(files)
  if not files or #files == 0 then return nil end
  local lines = {}
  for i = 1, math.min(#files, FILES) do lines[i] = file_line(files[i]) end
  if #files > FILES then
    lines[#lines + 1] = h.li { h.span { class = "quiet", "and " .. #files - FILES .. " more files" } }
  end
  return h.ul { class = "files", lines }
end

-- The message after its first line.
local function rest_of(commit)
  local rest = (commit.message or ""):match "^[^\n]*\n+(.*)$"
  rest = rest and rest:gsub("%s+$", "")
  return rest and rest ~= "" and h.pre { class = "message", h.plain(rest) } or nil
end

-- `files`: what the commit changed, if the series has it.
local function commit_card(commit, files)
  local author, date = commit.author, commit.author_date or commit.date
  return h.div { class = "commit",
    h.p { class = "subject", commit.subject or "" },
    h.p { class = "who", commit.repo and commit.repo .. " " or nil, h.code { commit.id },
      (author or date) and { h.span { " \u{b7} ", author or "", author and date and ", " or "",
      names.date(date) or "" } } or nil },
    rest_of(commit), file_list(files) }
end

local function commit_line(commit, id, more)
  return h.li { h.code { id or commit.short or commit.id:sub(1, 10) }, " ", commit.subject or "", " ",
    h.span { class = "quiet", table.concat({ commit.author or "",
    names.date(commit.author_date or commit.date) or nil }, ", ") }, more }
end

-- The commits of one repository between the two sides, of which `brought` has those that are known.
local function moved(name, from, to, brought)
  local between, lines = {}, {}
  for i = 2, #brought do  -- after the good end
    local one = brought[i]
    if one.repo == name then between[#between + 1] = one.commits and one.commits[name] or one end
  end
  if #between == 1 then return commit_card(setmetatable({ repo = name }, { __index = between[1] })) end
  for i = 1, math.min(#between, COMMITS) do lines[i] = commit_line(between[i]) end
  if #between > COMMITS then lines[#lines + 1] = h.li { class = "quiet", "and " .. #between - COMMITS .. " more" } end
  local head = { h.b { name }, " ", h.code { from.short }, " \u{2192} ", h.code { to.short },
    #between > 0 and ", " .. words.count(#between, "commit") or ", one of the commits between" }
  return h.div { class = "commit", h.p { class = "who", head }, h.ul { class = "commits", lines } }
end

-- One that may be the culprit, with how it failed.
local function candidate_line(candidate)
  local subject, status = candidate.subject, candidate.status or "ok"
  local failed = status ~= "ok" and { " ", h.span { class = "status", names.status(status) } } or nil
  if names.is_commit(subject) then return commit_line(subject, candidate.id, failed) end
  return h.li { names.short(subject, candidate.id), failed }
end

-- All that may be the culprit, where it is not known which.
local function candidate_list(candidates)
  local lines = {}
  if #candidates == 0 then return nil end
  names.folded(candidates, COMMITS, function(candidate) lines[#lines + 1] = candidate_line(candidate) end,
    function(more) lines[#lines + 1] = h.li { class = "quiet", "... " .. more .. " more" } end)
  return h.div { class = "commit", h.ul { class = "commits", lines } }
end

-- The first bad commit, or the subjects any of which may be it, or the commits of each repository that moved.
local function commits_of(change)
  local hi, lo = change.hi, change.lo
  if change.culprit then
    local ended = change.culprit_of_end
    return { commits_of(change.culprit) or "",
      ended and { h.p { class = "quiet", "ended by" }, commits_of(ended) } or nil }
  end
  local several = candidate_list(change.candidates)
  if several or change.open or type(hi) ~= "table" then return several end
  if names.is_commit(hi) then return commit_card(hi, change.files) end
  local before, cards = hi.commits and type(lo) == "table" and lo.commits or {}, {}
  for _, name in ipairs(sorted_names(before)) do
    local from, to = before[name], hi.commits[name]
    if to and to.id ~= from.id then cards[#cards + 1] = moved(name, from, to, change.brought) end
  end
  return cards
end

local function side(subject, id)
  if not names.is_commit(subject) then return names.short(subject, id) end
  return h.all { h.code { subject.id or id }, " ", subject.subject }
end

local function fact(name, value) return value and { h.dt { name }, h.dd { value } } or nil end

-- What the card is of: the culprit by its name, or how many may be it.
local function title_of(change, stage)
  local of = change.culprit or change
  if of.open then return " " .. described.stretch(of, stage.found) end
  return ": " .. (of.untested > 0 and described.candidates(of, stage.found) or names.short(of.hi, of.first_bad))
end

-- The subjects on both sides; a single culprit that is a commit, and those any of which may be it, have been shown.
local function sides(change)
  local first, last = described.sides(change)
  if change.open then first = change.role == "regression" and "bad" or "new" end
  local is_shown = #change.candidates > 0 or names.is_commit(change.hi) and not change.open and not change.culprit
  return h.dl { class = "facts", not is_shown and fact(first, side(change.hi, change.first_bad)) or nil,
    fact(last, side(change.lo, change.last_good)),
    fact("merged by", change.merge and h.code { change.merge } or nil),
    fact(change.role == "regression" and "recovered" or "until",
      change.recovered_at and side(change.leave_hi, change.recovered_at) or nil) }
end

local NOT_SHOWN = { id = true, label = true, short = true, subject = true, message = true, author = true,
  author_date = true, date = true, email = true, time = true, at = true, index = true, repo = true,
  key = true }

local function is_plain(value) return type(value) ~= "table" and type(value) ~= "nil" end

-- A list of plain values, such as a command, is one value.
local function flat(value, name, into)
  if is_plain(value) then
    into[name] = tostring(value)
  elseif type(value) == "table" and #value > 0 and is_plain(value[1]) then
    local parts = {}
    for i, part in ipairs(value) do parts[i] = is_plain(part) and tostring(part) or "..." end
    into[name] = table.concat(parts, " ")
  elseif type(value) == "table" then
    for key, inner in pairs(value) do
      flat(inner, name .. " " .. tostring(key), into)
    end
  end
end

-- What a trial was run with, and the facts of its subject.
local function facts_of(trial, subject)
  local facts = {}
  if trial then
    flat(trial.env, "env", facts)
    facts["env ENVIRONMENT"] = nil  -- the folder of a Python environment, whose packages are facts of the subject
    flat(trial.command, "command", facts)
    flat(trial.config, "configuration", facts)
    local digest = read.text(trial.info.image_digest)
    facts["image digest"] = digest and digest:match "^sha256:%x+" and digest:sub(1, #"sha256:" + 16) or digest
    for _, one in ipairs(read.list(trial.info.quiet)) do
      local measure = read.list(one)
      flat({ measure.state, measure.now }, "quiet: " .. tostring(measure.measure), facts)
    end
    local gpu = read.list(trial.info.gpu)
    facts["GPU clocks"] = gpu.locked ~= nil and (gpu.locked and "locked" or "not locked") or nil
    for _, one in ipairs(read.list(gpu.gpus)) do
      facts["GPU " .. tostring(read.list(one).index)] = read.text(read.list(one).name)
    end
  end
  for name, value in pairs(type(subject) == "table" and subject.facts or {}) do
    if not NOT_SHOWN[name] then facts[facts[name] and "subject's " .. name or name] = value end
  end
  return facts
end

local function compare(good, bad)
  local rows = {}
  for _, name in ipairs(sorted_names(merged(good, bad))) do
    if good[name] ~= bad[name] then rows[#rows + 1] = { name = name, good = good[name], bad = bad[name] } end
  end
  return rows
end

local function trial_of(stage, id)
  local found
  for _, trial in ipairs(stage.trials) do
    if trial.subject == id and (trial.status == "ok" or not found) then found = trial end
  end
  return found
end

-- One side of a row: its value, cut where it is long.
local function value_cell(side_name, value)
  local shown = value and #value > LONGEST and value:sub(1, LONGEST) .. "\u{2026}" or value
  return h.td { ["data-name"] = side_name, shown and h.code { shown } or h.span { class = "quiet", "not set" } }
end

-- What else differs between the last good and the first bad subject, in their trials and the subjects themselves.
local function what_differs(change, stage)
  local good, bad = trial_of(stage, change.last_good), trial_of(stage, change.first_bad)
  local rows = {}
  local function shown_of(name, value)
    local variable = name:match "^env (%S+)$"
    if value and variable and not surroundings.matters(variable) and not stage.with_output then
      return "not published"
    end
    return value and stage.mask:value(name:match "%S+$", value)
  end
  for i, row in ipairs(compare(facts_of(good, change.lo), facts_of(bad, change.hi))) do
    rows[i] = h.tr { h.th { row.name }, value_cell("good", shown_of(row.name, row.good)),
      value_cell("bad", shown_of(row.name, row.bad)) }
  end
  if #rows == 0 then
    return h.p { class = "quiet", good and bad
      and "Environment, command, configuration and machine settings are the same on both sides."
      or "One side has no trial of its own, so environment and command cannot be compared." }
  end
  local first, last = described.sides(change)
  return h.rows("differs stack", { "differs", last, first }, rows)
end

-- The card of a change as an element.
local function card_of(change, stage)
  local found = stage.found
  local size, interval = described.effect(change, found)
  local levels
  if found.kind ~= "test" then
    local before, after = numbers.pair(change, found)
    levels = h.p { class = "levels", words.measured(found), " ", h.b { before }, " \u{2192} ", h.b { after } }
  end
  local sure = change.p and h.span { class = "tight", "confidence " .. numbers.confidence(change.p) } or nil
  local title = described.role(change):gsub("^%l", string.upper)
  return h.article { class = "change",
    h.header { h.h3 { title, title_of(change, stage) },
      h.span { h.span { class = "effect " .. (change.role or ""), size },
        h.span { class = "quiet", interval and " (95 % interval " .. interval .. ")," or nil, " ", sure } } },
    levels, commits_of(change), sides(change), what_differs(change, stage) }
end

--- The table of a few subjects that were all measured.
function changes.measured(stage)
  local columns, rows = terminal.table(stage.found)
  if not columns then return nil end
  local body = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for at, cell in ipairs(row) do
      local text = type(cell) == "string" and stage.mask:text(h.plain(cell)) or cell
      cells[at] = h.td { ["data-name"] = at > 1 and #row > 2 and columns[at] or nil,
        colspan = #row == 2 and at == 2 and #columns - 1 or nil, at == 1 and h.b { text } or text }
    end
    body[i] = h.tr(cells)
  end
  return h.div { class = "scroll", h.rows("stack trials", columns, body) }
end

--- A card for each change.
function changes.cards(stage)
  local cards = {}
  for i, change in ipairs(stage.found.changes) do cards[i] = card_of(change, stage) end
  return #cards > 0 and h.all { h.h2 { "What changed" }, cards } or nil
end

return changes
