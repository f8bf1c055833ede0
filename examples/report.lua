#!/usr/bin/env regengine
--- Finds the change in a computed number and writes the answer to report.html,
--- for a browser.

local opt = reg.options { subjects = { "number of builds", type = "integer", default = 60, min = 2 } }

local names = {}
for i = 1, opt.subjects do names[i] = string.format("build %03d", i) end

local series = reg.sweep(names, {
  title = "builds", kind = "build", into = opt.store, metric = "frames/s", min_effect = 0.02,
  measure = function(name)
    local number = tonumber(name:match "%d+")
    return (number <= opt.subjects * 2 // 3 and 120 or 104) + number * 7 % 5 * 0.1
  end,
})
local code = reg.answer(series)
reg.fs.write("report.html", (reg.report.html(series.store, { investigation = series.investigation })))
print "report: report.html"
return code
