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

return failure
