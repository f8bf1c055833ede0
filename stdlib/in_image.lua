-- reg.in_image(words, image): those of the words "NAME=PATH" whose repositories are in an image; all of them if none
-- is, which Repos:check_image refuses. A dry run does not look: there, those with a path.

local repository = require "lib/options/repository"

return function(words, image)
  local inside = {}
  local found = not core.settings().dry_run and reg.container.commits(image)
  for _, word in ipairs(words) do
    local name, path = repository(word)
    if found and found[name] or not found and not repository.is_url(path) then inside[#inside + 1] = word end
  end
  return #inside > 0 and inside or words
end
