-- What a store has, and one of its investigations again.

local test = require "harness"

-- A change at the sixth of eight places, of numbers without noise.
local function sweep(title)
  return reg.sweep({ 1, 2, 3, 4, 5, 6, 7, 8 }, { title = title, into = "listed.db", exact = true, metric = "bytes",
    measure = function(place) return place < 6 and 100 or 120 end })
end

test("a store lists its investigations with what each found", function()
  reg.answer(sweep "sizes")
  local unfinished = reg.store.open "listed.db"
  unfinished:begin { name = "stopped" }
  unfinished:close()
  local store <close> = reg.store.open("listed.db", { read_only = true })
  local rows = reg.report.investigations(store)
  test.equal(#rows, 2)
  test.equal({ rows[1].id, rows[1].title, rows[1].runs >= 5 }, { 1, "sizes", true })
  test.truthy(rows[1].found:find("bytes", 1, true) and rows[1].found:find("20", 1, true), rows[1].found)
  test.truthy(rows[1].started:match "^%d%d%d%d%-%d%d%-%d%d %d%d:%d%d$", rows[1].started)
  test.equal({ rows[2].title, rows[2].runs, rows[2].found }, { "stopped", 0, "no answer yet" })
end)

test("an investigation is shown as the terminal showed it", function()
  local store <close> = reg.store.open("listed.db", { read_only = true })
  local text = reg.report.text(store, { investigation = "sizes" })
  for _, part in ipairs { "sizes, 20", "bytes 100 -> 120", "+20" } do
    test.truthy(text:find(part, 1, true), "no '" .. part .. "' in\n" .. text)
  end
  test.truthy(select(2, text:gsub("\n", "")) > 10, "no plot in\n" .. text)
  test.truthy(reg.report.text(store, { investigation = 2 }):find("stopped, 20", 1, true))
  test.raises("has no investigation 'sixes' (did you mean 'sizes'?)", function()
    reg.report.text(store, { investigation = "sixes" })
  end, "not_found")
end)

return test.finish()
