-- Draws charts as PNG and SVG with gnuplot, if it is installed. gnuplot reads one script from standard input, without
-- the user's settings, and writes the image to standard output: it gets no file name, and no text that it would
-- interpret.

local Script = require "lib/report/plot/gnuplot_script"
local bars = require "lib/report/plot/gnuplot_bars"
local lines = require "lib/report/plot/gnuplot_lines"

local HINT = "Run apt-get install gnuplot-nox, or omit the file to plot in the terminal."

local COMPLETE = {
  png = function(image) return image:sub(1, 8) == "\137PNG\r\n\26\n" and image:sub(-8, -5) == "IEND" end,
  svg = function(image) return image:find("<svg", 1, true) and image:find "</svg>%s*$" end,
}

local function script(chart, o)
  local s = Script.new()
  s:page(o)
  local draw = o.style == "bar" and bars or lines
  draw(s, chart, o)
  return table.concat(s, "\n") .. "\n"
end

--- The chart as the bytes of an image; nil in a dry run. Raises unavailable without gnuplot.
return function(chart, o)
  local ok, run = pcall(reg.process.run, { cmd = { "gnuplot", "-d", "-" }, stdin = script(chart, o),
    keep_bytes = 256 << 20 })
  if not ok then
    if type(run) == "table" and run.kind == "not_found" then
      core.fail("unavailable", "report.plot: gnuplot, which draws PNG and SVG, is not installed", HINT)
    end
    error(run, 0)
  end
  if run.dry then return nil end
  if not run.ok or not COMPLETE[o.format](run.stdout) then
    core.fail("unavailable", "report.plot: gnuplot failed to draw a " .. o.format:upper() .. ": "
      .. (run.stderr:match "[^\n]*%S[^\n]*" or "exit code " .. run.code), HINT)
  end
  return run.stdout
end
