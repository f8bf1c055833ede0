-- The folders that reg.why writes for its user.

local HINT <const> = "Pass the path of a new folder."

--- Makes the folder that the option `name` gives. Raises usage for one that has anything in it.
return function(folder, name)
  if type(folder) ~= "string" or folder == "" then
    core.fail("usage", "why: " .. name .. " must be the path of a folder")
  end
  if reg.fs.exists(folder) then
    local ok, names = pcall(reg.fs.list, folder)
    if not ok and names.kind == "permission" then error(names, 0) end
    if not ok then core.fail("usage", "why: not a folder: '" .. folder .. "'", HINT) end
    if #names > 0 then core.fail("usage", "why: not an empty folder: '" .. folder .. "'", HINT) end
  end
  reg.fs.mkdir(folder)
end
