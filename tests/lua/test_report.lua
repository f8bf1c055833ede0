local test = require "harness"

local series = {
  metric = "mlups",
  points = {
    { id = "a1", label = "08-23", value = 600, status = "ok" },
    { id = "a2", label = "08-24", value = 601.5, status = "ok" },
    { id = "a3", label = "08-25", status = "build_failed", message = "no rule to make target" },
    { id = "a4", label = "08-26", value = 558, status = "ok" },
    { id = "a5", label = "08-27", value = 600.25, status = "ok" },
  },
  changes = { { kind = "dip", last_good = "a2", first_bad = "a4", recovered_at = "a5", before = 600, after = 558 } },
}

test("a series shows its subjects, failures and changes", function()
  local shown = test.lines(reg.report.table(series))
  test.truthy(shown[1]:find("subject +mlups +status"), shown[1])
  test.truthy(shown[5]:find("build_failed +no rule to make target"), shown[5])
  test.truthy(shown[6]:find("08%-26 +558.00 +ok +temporary change %-7 %%"), shown[6])
  test.truthy(shown[7]:find("recovered"), shown[7])
end)

reg.fs.write("drawn.lua", [[
local rows = { { night = "2023-08-24", mlups = 587.9, runs = 3 }, { night = "x", mlups = 12.25, runs = 12 }, { night = "y" } }
print(reg.report.table(rows))
print(reg.report.table(rows, { columns = { "night", "runs" } }))
print(reg.report.table { { 1.5, 1e-9, true, { 1, "b" }, "日本" }, { 2, 1e20, "none", {}, "two\nlines\27[2J" } })
print(reg.report.table({ { what = ("w"):rep(100), value = 123456.0 }, { what = "short", value = 1.0 } }, { width = 30 }))
local narrow = { columns = { "a", "b", "c" }, width = 8, least = "a" }
print(reg.report.table({ { a = 1, b = 2, c = "long words" } }, narrow))
print(reg.report.csv { { ["=id"] = "@sum(a1)", note = "a=b" }, { ["=id"] = "-x", note = '="a"' }, { note = 0.1 + 0.2 } })
local days = { metric = "MLUPS", points = {}, changes = { { first_bad = "d13", before = 600.5, after = 549.5 } } }
for i = 1, 20 do
  days.points[i] = { id = "d" .. i, label = "08-" .. 10 + i, value = i > 12 and 550 - i % 2 or 600 + i % 2,
    status = i == 5 and "timeout" or "ok" }
end
print(reg.report.plot(days, { width = 60, height = 4, x_label = "night" }))
print(reg.report.plot({ x = { 0, 10 }, series = { { name = "Inductor, compiled", values = { 1, 1 } },
  { name = "XLA", values = { 2, 3 } } } }, { width = 24, height = 5, reference = 1.5 }))
local squares = { values = {}, failed = { 3 } }
for i = 1, 40 do squares.values[i] = i * i end
local series = { squares, { values = { -5, 0, 3 } } }
print(reg.report.plot({ series = series }, { width = 60, height = 4 }))
print(reg.report.plot({ values = { 5 } }, { width = 1, height = 1, reference = 1e9 }))
print(reg.report.plot({ values = { 0 / 0, 1 / 0 } }, { title = "none" }))
]])

-- What it prints: tables and CSV; levels and a change, letters of a dense line that keep a distance, bars, a single point.
local TABLES = [[
 mlups  night       runs
──────  ──────────  ────
587.90  2023-08-24     3
 12.25  x             12
        y

night       runs
──────────  ────
2023-08-24     3
x             12
y

  1      2  3     4         5
───  ─────  ────  ────────  ────────────────
1.5  1e-09  true  1, b      日本
2.0  1e+20  none  table: 1  two lines\x1b[2J

 value  what
──────  ──────────────────────
123456  wwwwwwwwwwwwwwwwwwwww…
     1  short

a  b
─  ─
1  2

"'=id",note
"'@sum(a1)",a=b
-x,"'=""a"""
,0.30000000000000004

]]
local PLOTS = { C = [[
MLUPS
600 +o**o**o**o****o**o**o**o**o*o**o**
    |                                 |
    |                                 |
550 +                                 *o**o**o**o*o**o**o**o
    +-----------x---------------------+---------------------
     08-11       08-16               08-23             08-30
                              night

3 +                    B
  |
2 +B
  |.....................
1 +A                   A
  +---------------------
   0   2   4   6   8  10
   A Inductor, compiled
   B XLA

     |                                                 AA AA
1000 +                                      AA AAA AA A
     |                      AAA AA AAA AAA A
   0 +BB BAA AA AAA AAA AAA
     +---x--------------------------------------------------
           5     10     15     20     25    30     35     40
      A series 1   B series 2

1e+09 +.................
5e+08 +
      |        *
      +-----------------
               1

                  none
(nothing to plot: no subject has a value)

]], ["C.UTF-8"] = [[
MLUPS
600 ┤•⠉⠉•⠉•⠉⠉•⠉⠉⠉⠉⠉•⠉⠉•⠉⠉•⠉⠉•⠉⠉•⠉•⠉⠉•⠉⠁
    │                                 │
    │                                 │
550 ┤                                 ⣀•⣀⣀•⣀⣀•⣀⣀•⣀⣀•⣀⣀•⣀•⣀⣀•
    └───────────×─────────────────────┴─────────────────────
     08-11       08-16               08-23             08-30
                              night

3 ┤             ⢀⣀⡠⠤⠔⠒⠊B
  │     ⢀⣀⡠⠤⠔⠒⠊⠉⠁
2 ┤B⠔⠒⠊⠉⠁
  │┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
1 ┤A⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀A
  └─────────────────────
   0   2   4   6   8  10
   A Inductor, compiled
   B XLA

     │                                               ⢀⣀A⠔⠒⠒A
1000 ┤                                      ⣀⣀⣀A⠒⠒⠒A⠉⠁
     │                         ⢀⣀⣀⡠A⠤⠤⠔A⠒⠊⠉A
   0 ┤B⣀⣀⣀A⣀⣀⣀A⠤⠤⠤A⠤⠤⠤A⠒⠒⠒A⠊⠉⠉A⠁
     └───×──────────────────────────────────────────────────
           5     10     15     20     25    30     35     40
      A series 1   B series 2

1e+09 ┤┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
5e+08 ┤
      │        ⢀
      └─────────────────
               1

                  none
(nothing to plot: no subject has a value)

]] }

for locale, wanted in pairs(PLOTS) do
  test("tables and plots in the locale " .. locale, function()
    local run = reg.process.run { shell = '"$REGENGINE" drawn.lua', env = { LC_ALL = locale } }
    local tables = locale == "C" and TABLES:gsub("─", "-"):gsub("…", "~") or TABLES
    test.equal((run.stdout:gsub("\r", "")), tables .. wanted, run.stderr)
  end)
end

test("invalid rows and invalid charts are refused", function()
  test.refuses("usage", reg.report.table, { { "row 1 must be a table", { 1 } },
    { "the list of rows or series must be a table", "x" }, { "did you mean 'columns'", {}, { colums = {} } } })
  test.refuses("usage", reg.report.plot, { { "did you mean 'values'", { values = { 1 }, vlaues = { 2 } } },
    { "did you mean 'title'", { values = { 1 } }, { titel = "x" } }, { "report.plot: 'x' must be a list", { values = { 1 }, x = 3 } },
    { "'reference' must be a number", { values = { 1 } }, { reference = "1" } }, { "neither 'points' nor 'values'", {} },
    { "'reference' must be a number", { values = { 1 } }, { reference = 1 / 0 } },
    { "'labels' must be a list", { values = { 1 }, labels = "a" } }, { "'title' must be a string", { values = { 1 } }, { title = {} } },
    { "numbers of points, 1 to 1", { values = { 1 }, changes = { 2 } } }, { "series 1 must be", { series = { { name = "a" } } } },
    { "'width' must be an integer", { values = { 1 } }, { width = "1" } },
    { "has no number for point 2", { values = { 1, 2 }, x = { 1, "b" } } } })
end)

test("csv is returned, and written where a path says", function()
  local text = reg.report.csv({ { a = 0.1, b = 'x,"y"' } }, "out.csv")
  test.equal(text, 'a,b\r\n0.1,"x,""y"""\r\n')
  test.equal(reg.fs.read("out.csv"), text)
  test.raises("Is a directory", function() reg.report.csv({}, ".") end, "io")
  test.has(reg.report.csv(series), "08-26,558,ok,temporary change -7 %,")
end)

return test.finish()
