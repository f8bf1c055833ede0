-- Wraps text for the terminal: long lines are broken at blanks, and continue below their last column.

-- The beginning of the line, at most `width` columns.
local function first(line, width)
  local stop = utf8.len(line) and utf8.offset(line, width + 1) or width + 1
  return line:sub(1, stop - 1)
end

local function indent_of(line, width)
  local indent = #line:match "^%s*"
  for at in line:gmatch "%S  +()" do
    local before = utf8.len(line, 1, at - 1) or at - 1
    if before <= width // 2 then indent = before end
  end
  return (" "):rep(indent)
end

local function broken(line, width)
  if not line:find "%w" then return first(line, width) end  -- the rule below the header of a table
  local indent, lines = indent_of(line, width), {}
  while #first(line, width) < #line do
    local at = first(line, width + 1):match "^.*()%s"
    if not at or at <= #indent then break end
    lines[#lines + 1] = line:sub(1, at - 1):gsub("%s+$", "")
    line = indent .. line:sub(at):gsub("^%s+", "")
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

return function(text)
  local width = core.nouns.report.room()
  if width == 0 then return text end
  return (text:gsub("[^\n]+", function(line) return broken(line, width) end))
end
