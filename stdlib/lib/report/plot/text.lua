-- Draws charts (plot/chart.lua) as text: values over x as dots, braille in a UTF-8 locale.

local axis = require "lib/report/plot/axis"
local values = require "lib/values"
local native = core.nouns.report
local fit, width_of = native.fit, native.columns
local find, flat, map = values.find, values.flat, values.map

local NARROWEST, LOWEST = 24, 3
local APART = 8  -- dots between two letters of a line, which stays visible
local NOTHING = "(nothing to plot: no subject has a value)\n"
-- Marks in a UTF-8 locale and elsewhere, and the dots of a cell with their bits.
local STYLES = {
  [true] = { point = "•", change = "│", reference = "┄", left = "│", tick = "┤", corner = "└", below = "─",
    change_below = "┴", failed = "×", across = 2, down = 4, { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 },
    { 0x40, 0x80 } },
  [false] = { point = "o", change = "|", reference = ".", left = "|", tick = "+", corner = "+", below = "-",
    change_below = "+", failed = "x", across = 1, down = 1, { 1 } },
}

local function nearest(x) return math.floor(x + 0.5) end
local function blanks(count) return (" "):rep(count) end
local function rstrip(text) return (text:gsub(" +$", "")) end

-- Where a part of the whole lies among `count` places, from 0.
local function place(part, count) return nearest((part > 0 and math.min(part, 1) or 0) * (count - 1)) end

local Drawing = {}
Drawing.__index = Drawing

local function drawing_of(chart, width, height, style)
  local self = setmetatable({ chart = chart, height = height, style = style, margin = 0, changes = {}, dots = {},
    letters = {}, x = axis.range({ chart }, "x"), y = axis.range(chart.series, "y", chart.reference) }, Drawing)
  self.ticks = axis.ticks(self.y, math.max(2, height // 3))
  self.labels = axis.labels(self.ticks, self.y)
  for _, label in ipairs(self.labels) do self.margin = math.max(self.margin, #label) end
  self.columns = math.max(width, NARROWEST, self.margin + 10) - self.margin - 2
  self.across, self.down = self.columns * style.across, height * style.down
  for _, x in ipairs(chart.changes) do
    if x >= self.x.low and x <= self.x.high then self.changes[self:column(x, self.columns)] = true end
  end
  return self
end

-- `across` and `down` are in dots, or in columns and rows.
function Drawing:column(x, across) return place((x - self.x.low) / (self.x.high - self.x.low), across) end
function Drawing:row(y, down) return place((self.y.high - y) / (self.y.high - self.y.low), down) end

function Drawing:cell(x, y) return y // self.style.down * self.columns + x // self.style.across end

-- One dot per step along the longer side.
function Drawing:line(from_x, from_y, to_x, to_y)
  local style, steps = self.style, math.max(math.abs(to_x - from_x), math.abs(to_y - from_y))
  for i = 0, steps do
    local part = steps == 0 and 0 or i / steps
    local x, y = nearest(from_x + (to_x - from_x) * part), nearest(from_y + (to_y - from_y) * part)
    local at = self:cell(x, y)
    self.dots[at] = (self.dots[at] or 0) | style[y % style.down + 1][x % style.across + 1]
  end
end

-- A single series has no letter. After Z they start again.
function Drawing:letter(i) return #self.chart.series > 1 and string.char(65 + (i - 1) % 26) or nil end

-- In braille the points are joined.
function Drawing:draw(series, letter)
  local is_joined, last_x, last_y, last_letter = self.style.down > 1, nil, nil, nil
  for i, value in ipairs(series.y) do
    if value then
      local x, y = self:column(self.chart.x[i], self.across), self:row(value, self.down)
      if #self.chart.levels > 0 then
        self.letters[self:cell(x, y)] = self.style.point
      else
        self:line(is_joined and last_x or x, is_joined and last_y or y, x, y)
      end
      last_x, last_y = x, y
      if letter and (not last_letter or not is_joined or x < last_letter or x >= last_letter + APART) then
        self.letters[self:cell(x, y)], last_letter = letter, x
      end
    end
  end
end

-- The drawing with the y axis at its left. A cell shows a letter, else dots, else a change or the reference line.
function Drawing:rows()
  local rows, label_at, style = {}, {}, self.style
  local reference = self.chart.reference and self:row(self.chart.reference, self.height)
  for i = #self.ticks, 1, -1 do label_at[self:row(self.ticks[i], self.height)] = self.labels[i] end
  for y = 0, self.height - 1 do
    local label = label_at[y] or ""
    local cells = { blanks(self.margin - #label), label, " ", label ~= "" and style.tick or style.left }
    for x = 0, self.columns - 1 do
      local at = y * self.columns + x
      local dots = self.dots[at]
      cells[x + 5] = self.letters[at] or dots and (style.down > 1 and utf8.char(0x2800 + dots) or "*")
        or self.changes[x] and style.change or y == reference and style.reference or " "
    end
    rows[y + 1] = rstrip(table.concat(cells))
  end
  return rows
end

function Drawing:axis()
  local cells, style = {}, self.style
  for x = 0, self.columns - 1 do cells[x + 1] = self.changes[x] and style.change_below or style.below end
  for _, series in ipairs(self.chart.series) do
    for _, i in ipairs(series.failed) do cells[self:column(self.chart.x[i], self.columns) + 1] = style.failed end
  end
  return blanks(self.margin + 1) .. style.corner .. table.concat(cells)
end

-- Labels on a line, each centered under its column, the most important first; those that would overlap are left out.
local function labels_placed(labels, columns)
  local placed, line = {}, ""
  for _, label in ipairs(labels) do
    local width = width_of(label.text)
    local start = math.min(math.max(0, label.column - width // 2), columns - width)
    local overlaps = find(placed, function(other)
      return start < other.start + other.width + 2 and other.start < start + width + 2
    end)
    if width > 0 and width <= columns and not overlaps then
      placed[#placed + 1] = { start = start, width = width, text = label.text }
    end
  end
  table.sort(placed, function(a, b) return a.start < b.start end)
  for _, one in ipairs(placed) do line = line .. blanks(one.start - width_of(line)) .. one.text end
  return line
end

function Drawing:x_labels()
  local ticks, words = axis.ticks(self.x, 8), self.chart.words
  if #words == 0 then
    words = map(axis.labels(ticks, self.x), function(text, i) return { x = ticks[i], text = text } end)
  end
  local labels = map(words, function(word)
    return { column = self:column(word.x, self.columns), text = fit(word.text, self.columns // 3) }
  end)
  return rstrip(blanks(self.margin + 2) .. labels_placed(labels, self.columns))
end

-- The letters and names of the series, as many per line as fit.
function Drawing:legend()
  local lines, used = {}, 0
  for i, series in ipairs(#self.chart.series > 1 and self.chart.series or {}) do
    local entry = self:letter(i) .. " " .. fit(series.name, self.columns - 2)
    local width = width_of(entry)
    if used > 0 and used + 3 + width <= self.columns then
      lines[#lines], used = lines[#lines] .. "   " .. entry, used + 3 + width
    else
      lines[#lines + 1], used = blanks(self.margin + 2) .. entry, width
    end
  end
  return lines
end

function Drawing:text()
  local chart = self.chart
  for _, level in ipairs(chart.levels) do
    local y = self:row(level.y, self.down)
    self:line(self:column(level.from, self.across), y, self:column(level.to, self.across), y)
  end
  for i, series in ipairs(chart.series) do self:draw(series, self:letter(i)) end
  local x_label, y_label = fit(chart.x_label or "", self.columns), chart.y_label or ""
  local above = y_label ~= "" and blanks(self.margin - width_of(y_label)) .. fit(y_label, self.columns) or nil
  local below = x_label ~= "" and blanks(self.margin + 2 + (self.columns - width_of(x_label)) // 2) .. x_label or nil
  return table.concat(flat { { above }, self:rows(), { self:axis(), self:x_labels(), below }, self:legend() }, "\n")
    .. "\n"
end

--- The chart as text. `o`: title, width and height.
return function(chart, o)
  local _, room, is_utf8 = native.room()
  local width, text, widest, title = math.min(o.width or room, 1000), NOTHING, 0, {}
  local function is_value(y) return y end
  if find(chart.series, function(series) return find(series.y, is_value) end) then
    text = drawing_of(chart, width, math.max(LOWEST, math.min(o.height or 12, 200)), STYLES[is_utf8]):text()
  end
  for line in text:gmatch "[^\n]+" do widest = math.max(widest, width_of(line)) end
  for line in (o.title or ""):gmatch "[^\n]+" do
    title[#title + 1] = blanks((widest - width_of(line)) // 2) .. line .. "\n"
  end
  return table.concat(title) .. text
end
