-- The script failed with an error of this kind, or was stopped: prints and stores the answers of the series that it
-- finished before. And what becomes of its jobs on other machines.

local due = require "lib/report/due"

if core.cluster then core.cluster:leave((...) == "cancelled") end
local finished = due.take()
if #finished > 0 then reg.answer(table.unpack(finished)) end
