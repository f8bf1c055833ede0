-- The pins in a requirements.txt of pip: package==1.2.3, and git+https://host/owner/name@id.

local found = require "lib/pins/found"

return function(text)
  local pins = {}
  for i, line in ipairs(found.lines(text)) do
    line = line:gsub("^#.*", ""):gsub("%s#.*", "")
    local package = line:match "^%s*([%w._-]+)"
    local bare = line:gsub("^(%s*[%w._-]+)%s*%b[]", "%1")  -- without [extras]
    local version = bare:match "^%s*[%w._-]+%s*===?%s*([%w.+!-]+)"
    local url, revision = line:match "git%+([%w+]+://[^%s@#]*[^%s@#/]+)@([%w._/-]+)"
    if revision then
      local _, repository = found.repository(url)
      local egg = line:match "[#&]egg=([%w._-]+)" or bare:match "^%s*([%w._-]+)%s*@"
      if found.is_id(revision) or found.is_version(revision) then
        pins[#pins + 1] = { name = (egg or repository):lower(), value = revision, line = i, url = url,
          by_revision = true, aliases = { repository } }
      end
    elseif version then
      pins[#pins + 1] = { name = package:lower(), value = version, line = i }
    end
  end
  return pins
end
