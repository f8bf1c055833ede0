-- The script failed with an error of this kind, or was stopped: prints and stores the answers of finished series, and
-- cancels jobs on other machines, but for those of a script that was stopped, which the same command takes over.

local due = require "lib/report/due"

local cluster, stopped = core.cluster, (...) == "cancelled"
local size = cluster and cluster:size() or 0
if size > 0 then
  local jobs = string.format("%d %s on %s", size, size == 1 and "job" or "jobs", cluster.backend.name)
  if not stopped or core.at_terminal() and core.ask("\nCancel " .. jobs .. "? [y/N] "):find "^[yY]" then
    cluster:cancel()
  else
    reg.log.info("%s: not cancelled. The same command takes over; without one, jobs end after %s.", jobs,
      reg.time.words(cluster.orphan_s))
  end
end
local finished = due.take()
if #finished > 0 then reg.answer(table.unpack(finished)) end
