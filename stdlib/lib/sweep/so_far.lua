-- What a search has found when it is stopped: by Ctrl-C, or by a failure.

local findings = require "lib/report/findings"
local series_of = require "lib/sweep/series"
local terminal = require "lib/report/terminal"

--- To be closed: prints the best answer so far of `search.session`, unless search.ended is set. `o`: the options of
--- the sweep.
return function(search, o)
  local began = core.seconds()
  return setmetatable({}, { __close = function()
    local session = search.session
    if search.ended or not session or #session.asked < 2 then return end
    local series = series_of(session, o)
    series.seconds, series.why = core.seconds() - began, series.why and "it was stopped"
    print "So far:"
    terminal(series, findings(series, {}))
  end })
end
