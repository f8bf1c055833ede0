#!/usr/bin/env regengine
--- Sweeps over something other than commits: the speed of gzip at each of its
--- levels.

local opt = reg.options { megabytes = { "how much to compress", type = "integer", default = 4, min = 1 } }

reg.needs { process = "sh" }
local series = reg.sweep({ "1", "2", "3", "4", "5", "6", "7", "8", "9" }, {
  title = "levels", metric = "MB/s", min_effect = 0.2, into = opt.store,
  measure = function(level, trial)
    local run = trial:run { shell = "seq 1 999999 | head -c " .. opt.megabytes .. "M | gzip -" .. level .. " | wc -c" }
    return opt.megabytes / run.wall_s
  end,
})

return reg.answer(series)
