-- What the message of a failed run says: which line tells why, and whether two runs failed alike.

local failure = {}

local ERRORS = { ": error: ", ": fatal error: " }

--- The first line that a compiler or linker marks as an error; nil if none is.
function failure.error_line(text)
  for line in text:gmatch "[^\r\n]+" do
    for _, mark in ipairs(ERRORS) do
      if line:find(mark, 1, true) then return line:match "^%s*(.-)%s*$" end
    end
  end
end

--- A message in one line: the error, else how it failed and the last line of the output.
function failure.line(message)
  local line = failure.error_line(message)
  if line then return (line:gsub("^exit code %d+: ", "")) end
  return (message:gsub("^([^:\n]*: ).*\n%s*([^\n]*)$", "%1%2"):gsub("%s*\n%s*", " "))
end

--- Equal for failures that are alike: the status and the message, without what differs between runs of the same
--- mistake, which is paths, ids and digits.
function failure.cause(status, message)
  local said = failure.error_line(message or "") or message or ""
  return status .. " "
    .. said:gsub("%S*/%S*", "/"):gsub("%f[%w]%x%x%x%x%x%x%x+%f[^%w]", "#"):gsub("%d+", "#")
end

return failure
