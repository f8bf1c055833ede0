-- Images of reg.report.plot, by the gnuplot of this machine. What is in them was looked at by people; here is what must
-- hold of them: format, size, what is written in them, and that no text of a script is ever a command.

local test = require "harness"

local HOSTILE = {
  [['; system("touch touched"); ']], [["; system("touch touched"); "]], "`touch touched`", "@ARG1", "%s %n %d %5000d",
  "a\nset output 'touched'\n", "{/Symbol a}_b^c", "\\n\\101", "'", '"', "$s1", "EOD", "<script>alert(1)</script>",
  "&amp; &#x41; <b>", "|touch touched", "\27[2J\0\r", "\xff\xfe bad", string.rep("long ", 2000), "日本語 é", "--version",
  "#", "",
}

local function need_gnuplot()
  local ok = pcall(reg.process.run, { cmd = { "gnuplot", "--version" } })
  if not ok then
    if reg.process.run { shell = 'test "$REGENGINE_REQUIRE_REAL" = 1' }.ok then error "gnuplot is not installed" end
    test.skip "gnuplot is not installed (apt-get install gnuplot-nox)"
  end
end

local function image(data, options)
  options.file = options.file or "plot." .. (options.format or "svg")
  reg.report.plot(data, options)
  return reg.fs.read(options.file)
end

-- The words in an SVG as a reader sees them.
local function words_of(svg)
  local words = {}
  for text in svg:gmatch "<text[^>]*>([^<]*)</text>" do
    words[#words + 1] = (text:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&apos;", "'"):gsub("&amp;",
      "&"))
  end
  return table.concat(words, "\n")
end

local speedups = { labels = { "2024-03-01", "2024-03-02" }, series = {
  { name = "Inductor", values = { 1, 1.1 }, errors = { 0.1, false } },
    { name = "XLA+Dynamo", values = { false, 0.5 } } } }

test("an image has the size that was asked for, and what was to be written in it", function()
  need_gnuplot()
  local png = image(speedups, { format = "png", inches = { 4, 3.5 } })
  test.equal({ string.unpack(">I4I4", png, 17) }, { 800, 700, 25 })
  local svg = image(speedups, { title = "Speedup A100", x_label = "Date", y_label = "times", reference = 1 })
  test.truthy(svg:find('viewBox="0 0 900 500"', 1, true), svg:sub(1, 400))
  test.has(words_of(svg), "Speedup A100", "Date", "times", "Inductor", "XLA+Dynamo", "2024-03-01")
end)

test("no text is a command, a format or markup, wherever it stands", function()
  need_gnuplot()
  for i, text in ipairs(HOSTILE) do
    local data = { labels = { text, "b" }, changes = { 2 },
      series = { { name = text, values = { 1, 2 } }, { name = text .. "2", values = { 2, 1 }, failed = { 1 } } } }
    local drawn = image(data, { title = text, x_label = text, y_label = text })
    test.truthy(#drawn > 1000 and not drawn:lower():find("<script", 1, true), i .. ": " .. text)
    test.truthy(not reg.fs.exists "touched", i .. ": " .. text)
  end
  local title = [['; system("touch x") `y` {/Symbol a}_1 <b> %s \n &amp; 055]]
  local words = words_of(image({ values = { 1, 2 }, labels = { "50% a_b", "c" } }, { title = title }))
  test.has(words, title, "50% a_b")
  image({ values = { 1, 2 } }, { file = "a'; system(\"touch touched\") `touch touched` |x.svg" })
  test.truthy(not reg.fs.exists "touched")
end)

test("flat, empty, huge and lonely data have an image too", function()
  need_gnuplot()
  for i, data in ipairs {
    { values = {} }, { series = {} }, { values = { 0 / 0, 1 / 0, false } }, { values = { 5 } }, { values = { 0, 0 } },
    { values = { 1e-300, 1e299 } }, { values = { -1e300, 1e300 } }, { values = { 1, 2 }, errors = { 1 / 0, -1 } },
    { values = { 1, 2, 3 }, failed = { 1, 2, 3 } }, { x = { 7, 7 }, values = { 1, 2 } }, { points = {} },
    { points = { { id = "a", value = 1 }, { id = "b", value = 2 } }, changes = { { first_bad = "b", before = 1, after = 2 } } },
  } do
    for _, format in ipairs { "svg", "png" } do
      local ok, why = pcall(image, data, { format = format, reference = 1 })
      test.truthy(ok, i .. ": " .. tostring(why))
    end
  end
end)

test("what cannot be drawn is said", function()
  local data = { values = { 1, 2 } }
  test.raises("not a .png or .svg file: 'x.gif'", function() reg.report.plot(data, { file = "x.gif" }) end, "usage")
  test.raises("'inches' must be", function() reg.report.plot(data, { file = "x.svg", inches = { 9, 0 } }) end, "usage")
  local draw = 'reg.report.plot({ values = { 1 } }, { file = "x.svg" })'
  local run = reg.process.run { cmd = { "sh", "-c", 'PATH="$PWD/empty"; exec "$REGENGINE" -e "$0"', draw } }
  test.truthy(run.code == 1 and run.stderr:find("apt-get install gnuplot-nox", 1, true), run.stderr)
  test.truthy(not reg.fs.exists "x.svg")
  run = reg.process.run { cmd = { "sh", "-c", 'exec "$REGENGINE" --dry-run -e "$0"', draw } }
  test.truthy(run.ok and not reg.fs.exists "x.svg", run.stderr)
end)

return test.finish()
