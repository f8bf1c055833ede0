-- repository("xla=/src/xla"): the name and the path of a repository. Without a name it is the last part of the path.

return function(text)
  local name, path = text:match "^([%w_.-]+)=(.+)$"
  if name then return name, path end
  return text:gsub("/+$", ""):match "([^/]+)$" or "repo", text
end
