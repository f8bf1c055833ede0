-- Foreign text in Markdown: nothing in it becomes formatting, a mention, an issue link or HTML, and nothing ends its
-- block.

local values = require "lib/values"

local markdown = {}

--- Valid UTF-8 without control characters; lines end with \n.
function markdown.clean(text)
  text = text:gsub("\r\n?", "\n"):gsub("[%c\127]", function(c)
    return c ~= "\n" and c ~= "\t" and string.format("\\x%02x", c:byte()) or nil
  end)
  return values.utf8(text)
end

-- More backticks than the text has in a row, at least `least`.
local function fence_of(text, least)
  for run in text:gmatch "`+" do least = math.max(least, #run + 1) end
  return ("`"):rep(least)
end

--- A code block whose fence nothing in it closes.
function markdown.block(text, info)
  local fence = fence_of(text, 3)
  return string.format("%s%s\n%s%s%s", fence, info or "text", text, (text == "" or text:sub(-1) == "\n") and "" or "\n",
    fence)
end

--- Inline code.
function markdown.code(text)
  text = markdown.clean(text):gsub("%s+", " ")
  if text:match "^ *$" then return "" end
  local fence = fence_of(text, 1)
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

return markdown
