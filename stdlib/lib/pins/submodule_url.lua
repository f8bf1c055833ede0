-- The address of a submodule, as `git submodule` resolves it: one that begins with ./ or ../ is relative to the address
-- that the superproject came from, or to its path if it came from nowhere.

-- Without the last part. That of host:path ends at the colon.
local function above(address)
  return address:match "^(.*)/[^/]*$" or address:match "^(.*:)[^:]*$"
end

--- `url`: from .gitmodules. nil if it leads out of the superproject's address. A password in that is left out.
return function(repo, url)
  if not url:match "^%.%.?/" then return url end
  local address = core.remote_url(repo):gsub("/+$", ""):gsub("^(%a[%w+.-]*://)[^/@]*:[^/@]*@", "%1")
  while address do
    if url:match "^%.%./" then
      address, url = above(address), url:sub(4)
    elseif url:match "^%./" then
      url = url:sub(3)
    else
      url = url:gsub("/+$", "")
      return address .. (address:match ":$" and "" or "/") .. url
    end
  end
end
