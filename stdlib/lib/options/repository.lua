-- repository("xla=/src/xla"): the name and the path, or URL, of a repository. Without a name it is the last part of the
-- path.

local repository = {}

--- Whether it is an address that git clones from, such as https://host/name or git@host:name.
function repository.is_url(text) return text:match "^%a[%w+.-]*://" ~= nil or text:match "^[%w._-]+@[%w.-]+:" ~= nil end

return setmetatable(repository, { __call = function(_, text)
  local name, path = text:match "^([%w_.-]+)=(.+)$"
  if name then return name, path end
  name = text:gsub("/+$", ""):match "([^/]+)$" or "repo"
  return repository.is_url(text) and name:gsub("%.git$", "") or name, text
end })
