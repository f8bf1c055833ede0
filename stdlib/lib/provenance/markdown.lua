-- Foreign text in Markdown: nothing in it becomes formatting, a mention, an issue link or HTML, and nothing ends its
-- block.

local markdown = {}

--- Valid UTF-8 without control characters; lines end with \n.
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

-- The length of the longest run of backticks.
local function longest_run(text)
  local longest = 0
  for run in text:gmatch "`+" do longest = math.max(longest, #run) end
  return longest
end

--- A code block whose fence nothing in it closes.
function markdown.block(text, info)
  local fence = ("`"):rep(math.max(3, longest_run(text) + 1))
  return string.format("%s%s\n%s%s%s", fence, info or "text", text, (text == "" or text:sub(-1) == "\n") and "" or "\n",
    fence)
end

--- Inline code.
function markdown.code(text)
  text = markdown.clean(text):gsub("%s+", " ")
  if text:match "^ *$" then return "" end
  local fence = ("`"):rep(longest_run(text) + 1)
  local pad = (text:match "^`" or text:match "`$") and " " or ""
  return fence .. pad .. text .. pad .. fence
end

--- Inline text: as it is if nothing in it could be formatting, else as code.
function markdown.words(text)
  text = markdown.clean(text):gsub("%s+", " ")
  local harmless = text:match "^[%w .,:;%%()/+-]*$" and not text:match "%a://" and not text:match "[Ww][Ww][Ww]%." and
    not text:match "[Gg][Hh]%-%d" and not text:match "^[-+]" and not text:match "^%d+[.)]"
  return harmless and text or markdown.code(text)
end

--- Inline code in a table cell, which | would end.
function markdown.cell(text) return (markdown.code(text):gsub("|", "\\|")) end

--- A folded section. The summary must be safe HTML.
function markdown.folded(summary, body)
  return string.format("<details>\n<summary>%s</summary>\n\n%s\n\n</details>", summary, body)
end

--- A name as HTML code: neither a tag nor a mention.
function markdown.html(text)
  local names = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }
  return "<code>" .. markdown.clean(text):gsub("%s+", " "):gsub("[&<>]", names) .. "</code>"
end

--- Characters, as GitHub counts them.
function markdown.length(text) return utf8.len(text) or #text end

return markdown
