-- What a user sees of a series later on: shown(series) stores its answer as a strategy does, and returns the lines of
-- its report below the title and without the plot, what `regengine list` says it found, and the answer as --json prints
-- it.

local own = reg.store.open "shown.db"
local count = 0

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    if line:find "^[ %d.e-]*\xe2\x94[\x82\xa4]" or line:find "^[ %d.e-]* [|+]" then  -- an axis, below its name
      lines[#lines] = nil
      break
    end
    lines[#lines + 1] = line
  end
  table.remove(lines, 1)
  return lines
end

return function(series)
  if not series.investigation then
    count = count + 1
    series.store, series.investigation = own, own:begin { name = series.kind .. "s", text = tostring(count) }
  end
  series.printed = true
  reg.answer(series)
  local text, answer = reg.report.text(series.store, { investigation = series.investigation })
  for _, row in ipairs(reg.report.investigations(series.store)) do
    if row.id == series.investigation then return lines_of(text), row.found, answer end
  end
end
