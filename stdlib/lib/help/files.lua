-- The paths of what lies in the folder that `part`, a path's beginning, names so far; none where it may not be read.

return function(part)
  local folder = part:match "^.*/" or ""
  local ok, found = pcall(reg.fs.list, folder == "" and "." or folder)
  local names = {}
  for i, name in ipairs(ok and found or {}) do names[i] = folder .. name end
  return names
end
