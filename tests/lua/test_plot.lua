-- Images of reg.report.plot, by the gnuplot of this machine. What is in them was looked at by people; here is what must
-- hold of them: format, size, what is written in them, and that no text of a script is ever a command.

local test = require "harness"

local HOSTILE = {
  [['; system("touch touched"); ']], [["; system("touch touched"); "]], "`touch touched`", "@ARG1", "%s %n %d %5000d",
  "a\nset output 'touched'\n",
  "{/Symbol a}_b^c", "\\", "\\n\\101", "'", '"', "$s1", "EOD", "]]>", "<script>alert(1)</script>", "&amp; &#x41; <b>",
  "|touch touched", "\27[2J\0\r", "\xff\xfe bad", string.rep("long ", 2000), "日本語 é", "--version", "#", "",
}

local function need_gnuplot()
  local ok = pcall(reg.process.run, { cmd = { "gnuplot", "--version" } })
  if not ok then
    if reg.process.run { shell = 'test "$REGENGINE_REQUIRE_REAL" = 1' }.ok then error "gnuplot is not installed" end
    test.skip "gnuplot is not installed (apt-get install gnuplot-nox)"
  end
end

local function read_size(png)
  test.equal(png:sub(1, 8), "\137PNG\r\n\26\n")
  return string.unpack(">I4", png, 17), (string.unpack(">I4", png, 21))
end

local function image(data, options)
  options.file = "plot." .. (options.format or "svg")
  local text = reg.report.plot(data, options)
  test.equal(text, reg.report.plot(data, { style = options.style, title = options.title,
    x_label = options.x_label, y_label = options.y_label, reference = options.reference }))
  return reg.fs.read(options.file)
end

-- The words in an SVG as a reader sees them.
local function words_of(svg)
  local words = {}
  for text in svg:gmatch "<text[^>]*>([^<]*)</text>" do
    words[#words + 1] = (text:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&apos;", "'"):gsub("&amp;",
      "&"))
  end
  return "\n" .. table.concat(words, "\n") .. "\n"
end

local sweep = {
  metric = "mlups", points = {}, changes = {
    { kind = "dip", first_bad = "2024-03-04", recovered_at = "2024-03-07", before = 600, before_low = 590,
      before_high = 610, after = 558 },
  },
}
for day = 1, 9 do
  sweep.points[day] = { id = "2024-03-0" .. day, value = day > 3 and day < 7 and 558 or 600, status = "ok" }
end
sweep.points[5] = { id = "2024-03-05", status = "build_failed", message = "no rule" }

local speedups = { labels = { "2024-03-01", "2024-03-02" }, series = {
  { name = "Inductor", values = { 1, 1.1 }, errors = { 0.1, false } },
    { name = "XLA+Dynamo", values = { false, 0.5 } } } }

test("a PNG has the size that was asked for, 200 dots an inch", function()
  need_gnuplot()
  test.equal({ read_size(image(speedups, { format = "png" })) }, { 1800, 1000 })
  test.equal({ read_size(image(speedups, { format = "png", inches = { 4, 3.5 } })) }, { 800, 700 })
  test.equal({ read_size(image(sweep, { format = "png" })) }, { 1800, 1000 })
  local many = { labels = {}, values = {} }
  for i = 1, 100 do many.labels[i], many.values[i] = "model " .. i, i end
  local width, height = read_size(image(many, { format = "png", style = "bar" }))
  test.truthy(width == 1800 and height > 3000, "bars take the height that they need: " .. height)
end)

test("an SVG holds the title, the series, the axes and their dates", function()
  need_gnuplot()
  local svg = image(speedups, { title = "Speedup\nA100", x_label = "Date", y_label = "times", reference = 1,
    inches = { 9, 6.75 } })
  test.truthy(svg:find('viewBox="0 0 900 675"', 1, true), svg:sub(1, 400))
  local words = words_of(svg)
  for _, word in ipairs { "Speedup", "A100", "Date", "times", "Inductor", "XLA+Dynamo", "0.5" } do
    test.truthy(words:find(word, 1, true), word .. " is not in" .. words)
  end
  test.truthy(words:find("2024-03-01", 1, true) and not words:find("failed", 1, true), words)
end)

test("a sweep's image has its changes in words, its levels and its failures", function()
  need_gnuplot()
  local words = words_of(image(sweep, { title = "nightly" }))
  for _, word in ipairs { "mlups", "level", "failed", "2024-03-04  -7 %", "2024-03-07  recovered" } do
    test.truthy(words:find(word, 1, true), word .. " is not in" .. words)
  end
end)

test("no text is a command, a format or markup, wherever it stands", function()
  need_gnuplot()
  for i, text in ipairs(HOSTILE) do
    local data = { labels = { text, "b" }, changes = { 2 }, series = {
      { name = text, values = { 1, 2 }, names = { text, text } },
        { name = text .. "2", values = { 2, 1 }, failed = { 1 } } } }
    for _, options in ipairs { { style = "line" }, { style = "bar" }, { style = "scatter", format = "png" } } do
      options.title, options.x_label, options.y_label = text, text, text
      local drawn = image(data, options)
      test.truthy(#drawn > 1000, i .. ": " .. text)
      test.truthy(options.format == "png" or not drawn:lower():find("<script", 1, true), i .. ": " .. text)
    end
    local of_sweep = { metric = text, points = { { id = text, value = 1 }, { id = text .. "2", value = 2 } },
      changes = { { first_bad = text .. "2", before = 1, after = 2 } } }
    test.truthy(#image(of_sweep, { title = text }) > 1000, i .. ": " .. text)
    test.truthy(not reg.fs.exists "touched", i .. ": " .. text)
  end
  local title = [['; system("touch x") `y` {/Symbol a}_1 <b> %s \n &amp; 055]]
  local words = words_of(image({ values = { 1, 2 }, labels = { "50% a_b", "c" } }, { title = title }))
  test.truthy(words:find(title, 1, true), words)
  test.truthy(words:find("50% a_b", 1, true), words)
end)

test("a file's name is no command either", function()
  need_gnuplot()
  local name = "a'; system(\"touch touched\") `touch touched` |x.svg"
  reg.report.plot({ values = { 1, 2 } }, { file = name })
  test.truthy(reg.fs.read(name):find "</svg>%s*$")
  test.truthy(not reg.fs.exists "touched")
end)

test("flat, empty, huge and lonely data have an image too", function()
  need_gnuplot()
  local all = {
    { values = {} }, { series = {} }, { values = { 0 / 0, 1 / 0, false } }, { values = { 5 } }, { values = { 0, 0 } },
    { values = { 1e-300, 1e299 } },
    { values = { -1e300, 1e300 } }, { values = { 1, 2 }, errors = { 1 / 0, -1 } },
    { values = { 1, 2, 3 }, failed = { 1, 2, 3 } }, { labels = { "2024-03-08", "2024-03-08" }, values = { 1, 2 } },
    { labels = { "2024-03-08 10:00", "2024-03-08 10:01" }, values = { 1, 2 } },
    { labels = { "1970-01-01", "2200-01-01" }, values = { 1, 2 } }, { labels = { "2024-03-08" }, values = { 1, 2 } },
    { x = { 7, 7 }, values = { 1, 2 } },
    { points = {} }, { points = { { id = "a", status = "timeout" } } },
    { points = { { id = "a", value = 1 } },
      changes = { { first_bad = "b", before = 1, after = 2 }, { first_bad = "a", before = 0, after = 2 } } },
  }
  for i, data in ipairs(all) do
    for _, style in ipairs { "line", "scatter", "bar" } do
      for _, format in ipairs { "svg", "png" } do
        local ok, why = pcall(image, data, { style = style, format = format, reference = 1 })
        test.truthy(ok, i .. " as " .. style .. ": " .. tostring(why))
      end
    end
  end
end)

reg.fs.write("draw.lua", [[
--- Draws.
local opt = reg.options { file = { "file", type = "output", default = "x.svg" } }
local text = reg.report.plot({ values = { 1, 2, 3 } }, { file = opt.file, format = "png" })
if opt.file ~= "-" then print(text) end
]])

-- The engine on draw.lua; `PATH` is emptied where there is to be no gnuplot.
local function draw(...)
  local words = { "sh", "-c", 'exec "$REGENGINE" "$@"', "sh", ... }
  return reg.process.run { cmd = words }
end

local function draw_without(...)
  reg.fs.mkdir "empty"
  local words = { "sh", "-c", 'PATH="$PWD/empty"; exec "$REGENGINE" "$@"', "sh", ... }
  return reg.process.run { cmd = words }
end

test("without gnuplot there is one line, the package that has it, and no file", function()
  local run = draw_without("draw.lua")
  test.truthy(run.code == 1, run.stdout .. run.stderr)
  test.truthy(run.stderr:find("gnuplot, which draws PNG and SVG, is not installed", 1, true), run.stderr)
  test.truthy(run.stderr:find("apt-get install gnuplot-nox", 1, true), run.stderr)
  test.equal(run.stdout, "")
  test.truthy(not reg.fs.exists "x.svg")
end)

test("a dry run draws no file, and the text all the same", function()
  local run = draw("draw.lua", "--dry-run")
  test.truthy(run.ok and #run.stdout > 100, run.stdout .. run.stderr)
  test.truthy(not reg.fs.exists "x.svg")
end)

test("- is standard output, and the bytes are gnuplot's", function()
  need_gnuplot()
  local run = draw("draw.lua", "--file=-")
  test.equal({ run.code, read_size(run.stdout) }, { 0, 1800, 1000 }, run.stderr)
  test.equal(run.stdout:sub(-8, -5), "IEND")
end)

return test.finish()
