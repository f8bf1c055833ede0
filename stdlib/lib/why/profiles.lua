-- Reports of Nsight Systems, one of each end, to be opened side by side.

local command = require "lib/why/command"
local placed = require "lib/why/placed"

local profiles = {}

--- Raises what keeps nsys from running both ends.
function profiles.check(both)
  for _, one in ipairs(both) do
    if one.call.image then
      core.fail("usage", "why: nsys profiles commands on this machine, and " .. one.name .. " runs in a container",
        "Leave it out; the kernels are compared without it.")
    end
  end
  local status = reg.nsys.status()
  if not status.ok then core.fail("unavailable", "why: " .. status.message, status.hint) end
end

--- Runs each end once under nsys. Returns the paths of both reports, or nil and why there are not two.
function profiles.write(folder, both)
  local reports = {}
  for _, one in ipairs(both) do
    local call = command.call(one)
    if one.build then placed.build(one.build(one.parts), one.name) end
    call.output = reg.fs.absolute(folder .. "/" .. one.name)
    local ok, run = pcall(reg.nsys.profile, call)
    if not ok and (type(run) ~= "table" or run.kind ~= "failed_trial") then error(run, 0) end
    if not ok then return nil, run.message end
    if not run.ok then return nil, string.format("%s failed under nsys with exit code %d", one.name, run.code) end
    table.insert(reports, folder .. "/" .. one.name .. run.report:match "%.[^./]+$")
  end
  return reports
end

return profiles
