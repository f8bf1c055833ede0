-- repository("xla=/src/xla") or ("/src/xla"): the name and the path of a repository; without a name it is the path's last part.

return function(text)
  local name, path = text:match "^([%w_.-]+)=(.+)$"
  if name then return name, path end
  return text:gsub("/+$", ""):match "([^/]+)$" or "repo", text
end
