-- Numbers that are measured of a command and need no pattern: --metric @wall. `of(run)`: from what reg.process.run or
-- reg.container.run gives; nil if it is not measured there.

return {
  ["@wall"] = { name = "wall time", unit = "s", of = function(run) return run.wall_s end },
  ["@cpu"] = { name = "CPU time", unit = "s", of = function(run) return run.user_s and run.user_s + run.sys_s end },
  ["@peak_memory"] = { name = "peak memory", unit = "bytes", of = function(run) return run.peak_bytes end },
}
