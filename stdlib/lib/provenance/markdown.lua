-- Text of others in Markdown: nothing in it becomes a mark, a mention, a link to an issue, or HTML, and nothing ends its block.

local markdown = {}

--- Without control characters, and in UTF-8; line ends as \n.
function markdown.clean(text)
  text = text:gsub("\r\n?", "\n"):gsub("[%c\127]", function(c)
    return c ~= "\n" and c ~= "\t" and string.format("\\x%02x", c:byte()) or nil
  end)
  if utf8.len(text) then return text end
  local parts, at = {}, 1
  while at <= #text do
    local _, bad = utf8.len(text, at)
    parts[#parts + 1] = text:sub(at, (bad or #text + 1) - 1)
    if not bad then break end
    parts[#parts + 1] = "\u{FFFD}"
    at = bad + 1
  end
  return table.concat(parts)
end

-- Of the runs of backticks in a text, the longest.
local function longest_run(text)
  local longest = 0
  for run in text:gmatch "`+" do longest = math.max(longest, #run) end
  return longest
end

--- A block of code, with a fence that nothing in it closes.
function markdown.block(text, info)
  local fence = ("`"):rep(math.max(3, longest_run(text) + 1))
  return string.format("%s%s\n%s%s%s", fence, info or "text", text, (text == "" or text:sub(-1) == "\n") and "" or "\n", fence)
end

--- Text within a line, as code.
function markdown.code(text)
  text = markdown.clean(text):gsub("%s+", " ")
  if text:match "^ *$" then return "" end
  local fence = ("`"):rep(longest_run(text) + 1)
  local pad = (text:match "^`" or text:match "`$") and " " or ""
  return fence .. pad .. text .. pad .. fence
end

--- Text within a line: as it is where nothing in it could be a mark, else as code.
function markdown.words(text)
  text = markdown.clean(text):gsub("%s+", " ")
  local harmless = text:match "^[%w .,:;%%()/+-]*$" and not text:match "%a://" and not text:match "[Ww][Ww][Ww]%." and
    not text:match "[Gg][Hh]%-%d" and not text:match "^[%d-+>]"
  return harmless and text or markdown.code(text)
end

--- Code in the cell of a table, where | would end it.
function markdown.cell(text) return (markdown.code(text):gsub("|", "\\|")) end

--- What unfolds at a click. The summary is words of ours, or HTML.
function markdown.folded(summary, body)
  return string.format("<details>\n<summary>%s</summary>\n\n%s\n\n</details>", summary, body)
end

--- A name as HTML, as code: neither a tag nor a mention.
function markdown.html(text)
  local names = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }
  return "<code>" .. markdown.clean(text):gsub("%s+", " "):gsub("[&<>]", names) .. "</code>"
end

--- Characters, as GitHub counts them.
function markdown.length(text) return utf8.len(text) or #text end

return markdown
