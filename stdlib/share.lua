-- reg.share(store, options): an investigation as Markdown that can be pasted into an issue, and run from there.

local collect = require "lib/report/page/collect"
local environment = require "lib/provenance/environment"
local check_keys = require "lib/options/check_keys"
local markdown = require "lib/provenance/markdown"
local masking = require "lib/provenance/masking"
local restart = require "lib/provenance/restart"
local verdict = require "lib/sweep/verdict"
local words = require "lib/report/page/words"

local MOST = 65000  -- characters; GitHub takes 65,536 and no more
local PLOT = { width = 76, height = 10 }
local CUT_ROWS = 60  -- of a table that is too long

-- What the repositories say of a subject is not asked for: the store has what was known then.
local function no_repositories()
  return { commit = function() end }
end

local function plural(n, what) return n == 1 and "one " .. what or n .. " " .. what .. "s" end

local function counted(stage) return plural(#stage.trials, "trial") .. " of " .. plural(#stage.series.points, "subject") end

local function unanswered(stage)
  local what = "no answer, for it was stopped before, is under way, or its script asked for none"
  if stage.row.ended then what = words.kept(stage.row.answer) or "its script kept no answer" end
  return string.format("%s: %s. The store has %s of it.", stage.title, what, counted(stage))
end

local function head_of(stage)
  return stage.answered and verdict.head(stage.series) or unanswered(stage)
end

local WHOLE = { "subjects", "runs", "reused", "skipped", "narrowest_dip", "runs_to_resolve", "runs_to_be_surer" }

-- A series out of a store may lack what one of today has, and be somebody's joke.
local function fill(stage)
  local series = stage.series
  for _, name in ipairs(WHOLE) do series[name] = series[name] and math.tointeger(math.floor(series[name])) end
  series.title, series.runs, series.seconds = stage.title, series.runs or #stage.trials, math.max(series.seconds or 0, 0)
  series.build_noise, series.error = series.build_noise or 0, series.error or 0
  for _, doubt in ipairs(series.doubts) do doubt.p = doubt.p or 0 end
  for _, change in ipairs(series.changes) do
    change.first_bad, change.last_good = change.first_bad or "?", change.last_good or "?"
    change.p, change.untested = change.p or 0, change.untested and math.tointeger(math.floor(change.untested)) or 0
    change.effect_low, change.effect_high = change.effect_low or change.effect, change.effect_high or change.effect
  end
end

local Text = {}
Text.__index = Text

function Text:add(...)
  for _, part in ipairs { ... } do self.parts[#self.parts + 1] = part end
end

-- Words of others, masked and in a block.
function Text:quoted(text, info) return markdown.block(markdown.clean(self.mask:text(text)), info) end

-- A page's font has braille of another width than blanks and lines; within a drawing these are braille too, so that its columns
-- stand below one another.
local function even(plot)
  if not plot:find "\xE2[\xA0-\xA3]" then return plot end
  local left  -- bytes before the axis, of each line the same
  return (plot:gsub("[^\n]+", function(line)
    local axis = line:find("[\u{2502}\u{2524}\u{2514}]")
    left = axis or left
    if not left then return nil end
    return line:sub(1, left - 1) .. line:sub(left):gsub(" ", "\u{2800}"):gsub("\u{2500}", "\u{2824}")
  end))
end

-- What was found, and how much was measured for it.
function Text:headline(stage)
  local head = markdown.words(self.mask:text(head_of(stage)))
  if not stage.answered then return "**" .. head .. "**" end
  local found = words.verdict(stage):gsub("\u{a0}", " "):gsub("\u{2212}", "-")
  return "**" .. markdown.words(self.mask:text(found)) .. "**\n\n" .. head
end

function Text:words_of(stage)
  local series = stage.series
  local lines = stage.answered and verdict.lines(series) or {}
  local text = table.concat(lines, "\n")
  local drawn = #series.points > 1 and not series.exact and (stage.answered or series.in_order)
  if drawn then text = text .. (text ~= "" and "\n" or "") .. even(reg.report.plot(series, PLOT)) end
  return text ~= "" and self:quoted(text) or nil
end

-- The table with its first and last rows, where all would be too many.
local function cut(rows, most)
  local lines = {}
  for line in rows:gmatch "[^\n]+" do lines[#lines + 1] = line end
  if #lines - 2 <= most then return rows, 0 end
  local left_out = #lines - 2 - most
  local first = most // 2 + 2
  local kept = table.move(lines, 1, first, 1, {})
  kept[#kept + 1] = "..."
  return table.concat(table.move(lines, first + 1 + left_out, #lines, #kept + 1, kept), "\n"), left_out
end

function Text:table_of(stage, most)
  local points = stage.series.points
  if #points == 0 then return end
  local rows, left_out = cut(reg.report.table(stage.series, { width = 0 }), most)
  if left_out > 0 then self:leave_out(left_out .. " rows of the table") end
  self:add(markdown.folded(#points == 1 and "the table" or "the table, " .. #points .. " subjects", self:quoted(rows)))
end

function Text:leave_out(what) self.left_out[#self.left_out + 1] = what end

-- A text that is to be run: as it is, or it is said that it is not.
function Text:exact(what, text)
  self.mask:said()
  local shared = markdown.clean(self.mask:code(text))
  local masked = self.mask:said()
  if masked then self:note(what .. " is not quite as it was: masked in it is " .. masked .. ", marked <masked>.") end
  if not masked and shared ~= text:gsub("\r\n", "\n") then
    self:note(what .. " is not quite as it was: it held characters that no text has.")
  end
  return shared
end

function Text:note(text) self.notes[#self.notes + 1] = text end

local function safe_name(name) return (name:gsub("[^%w._-]", "_")) end

local function info_of(start)
  local info = { "lua" }
  if start.title ~= "" then info[#info + 1] = "title=" .. safe_name(start.title) end
  if #start.words > 0 then
    -- A backtick behind a fence would end it being one.
    local options = reg.json.encode(reg.json.array(start.words)):gsub("`", "\\u0060")
    info[#info + 1] = "options=" .. markdown.clean(options)
  end
  if start.seed then info[#info + 1] = "seed=" .. start.seed end
  return table.concat(info, " ")
end

function Text:script_of(start)
  if start.text == "" then return self:note "The store does not have the script's text." end
  local title = start.title ~= "" and markdown.html(safe_name(start.title)) or "the script"
  self:add(markdown.folded(title .. ", the script", markdown.block(self:exact("The script", start.text), info_of(start))))
  for _, module in ipairs(start.modules) do
    self:add(markdown.folded(markdown.html(module.name) .. ", which the script requires",
      markdown.block(self:exact("The module " .. module.name, module.text), "lua module=" .. module.name)))
  end
end

function Text:files_of(start)
  for _, file in ipairs(start.files) do
    local extension = file.name:match "%.(%w+)$" or "text"
    if extension:lower() == "lua" then extension = "text" end  -- there is one script
    self:add(markdown.folded(markdown.html(file.name) .. ", which is to lie beside it",
      markdown.block(self:exact("The file " .. safe_name(file.name), file.text), extension .. " title=" .. safe_name(file.name))))
  end
end

local function run_again(start)
  local title = start.title ~= "" and start.title or "-"
  local lines = { "To run it again, save this text as `issue.md`:", "",
    markdown.block("regengine issue.md" .. (#start.again > 0 and " " .. table.concat(start.again, " ") or ""), "sh") }
  if #start.again > 0 then
    lines[#lines + 1] = "\nMasked, and to be given again: " .. markdown.code(table.concat(start.again, " "))
  end
  if #start.words > 0 then
    lines[#lines + 1] = "\nIt was reported with:\n"
    lines[#lines + 1] = markdown.block(markdown.clean("regengine " .. safe_name(title) .. " " .. core.shell_words(start.words)), "sh")
  end
  return table.concat(lines, "\n")
end

function Text:environment_of(stage, seed)
  local lines = { "| | |", "|---|---|" }
  for _, row in ipairs(environment.rows(stage, self.mask, seed)) do
    lines[#lines + 1] = "| " .. markdown.words(row[1]) .. " | " .. markdown.cell(row[2]) .. " |"
  end
  self:add(markdown.folded("the environment", table.concat(lines, "\n")))
end

-- Without what `drop` names. The script goes last: without it the rest is hearsay.
local function compose(stages, text, mask, drop)
  local self = setmetatable({ parts = {}, notes = {}, left_out = {}, mask = mask }, Text)
  local chosen = stages[1]
  local start = restart.of(chosen, text, mask)
  self:add(self:headline(chosen), self:words_of(chosen))
  if drop.stages and #stages > 1 then self:leave_out "the other stages" end
  local beside = {}
  for i = 2, drop.stages and 0 or #stages do
    local stage = stages[i]
    if stage.answered then
      self:add(markdown.folded(markdown.html(mask:text(verdict.head(stage.series))), self:words_of(stage)))
    elseif #stage.trials > 0 then
      table.insert(beside, 1, markdown.words(mask:text(stage.title)) .. " (" .. counted(stage) .. ")")
    end
  end
  if #beside > 0 then self:add("The same run measured besides: " .. table.concat(beside, ", ") .. ".") end
  self:table_of(chosen, drop.rows and CUT_ROWS or math.huge)
  if drop.script then self:leave_out "the script, which is too long" else self:script_of(start) end
  if not drop.files then self:files_of(start) elseif #start.files > 0 then self:leave_out "the files that it needs" end
  self:environment_of(chosen, start.seed)
  if not drop.script and start.text ~= "" then self:add(run_again(start)) end
  if #self.left_out > 0 then self:note("Left out, for GitHub takes 65,536 characters: " .. table.concat(self.left_out, ", ") .. ".") end
  for _, note in ipairs(self.notes) do self:add(markdown.words(note)) end
  self:add("<sub>by regengine " .. markdown.words(core.version()) .. "</sub>")
  return table.concat(self.parts, "\n\n") .. "\n"
end

local DROPS = { "rows", "stages", "files", "script" }

return function(store, options)
  options = options or {}
  check_keys("share", options, { "investigation", "keep_host" })
  local stages, text = collect.stages(store, options.investigation, no_repositories)
  local person = core.person()
  person.keep_host, person.hosts = options.keep_host, { stages[1].row.host }
  for _, stage in ipairs(stages) do fill(stage) end
  local drop = {}
  local shared = compose(stages, text, masking.new(person), drop)
  for _, what in ipairs(DROPS) do
    if markdown.length(shared) <= MOST then break end
    drop[what] = true
    shared = compose(stages, text, masking.new(person), drop)
  end
  return shared
end
