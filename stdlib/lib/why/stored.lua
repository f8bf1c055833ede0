-- What `why` needs of a stored investigation. The command reads it in the sandbox and hands it over; only then the
-- process outside, which runs the commands, goes on.

local findings = require "lib/report/findings"
local read = require "lib/report/read"
local stages_of = require("lib/report/stored").stages

local stored = {}

local function has_ends(stage)
  local answer, change = stage.row.answer, stage.found.changes[1]
  local tested = read.text(stage.options.test) and (change and type(change.lo) == "table" or answer.culprits)
  return not answer.slowdown and (#read.list(answer.commands) == 2 or tested)
end

local function newest_with_ends(store)
  local rows = store:investigations()
  for i = #rows, 1, -1 do
    local stages = stages_of(store, rows[i].id)
    if has_ends(stages[1]) then return stages end
  end
  core.fail("not_found", store.path .. " has no investigation with a change between two ends that can be run again",
    "Pass two commands: regengine why 'COMMAND A' 'COMMAND B'")
end

--- The stages of the investigation `wanted`, or of the newest one that has two ends, as JSON.
function stored.encode(store, wanted)
  local list = reg.json.array {}
  for i, stage in ipairs(wanted == nil and newest_with_ends(store) or stages_of(store, wanted)) do
    local row, change = stage.row, stage.found.changes[1]
    list[i] = { id = row.id, name = row.name, options = row.options, facts = row.facts, verdict = row.verdict,
      change = change and { lo = change.lo, hi = change.hi } }
  end
  return reg.json.encode(list)
end

--- The same as a list: each has id, title, own (whether a script of this user stored exactly this), answer, options,
--- and the first change between two subjects, `lo` and `hi`, if there is one. The process that read it vouches for
--- nothing: of what is the user's own, the change is that of the answer.
function stored.decode(text)
  local stages = {}
  for i, row in ipairs(read.json(text)) do
    local answer, own = read.json(row.verdict), core.is_own(row.name, row.options, row.facts, row.verdict)
    local found = findings(answer.series, {})
    stages[i] = { id = row.id, title = row.name, own = own, answer = answer, options = read.json(row.options),
      change = found and found.changes[1] or not own and row.change or nil }
  end
  return stages
end

return stored
