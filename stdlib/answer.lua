-- reg.answer: prints and stores what was found, and decides the exit code.

local command_line = require "lib/options/command_line"
local due = require "lib/report/due"
local each = require("lib/report/read").each
local findings = require "lib/report/findings"
local investigation = require "lib/sweep/investigation"
local names_of = require "lib/report/names"
local series_of = require "lib/sweep/series"
local terminal = require("lib/report/terminal").print
local usage = require "lib/options/usage"
local values_of = require "lib/values"
local words = require "lib/report/words"

local find, map, merged, sorted_names = values_of.find, values_of.map, values_of.merged, values_of.sorted_names

local CHANGE = { "kind", "role", "last_good", "first_bad", "before", "after", "ratio", "p", "effect", "effect_low",
  "effect_high", "recovered_at" }
local STRETCH = { "effect", "effect_low", "effect_high", "runs_to_narrow" }

-- A change or a stretch, with these of its fields and what identifies its sides.
local function sides_of(change, fields)
  return merged(values_of.picked(change, fields), { good = names_of.identity(change.lo, change.last_good),
    bad = names_of.identity(change.hi, change.first_bad) })
end

local function json_change(change)
  local picked = sides_of(change, CHANGE)
  picked.confidence = change.p
  picked.candidates = #change.candidates > 0
    and each(change.candidates, function(candidate) return candidate.id end) or nil
  if change.open then picked.open, picked.runs_to_name = true, change.runs_to_name end
  for _, name in ipairs { "culprit", "culprit_of_end" } do picked[name] = change[name] and json_change(change[name]) end
  return picked
end

-- What --json prints of a series, and what the store keeps beside it.
local function summary(found)
  local null = reg.json.null
  local skips = each(found.skips, function(range)
    return { first = range.first.id, last = range.last.id, count = range.count, tried = range.tried,
      status = range.status, message = range.message }
  end)
  local stretches = each(found.spread, function(one) return sides_of(one, STRETCH) end)
  return { verdict = found.verdict, why = found.why, metric = found.kind == "metric" and found.metric or null,
    unit = found.unit or null, direction = found.direction or null, error = found.error, noise = found.noise,
    resolution = found.resolution.size, changes = each(found.changes, json_change), runs = found.runs,
    stored = found.stored, skipped = found.skipped, skipped_ranges = skips, pin = found.pin,
    seconds = found.seconds, suspect = found.suspect and found.suspect.trials,
    back = found.back, ends = found.ends, unaccounted = found.unaccounted,
    spread = found.spread and { stretches = stretches, largest = found.spread.largest },
    table = #found.table > 0 and found.table or nil,
    moves = #found.moves > 0 and found.moves or nil, missing = #found.missing > 0 and found.missing or nil }
end

-- Ends the investigation with its answer, and with the series for later reports.
local function keep(series, answer, stages)
  if not (series.investigation and series.store) then return end
  series.store:finish_investigation(series.investigation,
    merged(answer, { series = series_of.store(series), stages = stages }))
end

-- Stores the answers of the stages. Returns that of the last one, with what all of them took, also as a sentence where
-- there are several, a proof among them.
local function keep_all(all, found)
  local summaries, ids, last, count, reused = reg.json.array {}, reg.json.array {}, #all, 0, 0
  local effort = { runs = 0, skipped = 0, seconds = 0 }
  local function add(part, of_store)
    for _, name in ipairs { "runs", "skipped", "seconds" } do effort[name] = effort[name] + (part[name] or 0) end
    effort.stored = investigation.stored_together(effort.stored, part.stored)
    reused, count = reused + of_store, count + 1
  end
  for i, series in ipairs(all) do
    local proof = series.proof
    summaries[i], ids[i] = summary(found[i]), series.investigation
    summaries[i].investigation = series.investigation
    add(summaries[i], found[i].reused)
    if i < last then keep(series, summaries[i], ids) end
    if proof and proof.investigation then
      add({ runs = #series.store:trials { investigation = proof.investigation }, seconds = proof.seconds,
        stored = proof.stored }, proof.stored and proof.stored.runs or 0)
    end
  end
  local total = merged(summaries[last], effort, { proof = all[last].proof })
  keep(all[last], total, ids)
  total.stages = last > 1 and summaries or nil
  return total, count > 1 and string.format("%d stages: %s.", count, words.runs(merged(total, { reused = reused })))
end

local function is_regression(change) return change and change.role == "regression" end
local function has_regression(stage) return is_regression(stage.spread) or find(stage.changes, is_regression) end

-- The command that runs the script with the options of this run that it has too, but `values` where they are given.
local function command_for(script, values, store)
  local specs = usage.options_of(script)
  local given = command_line.split(specs, core.given, command_line.problems "")
  for _, name in ipairs(sorted_names(values)) do
    if not given.values[name] then given.names[#given.names + 1] = name end
    given.values[name] = values[name]
  end
  -- A variable that was passed on from the environment is passed on again: its value may be a secret.
  given.values.env = given.values.env and map(given.values.env, function(word)
    local name, value = word:match "^([^=]+)=(.*)$"
    return core.variables()[name] == value and name or word
  end)
  return "regengine " .. script .. " " .. core.shell_words(command_line.words(specs, given, {})) .. store
end

-- A command of a script that runs on one machine: after a search on Slurm, in a job such as it had.
local function on_one_node(command)
  if not (core.cluster and core.cluster.backend.name == "Slurm") then return command end
  local options = table.concat(require("lib/cluster/slurm").job_options(core.options), " ")
  if core.options.slurm then options = options .. " " .. core.options.slurm end
  local submit = "regengine submit.lua" .. (options ~= "" and " " .. core.shell_words { "--slurm", options } or "")
  return submit .. command:sub(#"regengine" + 1)
end

-- A command that goes down into the dependency that a commit bumps; nil where this run cannot tell how, or tried it.
local function descend(change, store)
  local pin, asked = change.pins[1], core.options or {}
  local of_bisect = type(asked.repo) == "string" and asked.good ~= nil
  if not (core.given and asked.test and asked.repo and (of_bisect or asked.commit or asked.descend ~= nil))
    or (asked.ntasks or 1) > 1 then  -- descend.lua runs one rank
    return nil
  end
  local repos = of_bisect and { asked.repo } or table.move(asked.repo, 1, #asked.repo, 1, {})
  local Repositories = require "lib/descend/repositories"
  if not Repositories.new(repos):find(pin) then
    repos[#repos + 1] = Repositories.word(pin)
  elseif not of_bisect and asked.descend ~= false then
    return nil
  end
  if asked.descend ~= nil then return command_for("investigate.lua", { repo = repos, descend = { true } }, store) end
  local values = { repo = repos, commit = { asked.commit or change.first_bad } }
  -- Numbers that were reported for the ends of the range are not those of the commit's two sides.
  if of_bisect then values.good_value, values.bad_value = {}, {} end
  if of_bisect and #change.pins > 1 then values.pin = { pin.name } end
  values.runtime = core.cluster and {} or nil
  return on_one_node(command_for("descend.lua", values, store))
end

-- What to do next: commands to paste, for a series with a store.
local function next_steps(series)
  local path, change = series.store.path, reg.largest(series)
  local is_default = path == usage.COMMON.store.default
  local store = is_default and "" or " --store " .. core.shell_words { path }
  local lines = { "regengine report" .. store .. "   the page with plots and every run",
    "regengine share" .. store .. "    Markdown for an issue" }
  local asked = core.given and core.options or {}
  local is_nightly = series.kind == "night" and asked.image and asked.test and asked.from  -- as nightly.lua is started
  if change and is_nightly and type(change.lo) == "table" and change.lo.image then
    lines[3] = command_for("investigate.lua", { from = { change.last_good }, to = { change.first_bad },
      repo = asked.repo and #asked.repo > 0 and asked.repo or { "NAME=PATH" } }, store)
  elseif change and change.pins then
    lines[3] = descend(change, store)
  end
  return "Next:  " .. table.concat(lines, "\n       ")
end

--- Prints what was found: each change with its commit and 95 % interval, how far to trust the answer, what was skipped,
--- a plot, where the results are and what to do next; with --explain, why each run was made; with --json, one JSON
--- object on the last line. Returns the exit code for the script to return: 0 answered, 3 inconclusive or the machine
--- changed, 4 with --fail-on-regression if any stage has a regression. Of several stages the last one answers; what
--- reg.stage printed is not printed again. JSON times are seconds. Raises usage for anything but series.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- return reg.answer(series)
--- ```
---@param ... sweep.Series
---@return integer exit_code
return function(...)
  -- The last stage answers the question; the earlier ones led to it.
  local all, found, asked = { ... }, {}, core.options or {}
  local last = all[#all]
  if not last or find(all, function(one) return type(one) ~= "table" or not one.points end) then
    core.fail("usage", "answer: not a series", "Pass one of reg.sweep or reg.bisect; of another answer, print `text`.")
  end
  for _, series in ipairs(all) do due.drop(series) end
  if last.dry then return 0 end
  if core.cluster then core.cluster:cancel() end  -- what an earlier command left, and this one did not ask for
  for i, series in ipairs(all) do
    found[i] = findings(series, { only = asked.only })
    found[i].staged = #all > 1
  end
  local total, effort = keep_all(all, found)
  -- after all is stored: stdout may be closed, as by head
  for i, series in ipairs(all) do
    if not series.printed then terminal(series, found[i]) end
  end
  if effort then print(effort) end
  if last.store then
    print(reg.report.wrap("Results: " .. last.store.path .. "; each trial's output is under " .. last.store.path
      .. ".out/"))
    if not last.stopped then print("\n" .. next_steps(last)) end
  end
  if asked.json then print(reg.json.encode(total)) end
  if last.verdict ~= "machine_changed" and asked.fail_on_regression and find(found, has_regression) then return 4 end
  return (last.verdict == "inconclusive" or last.verdict == "machine_changed") and 3 or 0
end
