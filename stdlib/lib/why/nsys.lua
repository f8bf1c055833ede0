-- A report of Nsight Systems of each end, in a folder that the user names, to be opened side by side.

local command = require "lib/why/command"

local nsys = {}

local HINT <const> = "Pass the path of a new folder."

--- Makes the folder. Raises usage for one that has anything in it.
function nsys.make(folder)
  if type(folder) ~= "string" or folder == "" then core.fail("usage", "why: nsys must be the path of a folder") end
  if reg.fs.exists(folder) then
    local ok, names = pcall(reg.fs.list, folder)
    if not ok and names.kind == "permission" then error(names, 0) end
    if not ok then core.fail("usage", "why: not a folder: '" .. folder .. "'", HINT) end
    if #names > 0 then core.fail("usage", "why: not an empty folder: '" .. folder .. "'", HINT) end
  end
  reg.fs.mkdir(folder)
end

--- Raises what keeps nsys from running both ends.
function nsys.check(both)
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
function nsys.profile(folder, both)
  local reports = {}
  for _, one in ipairs(both) do
    local call = command.call(one)
    command.build(one)
    call.output = reg.fs.absolute(folder .. "/" .. one.name)
    local ok, run = pcall(reg.nsys.profile, call)
    if not ok and (type(run) ~= "table" or run.kind ~= "failed_trial") then error(run, 0) end
    if not ok then return nil, run.message end
    if not run.ok then return nil, string.format("%s failed under nsys with exit code %d", one.name, run.code) end
    table.insert(reports, folder .. "/" .. one.name .. run.report:match "%.[^./]+$")
  end
  return reports
end

return nsys
