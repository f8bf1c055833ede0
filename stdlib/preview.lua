-- reg.preview: asks before text with something secret is written.

local folded = require("lib/report/names").folded
local read = require "lib/report/read"

local LINES, SUSPECTS, SHOWN = 8, 10, 8

local function lines_of(numbers)
  if #numbers == 0 then return "" end
  local more = #numbers > LINES and ", ..." or ""
  local list = table.concat(numbers, ", ", 1, math.min(#numbers, LINES))
  return (#numbers == 1 and ": line " or ": lines ") .. list .. more
end

-- A few characters: who wrote the text knows them, and a log shows no more.
local function shown(word) return #word > SHOWN and word:sub(1, SHOWN) .. "..." or word end

---@class preview.Redacted
---@field what string what was redacted: "token ghp_...", "home folder"
---@field secret boolean whether it was a secret, and not the name of a user or a host
---@field count integer how often
---@field lines? integer[] in which lines of the text; a page has none

---@class preview.Suspect
---@field text string a word that looks like a secret and was not redacted
---@field line? integer its line in the text; a page has none

---@class preview.Found
---@field redacted preview.Redacted[] the most frequent first
---@field suspects preview.Suspect[]
---@field with_output? boolean whether the text has outputs and variables

---@class preview.Options
---@field output? string the file to be written, as messages name it; standard output by default
---@field yes? boolean write without a question

--- Shows on standard error what was redacted in text that is to be shared, by kind and line, and warns of words that
--- look like secrets. Asks whether to write the text if it has outputs, a secret was redacted, or a word looks like
--- one. Where nobody is at a terminal it asks nothing, and raises usage for one with outputs unless `yes` is set.
--- Raises usage for anything but a table.
--- ```lua
--- local store <close> = reg.store.open "regressions.db"
--- local _, text, found = pcall(reg.share, store)
--- print(type(found) ~= "table" or reg.preview(found, { output = "issue.md" }), #text)
--- ```
---@param found preview.Found what reg.share or reg.report.html found
---@param options? preview.Options
---@return boolean write whether to write it
return function(found, options)
  local o = core.check_keys("preview", options or {}, { "output", "yes" })
  if type(found) ~= "table" then core.fail("usage", "reg.preview: not a table: " .. type(found)) end
  local output = o.output or "standard output"
  local redacted, suspects = read.list(found.redacted), read.list(found.suspects)
  local ask = found.with_output == true or #suspects > 0
  local unless_told = not o.yes and not core.settings().dry_run
  if found.with_output and unless_told and not core.at_terminal() then
    core.fail("usage", "nobody is at a terminal to check what is published of outputs and variables",
      "Run it at a terminal, or pass --yes.")
  end
  if #redacted > 0 then reg.log.info("Redacted in %s:", output) end
  for _, kind in ipairs(redacted) do
    ask = ask or kind.secret == true
    reg.log.info("  %s, %d%s", tostring(kind.what), math.tointeger(kind.count) or 0, lines_of(read.list(kind.lines)))
  end
  folded(suspects, SUSPECTS, function(suspect)
    local where = suspect.line and "line " .. tostring(suspect.line) or output
    reg.log.warn("%s looks like it has a secret: %s", where, shown(tostring(suspect.text)))
  end, function(more) reg.log.warn("%d more words look like secrets", more) end)
  if not (ask and unless_told and core.at_terminal()) then return true end
  if found.with_output then reg.log.warn("%s has the ends of outputs and the variables", output) end
  reg.log.warn("%s is not written yet. Write it? [y/N]", output)
  local answer = reg.read_line()
  if answer and answer:find "^%s*[yY]" then return true end
  reg.log.warn("nothing was written")
  return false
end
