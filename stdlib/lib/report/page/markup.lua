-- HTML by construction: markup.p { class = "quiet", "text", markup.b { x } }. The text of an element is escaped, unless
-- this file made it; named fields are attributes; nil and false are left out, and tables are flattened.

local Html = {}
local escape = core.nouns.report.escape
-- a line break after these does not show
local BLOCKS = { article = true, div = true, li = true, section = true, tr = true }

local function add(out, child)
  if child == nil or child == false then return end
  if getmetatable(child) == Html then
    out[#out + 1] = child.text
  elseif type(child) == "table" then
    local last = 0  -- children may be nil
    for key in pairs(child) do
      if type(key) == "number" and key > last then last = key end
    end
    for i = 1, last do add(out, child[i]) end
  else
    out[#out + 1] = escape(tostring(child))
  end
end

local function attributes(of, out)
  local names = {}
  for name, value in pairs(of) do
    if type(name) == "string" and value then names[#names + 1] = name end
  end
  if #names > 1 then table.sort(names) end
  for _, name in ipairs(names) do
    local value = of[name]
    out[#out + 1] = " " .. name .. (value == true and "" or '="' .. escape(tostring(value)) .. '"')
  end
end

local markup = {}

--- Children without an element around them.
function markup.all(children)
  local out = {}
  add(out, children)
  return setmetatable({ text = table.concat(out) }, Html)
end

--- The HTML as text.
function markup.text(html) return html.text end

return setmetatable(markup, {
  __index = function(elements, name)
    local open = "<" .. name
    local function element(of)
      local out = { open }
      attributes(of, out)
      out[#out + 1] = ">"
      add(out, of)
      out[#out + 1] = "</" .. name .. (BLOCKS[name] and ">\n" or ">")
      return setmetatable({ text = table.concat(out) }, Html)
    end
    rawset(elements, name, element)
    return element
  end,
})
