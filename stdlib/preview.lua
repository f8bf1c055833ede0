-- reg.preview(found, options): what was redacted in a text and what may still be secret, and whether to write it.

local check_keys = require "lib/options/check_keys"
local folded = require "lib/report/folded"
local read = require "lib/report/read"

local LINES, SUSPECTS, SHOWN = 8, 10, 8
-- What is redacted in nearly every text and no secret.
local NAMES = { ["host name"] = true, ["user name"] = true, ["home folder"] = true, ["mail address"] = true,
  ["network address"] = true, ["GPU id"] = true }

local function lines_of(numbers)
  if #numbers == 0 then return "" end
  local shown = {}
  for i = 1, math.min(#numbers, LINES) do shown[i] = tostring(numbers[i]) end
  local more = #numbers > LINES and ", ..." or ""
  return (#numbers == 1 and ": line " or ": lines ") .. table.concat(shown, ", ") .. more
end

-- A few characters: who wrote the text knows them, and a log shows no more.
local function shown(word) return #word > SHOWN and word:sub(1, SHOWN) .. "..." or word end

return function(found, options)
  local o = options or {}
  check_keys("preview", o, { "output", "yes", "secrets_only" })
  if type(found) ~= "table" then core.fail("usage", "reg.preview: not a table: " .. type(found)) end
  local output = o.output or "standard output"
  local redacted, suspects = read.list(found.redacted), read.list(found.suspects)
  local asked_about = #suspects
  for _, kind in ipairs(redacted) do
    if not (o.secrets_only and NAMES[kind.what]) then asked_about = asked_about + 1 end
  end
  if asked_about == 0 then return true end
  if #redacted > 0 then reg.log.info("Redacted in %s:", output) end
  for _, kind in ipairs(redacted) do
    reg.log.info("  %s, %d%s", tostring(kind.what), math.tointeger(kind.count) or 0, lines_of(read.list(kind.lines)))
  end
  folded(suspects, SUSPECTS, function(suspect)
    local where = suspect.line and "line " .. tostring(suspect.line) or output
    reg.log.warn("%s looks like it has a secret: %s", where, shown(tostring(suspect.text)))
  end, function(more) reg.log.warn("%d more words look like secrets", more) end)
  if o.yes or core.settings().dry_run or not core.at_terminal() then return true end
  reg.log.warn("%s is not written yet. Write it? [y/N]", output)
  local answer = reg.read_line()
  if answer and answer:find "^%s*[yY]" then return true end
  reg.log.warn("nothing was written")
  return false
end
