-- HTML by construction: markup.p { class = "quiet", "text", markup.b { x } }. The text of an element is redacted and
-- escaped when the page is written; named fields are attributes; nil and false are left out, and tables are flattened.

local values = require "lib/values"

local Html = {}
-- a line break after these does not show
local BLOCKS = { a = true, article = true, div = true, li = true, section = true, tr = true }

-- Attributes that people read.
local WORDS = { ["aria-label"] = true, ["data-name"] = true, title = true }

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

-- In UTF-8: control characters but line breaks and tabs, and what turns the direction of text.
local REMOVED = { "[\0-\8\11-\31\127]", "\xC2[\x80-\x9F]", "\xD8\x9C", "\xE2\x80[\x8E\x8F\xAA-\xAE]",
  "\xE2\x81[\xA6-\xA9]" }

-- Untrusted text for the content of elements and quoted attributes. A byte that is not UTF-8 becomes U+FFFD.
local function escape(text)
  text = values.utf8(text):gsub("[&<>\"']", ENTITIES)
  for _, pattern in ipairs(REMOVED) do text = text:gsub(pattern, "") end
  return text
end

local add

local function attributes(of, out, redact)
  for _, name in ipairs(values.sorted_names(of)) do
    local value = of[name]
    local text = WORDS[name] and redact(tostring(value)) or tostring(value)
    out[#out + 1] = value and " " .. name .. (value == true and "" or '="' .. escape(text) .. '"') or nil
  end
end

local function add_element(out, element, redact)
  out[#out + 1] = "<" .. element.name
  attributes(element.of, out, redact)
  out[#out + 1] = ">"
  add(out, element.of, redact)
  out[#out + 1] = "</" .. element.name .. (BLOCKS[element.name] and ">\n" or ">")
end

function add(out, child, redact)
  if child == nil or child == false then return end
  if getmetatable(child) == Html then
    if child.redacted then out[#out + 1] = escape(child.redacted) else add_element(out, child, redact) end
  elseif type(child) == "table" then
    local last = 0  -- children may be nil
    for key in pairs(child) do last = math.max(last, math.tointeger(key) or 0) end
    for i = 1, last do add(out, child[i], redact) end
  else
    out[#out + 1] = escape(redact(tostring(child)))
  end
end

local markup = setmetatable({ escape = escape }, {
  __index = function(elements, name)
    local function element(of) return setmetatable({ name = name, of = of }, Html) end
    rawset(elements, name, element)
    return element
  end,
})

--- Text that was redacted before.
function markup.redacted(text) return setmetatable({ redacted = text }, Html) end

--- The HTML as text. `redact(text)` sees all text that people read.
function markup.write(html, redact)
  local out = {}
  add(out, html, redact)
  return table.concat(out)
end

-- Escape sequences: a string such as a title or a link, which ends at the latest with its line; CSI; and short ones. A
-- malformed one takes no line break with it.
local SEQUENCES <const> = { "\27[%]PX^_][^\7\27\n]*\27?[\7\\]?", "\27%[[0-?]*[ -/]*[@-~]?", "\27[ -/]*[0-~]?" }

--- Terminal output as plain lines, without escape sequences; of an overwritten line, as of a progress bar, only the
--- last state. Without control characters, too: escape drops them only after the redaction.
function markup.plain(text)
  text = text:gsub("\27+(\27)", "%1")
  for _, sequence in ipairs(SEQUENCES) do text = text:gsub(sequence, "") end
  text = text:gsub("[\0-\8\11\12\14-\31\127]", "")
  local lines = {}
  for line in text:gmatch "[^\n]*\n?" do
    if line ~= "" then lines[#lines + 1] = line:gsub("\r*\n?$", ""):gsub("^.*\r", "") .. "\n" end
  end
  return table.concat(lines)
end

--- A table of rows, which are elements, under a head: each column a name, or { name, class = }.
function markup.rows(class, columns, rows)
  return markup.table { class = class, markup.thead { markup.tr(values.map(columns, function(column)
    return markup.th(type(column) == "table" and column or { column })
  end)) }, markup.tbody { rows } }
end

return markup
