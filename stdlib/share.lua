-- reg.share: an investigation as Markdown.

local environment = require "lib/provenance/environment"
local markdown = require "lib/provenance/markdown"
local map, matches = require("lib/values").map, require("lib/values").matches
local published = require "lib/provenance/published"
local redactor = require "lib/redaction/redactor"
local restart = require "lib/provenance/restart"
local stored = require "lib/report/stored"
local words = require "lib/report/words"

local MOST = 65000  -- characters; GitHub takes at most 65,536
local PLOT = { width = 76, height = 10 }
local CUT_ROWS = 60  -- rows of a table that is too long

local Text = {}
Text.__index = Text

function Text:add(...)
  for _, part in ipairs { ... } do self.parts[#self.parts + 1] = part end
end

-- Foreign text, redacted and in a block.
function Text:quoted(text, info) return markdown.block(markdown.clean(self.mask:text(text)), info) end

-- The font of a web page has braille of another width than blanks and lines. Within a drawing these are braille too, so
-- that its columns are aligned.
local function even(plot)
  if not plot:find "\xE2[\xA0-\xA3]" then return plot end
  local left  -- bytes before the axis, the same in each line
  return (plot:gsub("[^\n]+", function(line)
    local axis = line:find("[\u{2502}\u{2524}\u{2514}]")
    left = axis or left
    if not left then return nil end
    return line:sub(1, left - 1) .. line:sub(left):gsub(" ", "\u{2800}"):gsub("\u{2500}", "\u{2824}")
  end))
end

-- What was found, and what it took; of an investigation without an answer, why it has none.
function Text:headline(stage)
  local found = stage.found
  local title = stored.title(stage)
  local below = stage.answered and words.headline(found) or stored.note(stage)
  if not stage.answered and title:sub(1, #stage.title) ~= stage.title then
    title = stage.title .. ": " .. title:gsub("^%u%l", string.lower)
  end
  title = "**" .. markdown.words(self.mask:text(title)) .. "**"
  return below and title .. "\n\n" .. markdown.words(self.mask:text(below)) or title
end

function Text:words_of(stage)
  local text, drawn = stored.body(stage, PLOT)
  if drawn then text = text .. (text ~= "" and "\n" or "") .. even(drawn) end
  return text ~= "" and self:quoted(text) or nil
end

-- The table, with only its first and last rows if it has too many.
local function cut(rows, most)
  local lines = matches(rows, "[^\n]+")
  if #lines - 2 <= most then return rows, 0 end
  local left_out = #lines - 2 - most
  local first = most // 2 + 2
  return table.concat(lines, "\n", 1, first) .. "\n...\n" .. table.concat(lines, "\n", first + 1 + left_out), left_out
end

function Text:table_of(stage, most)
  local points, thing = stage.found.points, stage.found.thing
  if #points == 0 then return end
  local rows, left_out = cut(reg.report.table(stage.found, { width = 0 }), most)
  if left_out > 0 then self:leave_out(left_out .. " rows of the table") end
  self:add(markdown.folded("Table of " .. words.count(#points, thing), self:quoted(rows)))
end

function Text:leave_out(what) self.left_out[#self.left_out + 1] = what end

-- Adds text that is to be run, folded: as it is, or with a note on what was changed.
function Text:add_exact(summary, what, text, info)
  self.mask:said()
  local shared = markdown.clean(self.mask:code(text))
  local masked = self.mask:said()
  if masked then self:note(what .. " was redacted: " .. masked .. ", each replaced by <redacted>.") end
  if not masked and shared ~= text:gsub("\r\n", "\n") then
    self:note(what .. " was changed: it had characters that are not valid text.")
  end
  self:add(markdown.folded(summary, markdown.block(shared, info)))
end

function Text:note(text) self.notes[#self.notes + 1] = text end

local function safe_name(name) return ((redactor.read(name)):gsub("[^%w._-]", "_")) end

local function info_of(start)
  local info = { "lua" }
  if start.title ~= "" then info[#info + 1] = "title=" .. safe_name(start.title) end
  if #start.words > 0 then
    -- A backtick after a fence would make it no fence.
    local options = reg.json.encode(reg.json.array(start.words)):gsub("`", "\\u0060")
    info[#info + 1] = "options=" .. markdown.clean(options)
  end
  if start.seed then info[#info + 1] = "seed=" .. start.seed end
  return table.concat(info, " ")
end

function Text:script_of(start)
  if start.text == "" then return self:note "The store does not have the text of the script." end
  local title = start.title ~= "" and markdown.html(safe_name(start.title)) or ""
  self:add_exact("Script " .. title, "The script", start.text, info_of(start))
  for _, module in ipairs(start.modules) do
    self:add_exact("Module " .. markdown.html(module.name) .. " that the script requires",
      "The module " .. module.name, module.text, "lua module=" .. module.name:gsub("%c", "_"))
  end
end

function Text:files_of(start)
  for _, file in ipairs(start.files) do
    local extension = file.name:match "%.(%w+)$" or "text"
    if extension:lower() == "lua" then extension = "text" end  -- only the script is Lua to run
    self:add_exact("File " .. markdown.html(file.name) .. ": save it beside the script",
      "The file " .. safe_name(file.name), file.text, extension .. " title=" .. safe_name(file.name))
  end
end

function Text:run_again(start)
  local again = table.concat(start.again, " ")
  self:add("To run it again, save this issue as `issue.md`:",
    markdown.block("regengine issue.md" .. (again ~= "" and " " .. again or ""), "sh"))
  if again ~= "" then self:add("Redacted; pass your own: " .. markdown.code(again)) end
  if #start.words > 0 then
    local title = start.title ~= "" and safe_name(start.title) or "-"
    self:add("It was run as:", markdown.block(markdown.clean("regengine " .. title .. " "
      .. core.shell_words(start.words)), "sh"))
  end
end

function Text:environment_of(stage, seed)
  local lines = map(environment.rows(stage, self.mask, seed), function(row)
    return "| " .. markdown.words(row[1]) .. " | " .. markdown.cell(row[2]) .. " |"
  end)
  self:add(markdown.folded("Environment", "| | |\n|---|---|\n" .. table.concat(lines, "\n")))
end

-- Without what `drop` names. The script is dropped last: without it nobody can check the rest.
local function compose(stages, text, mask, drop)
  local self = setmetatable({ parts = {}, notes = {}, left_out = {}, mask = mask }, Text)
  local chosen = stages[1]
  local start = restart.of(chosen, text, mask)
  self:add(self:headline(chosen), self:words_of(chosen))
  if drop.stages and #stages > 1 then self:leave_out "the other stages" end
  local others = {}
  for i = 2, drop.stages and 0 or #stages do
    local stage = stages[i]
    if stage.answered then
      self:add(markdown.folded(markdown.html(mask:text(words.headline(stage.found))), self:words_of(stage)))
    elseif #stage.trials > 0 then
      table.insert(others, 1, string.format("%s (%s of %s)", markdown.words(mask:text(stage.title)),
        words.count(#stage.trials, "trial"), words.count(#stage.found.points, stage.found.thing)))
    end
  end
  if #others > 0 then self:add("The same run also measured: " .. table.concat(others, ", ") .. ".") end
  self:table_of(chosen, drop.rows and CUT_ROWS or math.huge)
  if drop.script then self:leave_out "the script" else self:script_of(start) end
  if not drop.files then self:files_of(start) elseif #start.files > 0 then self:leave_out "the files that it needs" end
  self:environment_of(chosen, start.seed)
  if not drop.script and start.text ~= "" then self:run_again(start) end
  if #self.left_out > 0 then
    self:note("Omitted, as GitHub takes at most 65,536 characters: " .. table.concat(self.left_out, ", ") .. ".")
  end
  for _, note in ipairs(self.notes) do self:add(markdown.words(note)) end
  self:add("<sub>by regengine " .. markdown.words(core.version()) .. "</sub>")
  return table.concat(self.parts, "\n\n") .. "\n"
end

local DROPS = { "rows", "stages", "files", "script" }

---@class share.Options
---@field investigation? integer|string its number or its name; by default the one used last
---@field with_output? boolean add the ends of failures' outputs and the variables of the environment
---@field keep_host? boolean keep host names and network addresses

--- An investigation as Markdown to paste into an issue: the findings, a plot, the table, the script with the modules
--- and files it needs, versions, and the command that runs it again, `regengine issue.md`. What commands printed and
--- the variables are omitted. Private data is redacted as by reg.masked, in the script and its options too, and
--- marked <redacted>. What is too long for GitHub is omitted, with a note. Times are UTC. Raises not_found for an
--- unknown investigation.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local _, redacted = pcall(reg.share, store, { keep_host = true })
--- print(redacted)
--- ```
---@param store store.Store
---@param options? share.Options
---@return string markdown
---@return preview.Found found what was redacted, and what may still be secret; for reg.preview
return function(store, options)
  options = core.check_keys("share", options or {}, { "investigation", "keep_host", "with_output" })
  local stages, text = stored.stages(store, options.investigation)
  local masking, drop, shared = published(stages, options), {}, nil
  for i = 0, #DROPS do
    drop[DROPS[i] or ""] = true
    shared = compose(stages, text, redactor.new(masking), drop)
    if (utf8.len(shared) or #shared) <= MOST then break end
  end
  local redacted
  shared, redacted = redactor.read(shared)
  return shared, { redacted = redacted, suspects = redactor.suspects(shared), with_output = options.with_output }
end
