-- What the parts of tests/gpu/run share: a table of what was measured and what it should be, printed as it comes.
--   local t = require "rows"
--   t.row("what", "0.3 %", "<= 0.5 %", 0.003 <= 0.005)
--   return t.finish()

local t = {}
local failed, begun = 0, false

local function line(what, got, wanted, verdict)
  local form = "%-58s %-26s %-26s %s"
  if not begun then print(form:format("check", "expected", "seen", "ok")) end
  begun = true
  print(form:format(what, wanted or "", got, verdict or ""))
end

-- `holds` is nil for a number that only informs.
function t.row(what, got, wanted, holds)
  if holds == false then failed = failed + 1 end
  line(what, got, wanted, holds == nil and "" or holds and "ok" or "NOT SO")
end

-- Runs f, whose error is a row of its own.
function t.part(what, f)
  local ok, why = pcall(f)
  if not ok then t.row(what, tostring(why):match "[^\n]*", "no error", false) end
end

--- The output of a command, without its last line end.
function t.shell(command) return (reg.process.run({ shell = command }).stdout:gsub("\n$", "")) end

--- The program that runs this script.
function t.engine() return t.shell "readlink /proc/$PPID/exe" end

--- Says why, if this machine has no GPU: the script then returns 77.
function t.lacks_gpu()
  local status = reg.gpu.status()
  if not status.ok then print("SKIPPED: " .. status.message) end
  return not status.ok
end

function t.finish() return failed == 0 and 0 or 1 end

return t
