-- A text to redact, and the spans of it that rules have found. The rules see the text as it is; what they found is
-- replaced at the end, at once.

local Scan = {}
Scan.__index = Scan

--- Adds text[from, to]. `kind`: what it is, "GitHub token"; `class`: how it is counted, "secret" by default; `by`: what
--- replaces it, by default the mark of a secret.
function Scan:add(from, to, kind, class, by)
  if to < from then return end
  self.spans[#self.spans + 1] = { from = from, to = to, kind = kind, class = class or "secret", by = by }
end

--- The positions of a plain, lowercase word in the text, in any case, as an iterator: from, to.
function Scan:each(word)
  local at = 1
  return function()
    local from, to = self.lower:find(word, at, true)
    at = to and to + 1
    return from, to
  end
end

local LONGEST_LINE = 1 << 15  -- a longer line ends there

--- The end of the line that holds this position.
function Scan:line_end(at)
  local piece = self.text:sub(at, at + LONGEST_LINE - 1)
  local stop = piece:find("\n", 1, true)
  return stop and at + stop - 2 or at + #piece - 1
end

--- The start of the line that holds this position; looks back only so far.
function Scan:line_start(at)
  local near = math.max(1, at - 400)
  local before = self.text:sub(near, at - 1)
  local last = before:match "^.*()\n"
  return last and near + last or near
end

-- Escapes end in a letter that belongs to no word: \n in JSON, %20 in a URL, the color of a terminal.
local ESCAPES = { "\\[nrtbf]$", "%%%x%x$", "\27%[[%d;]*m$", "\\u00%x%x$", "\\x%x%x$" }

--- Whether a word may begin at this position.
function Scan:starts_word(at)
  if at == 1 or not self.text:find("^[%w_]", at - 1) then return true end
  local before = self.text:sub(math.max(1, at - 8), at - 1)
  for _, escape in ipairs(ESCAPES) do
    if before:find(escape) then return true end
  end
  return false
end

local function public_blocks(text)
  local blocks, at = {}, 1
  while true do
    local from = text:find("-----BEGIN ", at, true)
    if not from then return blocks end
    local name = text:match("^%-%-%-%-%-BEGIN ([%u%d ]+)%-%-%-%-%-", from)
    local public = name and not name:find("PRIVATE", 1, true)
    local stop = public and (text:find("-----END " .. name, from, true)
      or text:match("^%-%-%-%-%-BEGIN [%u%d ]+%-%-%-%-%-[%w+/=%s]*()", from))
    if stop then blocks[#blocks + 1] = { from = from, to = stop } end
    at = stop or from + 11
  end
end

--- Whether this position is in a certificate or a public key, between its marks: nothing there is secret.
function Scan:in_public_block(at)
  self.blocks = self.blocks or public_blocks(self.text)
  for _, block in ipairs(self.blocks) do
    if at >= block.from and at <= block.to then return true end
  end
  return false
end

-- Of two that overlap, a secret stands over anything else, and a longer one over a shorter one.
local function merged(spans)
  table.sort(spans, function(a, b)
    if a.from ~= b.from then return a.from < b.from end
    return a.to > b.to
  end)
  local list = {}
  for _, span in ipairs(spans) do
    local last = list[#list]
    if last and span.from <= last.to then
      local over = span.class == "secret" and last.class ~= "secret"
      if over then last.kind, last.class, last.by = span.kind, span.class, span.by end
      if over or span.class == "secret" or last.class ~= "secret" then last.to = math.max(last.to, span.to) end
    else
      list[#list + 1] = span
    end
  end
  return list
end

--- The text with each span replaced by what `replace(span, found)` returns.
function Scan:replaced(replace)
  local parts, at, text = {}, 1, self.text
  for _, span in ipairs(merged(self.spans)) do
    parts[#parts + 1] = text:sub(at, span.from - 1)
    parts[#parts + 1] = replace(span, text:sub(span.from, span.to))
    at = span.to + 1
  end
  parts[#parts + 1] = text:sub(at)
  return table.concat(parts)
end

--- `code`: whether it is a script or an option, in which a bare value with blanks around its sign is a variable.
return function(text, code)
  return setmetatable({ text = text, lower = text:lower(), code = code, spans = {} }, Scan)
end
