-- The changes of a stage as cards: each as the terminal shows it, the message of the commit, and what else differs.

local described = require "lib/report/changes"
local h = require "lib/report/page/markup"
local names = require "lib/report/names"
local read = require "lib/report/read"
local surroundings = require "lib/identity/surroundings"
local values = require "lib/values"

local map, merged, set, sorted_names = values.map, values.merged, values.set, values.sorted_names

local changes = {}

local LONGEST = 300

-- The message of the culprit after its first line; nil unless it is a single commit.
local function message_of(change)
  local of = change.culprit or change
  if of.open or of.untested > 0 or not names.is_commit(of.hi) then return nil end
  local rest = (of.hi.message or ""):match "^[^\n]*\n+(.*)$"
  rest = rest and rest:gsub("%s+$", "") or ""
  return rest ~= "" and h.pre { class = "message", h.plain(rest) } or nil
end

local NOT_SHOWN = set { "id", "label", "short", "subject", "message", "author", "author_date", "date", "email", "time",
  "at", "index", "repo", "key" }

-- A list of plain values, such as a command, is one value.
local function flat(value, name, into)
  if type(value) ~= "table" then
    into[name] = value ~= nil and tostring(value) or nil
  elseif value[1] ~= nil and type(value[1]) ~= "table" then
    local parts = map(value, function(part) return type(part) == "table" and "..." or tostring(part) end)
    into[name] = table.concat(parts, " ")
  else
    for key, inner in pairs(value) do flat(inner, name .. " " .. tostring(key), into) end
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
  if type(subject) ~= "table" then return facts end
  for name, commit in pairs(not names.is_commit(subject) and subject.commits or {}) do
    facts["commit of " .. name] = commit.id
  end
  for name, value in pairs(subject.facts) do
    if not NOT_SHOWN[name] then facts[facts[name] and "subject's " .. name or name] = value end
  end
  return facts
end

-- The last trial of a subject that gave a number, else its first one.
local function trial_of(stage, id)
  local own = map(stage.trials, function(trial) return trial.subject == id and trial or nil end)
  local ok = map(own, function(trial) return trial.status == "ok" and trial or nil end)
  return ok[#ok] or own[1]
end

local function value_cell(side_name, value)
  local shown = value and #value > LONGEST and value:sub(1, LONGEST) .. "\u{2026}" or value
  return h.td { ["data-name"] = side_name, shown and h.code { shown } or h.span { class = "quiet", "not set" } }
end

-- What else differs between the last good and the first bad subject, in their trials and the subjects themselves.
local function what_differs(change, stage)
  local good, bad = trial_of(stage, change.last_good), trial_of(stage, change.first_bad)
  local old, new = facts_of(good, change.lo), facts_of(bad, change.hi)
  local function shown_of(name, value)
    local variable = name:match "^env (%S+)$"
    if value and variable and not surroundings.matters(variable) and not stage.with_output then
      return "not published"
    end
    return value and stage.mask:value(name:match "%S+$", value)
  end
  local rows = map(sorted_names(merged(old, new)), function(name)
    return old[name] ~= new[name] and h.tr { h.th { name }, value_cell("good", shown_of(name, old[name])),
      value_cell("bad", shown_of(name, new[name])) } or nil
  end)
  if #rows == 0 then
    return h.p { class = "quiet", good and bad
      and "Environment, command, configuration and machine settings are the same on both sides."
      or "One side has no trial of its own, so environment and command cannot be compared." }
  end
  local first, last = described.sides(change)
  return h.rows("differs stack", { "differs", last, first }, rows)
end

--- A card for each change.
function changes.cards(stage)
  local cards = map(described.all(stage.found), function(one, i)
    local change, head = stage.found.listed[i], one.text:sub(1, one.head)
    return h.article { class = "change", h.pre { h.b { class = one.role, head }, one.text:sub(one.head + 1) },
      message_of(change), what_differs(change, stage) }
  end)
  return #cards > 0 and { h.h2 { "What changed" }, cards } or nil
end

return changes
