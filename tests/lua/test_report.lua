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

local function lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

test("records become a table with the columns asked for", function()
  local rows = { { night = "08-24", mlups = 587.9, extra = 1 }, { night = "08-25" } }
  local shown = lines(reg.report.table(rows, { columns = { "night", "mlups" } }))
  test.equal(shown[1], "night  mlups")
  test.equal(shown[3], "08-24  587.9")
  test.equal(shown[4], "08-25")
  test.equal(lines(reg.report.table(rows))[1], "extra  mlups  night")
end)

test("lists become rows in order, and what a cell holds is shown in words", function()
  local shown = lines(reg.report.table({ { "x", true, { 1, 2 } } }, { columns = { "a", "b", "c" } }))
  test.equal(shown[3], "x  true  1, 2")
end)

test("a series shows its subjects, failures and changes", function()
  local text = reg.report.table(series)
  local shown = lines(text)
  test.truthy(shown[1]:find("subject +mlups +status"), shown[1])
  test.truthy(shown[5]:find("build_failed +no rule to make target"), shown[5])
  test.truthy(shown[6]:find("08%-26 +558.00 +ok +temporary change %-7 %%"), shown[6])
  test.truthy(shown[7]:find("recovered"), shown[7])
end)

test("a series is plotted with its failed subject and both ends of the dip", function()
  local plot = reg.report.plot(series, { width = 60, height = 8 })
  test.equal(#lines(plot), 11)
  test.truthy(plot:find "^ *mlups\n", plot)
  test.truthy(plot:find("08-26", 1, true) or plot:find("08-27", 1, true), plot)
  test.truthy(plot:find("[x×]"), plot)
end)

test("plain values are plotted, with holes", function()
  local plot = reg.report.plot({ values = { 1, false, 3 }, labels = { "a", "b", "c" }, failed = { 2 },
    changes = { 3 } })
  test.truthy(plot:find("a", 1, true))
  test.equal(reg.report.plot { values = {} }, "(nothing to plot: no subject has a value)\n")
  test.raises("numbers of points, 1 to 1", function() reg.report.plot { values = { 1 }, changes = { 2 } } end, "usage")
  test.raises("neither 'points' nor 'values'", function() reg.report.plot {} end, "usage")
end)

test("several series have letters and a legend, and dates are a time axis", function()
  local plot = reg.report.plot({ labels = { "2024-03-01", "2024-03-02", "2024-03-11" }, series = {
    { name = "before", values = { 1, 1, 1 } }, { name = "after", values = { 2, 2, false }, failed = { 3 } } } },
      { width = 60 })
  local shown = lines(plot)
  test.truthy(shown[#shown]:find "A before   B after$", plot)
  test.truthy(plot:find "2024%-03%-01 .*2024%-03%-11" and plot:find "[x×]", plot)
  local columns = {}
  for _, line in ipairs(shown) do
    if line:find "A.*A.*A" then
      for at in line:gmatch "()A" do columns[#columns + 1] = utf8.len(line:sub(1, at)) end
    end
  end
  test.near((columns[2] - columns[1]) / (columns[3] - columns[1]), 0.1, 0.03, plot)
end)

test("dates may have hours and seconds; what only looks like one is a label", function()
  local function below(...)
    local all = lines(reg.report.plot({ labels = { ... }, values = { 1, 2 } }, { width = 70 }))
    return (all[#all]:gsub("^%s+", ""))
  end
  for wanted, labels in pairs {
    ["2024-03-08 +2024-03-09"] = { "2024-03-08 10:00", "2024-03-09T11Z" },
    ["2024-03-08 10:00 +2024-03-08 11:30"] = { "2024-03-08 10:00:05.5", "2024-03-08T11:30:00Z" },
    ["2024-03-08 +2024-13-09"] = { "2024-03-08", "2024-13-09" },
    ["2024-03-08 99:00 +2024-03-09"] = { "2024-03-08 99:00", "2024-03-09" },
    ["2024-03-09 +2024-03-08"] = { "2024-03-09", "2024-03-08" },
  } do
    local line = below(labels[1], labels[2])
    test.truthy(line:find("^" .. wanted:gsub("%-", "%%-") .. "$"), line .. " is not " .. wanted)
  end
end)

test("numbers on the x axis are round, where there are no labels", function()
  local plot = reg.report.plot({ x = { 3, 97, 51 }, values = { 1, 2, 3 } },
    { style = "scatter", width = 60, height = 6 })
  local shown = lines(plot)
  test.truthy(shown[#shown]:find "20 +40 +60 +80", plot)
end)

test("bars have their names and numbers, a title stands above, a reference is marked", function()
  local plot = reg.report.plot({ labels = { "alexnet", "bert" }, series = { { name = "old", values = { 1, 2 } },
    { name = "new", values = { 1.5, false } } } }, { style = "bar", title = "speedup", reference = 1, width = 60 })
  local shown = lines(plot)
  test.equal(#shown, 5, plot)
  test.truthy(shown[1]:find "^ +speedup$", plot)
  test.truthy(shown[2]:find "^alexnet +old .* 1$" and shown[3]:find " new .* 1%.5$" and shown[5]:find " new .* %- +[^ ]+$", plot)
  plot = reg.report.plot({ values = { -5, 0, 3 }, labels = { ("n"):rep(300), "\1", "c" } }, { style = "bar", width = 1 })
  test.truthy(plot:find "n%.%." and not plot:find "\1" and #lines(plot) == 3, plot)
  test.equal(reg.report.plot({ values = { 0 / 0 }, labels = { "a" } }, { style = "bar" }),
    "(nothing to plot: no subject has a value)\n")
end)

test("what is not a chart is refused at the caller's line", function()
  local function refused(words, data, options)
    local why = test.raises(words, function() reg.report.plot(data, options) end, "usage")
    test.truthy(tostring(why):find "report%.plot", tostring(why))
  end
  refused("did you mean 'values'", { values = { 1 }, vlaues = { 2 } })
  refused("did you mean 'title'", { values = { 1 } }, { titel = "x" })
  refused("not a valid style: 'pie'", { values = { 1 } }, { style = "pie" })
  refused("'reference' must be a number", { values = { 1 } }, { reference = "1" })
  refused("'reference' must be a number", { values = { 1 } }, { reference = 1 / 0 })
  refused("'x' must be a list", { values = { 1 }, x = 3 })
  refused("'labels' must be a list", { values = { 1 }, labels = "a" })
  refused("'title' must be a string", { values = { 1 } }, { title = {} })
  refused("'inches' must be", { values = { 1 } }, { inches = { 9, 0 } })
  refused("'inches' must be", { values = { 1 } }, { inches = { 9, 1 / 0 } })
  refused("series 1 must be", { series = { { name = "a" } } })
  refused("has no number for point 2", { values = { 1, 2 }, x = { 1, "b" } })
  refused("not a .png or .svg file: 'x.gif'", { values = { 1 } }, { file = "x.gif" })
  refused("standard output needs a format", { values = { 1 } }, { file = "-" })
  test.truthy(not reg.fs.exists "x.gif")
end)

test("csv is returned, and written where a path says", function()
  local text = reg.report.csv({ { a = 0.1, b = 'x,"y"' } }, "out.csv")
  test.equal(text, 'a,b\r\n0.1,"x,""y"""\r\n')
  test.equal(reg.fs.read("out.csv"), text)
  test.raises("Is a directory", function() reg.report.csv({}, ".") end, "io")
  test.truthy(reg.report.csv(series):find("08-26,558,ok,temporary change -7 %,", 1, true), reg.report.csv(series))
end)

test("rows that are no rows are refused", function()
  test.raises("row 1 must be a table", function() reg.report.table { 1 } end, "usage")
  test.raises("the list of rows or series must be a table", function() reg.report.table("x") end, "usage")
  test.raises("did you mean 'columns'", function() reg.report.table({}, { colums = {} }) end, "usage")
end)

return test.finish()
