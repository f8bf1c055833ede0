-- reg.preview(found, options): what was redacted in a text and what may still be secret, and whether to write it.

local check_keys = require "lib/options/check_keys"
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

return function(found, options)
  local o = options or {}
  check_keys("preview", o, { "output", "yes" })
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
