-- A text as a terminal shows it: lines that are too long are broken at blanks, and go on below their last column.

local function indent_of(line, width)
  local indent = #line:match "^%s*"
  for at in line:gmatch "%S  +()" do
    if at <= width // 2 then indent = at - 1 end
  end
  return (" "):rep(indent)
end

return function(text)
  local width = core.nouns.report.room()
  if width == 0 then return text end
  return (text:gsub("[^\n]+", function(line)
    local indent, lines = indent_of(line, width), {}
    while #line > width do
      local at = line:sub(1, width + 1):match "^.*()%s"
      if not at or at <= #indent then break end
      lines[#lines + 1] = line:sub(1, at - 1):gsub("%s+$", "")
      line = indent .. line:sub(at):gsub("^%s+", "")
    end
    lines[#lines + 1] = line
    return table.concat(lines, "\n")
  end))
end
