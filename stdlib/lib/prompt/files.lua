-- The paths in the folder that `part`, the beginning of a path, names; none if the folder cannot be read.

return function(part)
  local folder = part:match "^.*/" or ""
  local ok, found = pcall(reg.fs.list, folder == "" and "." or folder)
  local names = {}
  for i, name in ipairs(ok and found or {}) do names[i] = folder .. name end
  return names
end
