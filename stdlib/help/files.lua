-- Files and folders of the workspace, in the folder that the path `part` names so far; a folder ends with "/".

return function(part)
  local folder = part:match "^.*/" or ""
  local ok, found = pcall(reg.fs.list, folder == "" and "." or folder)
  local names = {}
  for i, name in ipairs(ok and found or {}) do names[i] = folder .. name end
  return names
end
