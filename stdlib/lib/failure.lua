-- What a failed run says: which line tells why, whether two runs failed alike, and whether the machine failed.

local values = require "lib/values"

local AROUND <const> = 200  -- bytes before and after the text that is looked for

local failure = {}

--- The first line that a compiler or linker marks as an error; nil if none is.
function failure.error_line(text)
  for line in text:gmatch "[^\r\n]+" do
    if line:find ": error: " or line:find ": fatal error: " then return line:match "^%s*(.-)%s*$" end
  end
end

--- The line of the output with this text, which may be several lines itself; nil if it is not there. Of a long line
--- the part around the text.
function failure.line_with(text, output)
  local from, to = output:find(text, 1, true)
  if not from then return nil end
  local first = output:sub(1, from - 1):match "^.*[\r\n]()" or 1
  local last = (output:find("[\r\n]", to + 1) or #output + 1) - 1
  return values.utf8(output:sub(math.max(first, from - AROUND), math.min(last, to + AROUND))):match "^%s*(.-)%s*$"
end

--- How it failed, which the output follows after a colon: "exit code 1". Text in quotes may have colons.
function failure.how(message)
  local from = 1
  while true do
    local stop = message:find("[:\n]", from) or #message + 1
    local quote = message:find("'", from, true)
    local closing = quote and quote < stop and message:match("^[^'\n]*'()", quote + 1)
    if not closing then return message:sub(1, stop - 1) end
    from = closing
  end
end

--- A message in one line: the error, else how it failed and the last line of the output.
function failure.line(message)
  local line = failure.error_line(message)
  if line then return (line:gsub("^exit code %d+: ", "")) end
  local how, last = failure.how(message), message:match "\n%s*([^\n]*)$"
  return last and message:sub(#how + 1, #how + 2) == ": " and how .. ": " .. last
    or (message:gsub("%s*\n%s*", " "))
end

--- Equal for failures that are alike: the status and the message, without what differs between runs of the same
--- mistake, which is paths, ids and digits.
function failure.cause(status, message)
  local said = failure.error_line(message or "") or message or ""
  return status .. " "
    .. said:gsub("%S*/%S*", "/"):gsub("%f[%w]%x%x%x%x%x%x%x+%f[^%w]", "#"):gsub("%d+", "#")
end

--- How many of the last of these runs, none of which gave a number, failed alike, and their cause.
function failure.alike(runs)
  local alike, cause = 0, nil
  for i = #runs, 1, -1 do
    local own = failure.cause(runs[i].status, runs[i].message)
    cause = cause or own
    if own ~= cause then break end
    alike = alike + 1
  end
  return alike, cause
end

--- What to do about a test that passed where it was to fail, or the other way round: it may do so by chance.
function failure.by_chance()
  local asked = core.options or {}
  if asked.flaky ~= false or asked.find == "fix" then return "" end
  return " If it fails by chance, pass --flaky."
end

--- What to do about a test that passes everywhere, as one does that only became slower.
function failure.by_time()
  return (core.options or {}).flaky == false and " If it became slower, pass --metric @wall." or ""
end

--- Ends the run if a trial failed because the machine ran out of something: disk, memory, processes or open files. Such
--- a failure says nothing about the subject, so it is not stored, and the run pauses. `result`: of trial.measure, or a
--- table without fields for its last command. With `sure_only`, and with --keep-going, words alone do not count: what
--- asks for too much fails alike each time.
function failure.check_shortage(trial, result, sure_only)
  local run = trial.failed_run
  local sure = (run or result).shortage
  local function said(text) return not sure_only and not trial.keep_going and core.shortage_in(text) or nil end
  local why = sure or said(run and run.stdout .. "\n" .. run.stderr or result.message or "")
  if not why then return end
  local has_option = core.options and core.options.keep_going ~= nil
  error({ kind = "paused", message = string.format("the machine failed, not %s: %s", trial.subject_id, why),
    hint = sure and "Free some space." or has_option and "If it is the subject that fails so, pass --keep-going."
      or nil }, 0)
end

return failure
