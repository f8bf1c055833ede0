-- reg.in_image: the repositories that are in an image. A dry run does not look; it takes those with a path.

local only = require("lib/values").only
local values = require "lib/options/values"

--- Those of the words whose repositories are in an image, by their names; all of them if none is. The others may be
--- dependencies for reg.descend. A dry run does not look into the image. Raises as reg.container.commits does.
--- ```lua
--- local words = reg.in_image({ "jax=/src/jax", "xla=https://github.com/openxla/xla" }, "ghcr.io/nvidia/jax:latest")
--- ```
---@param words string[] "NAME=PATH" or "NAME=URL"
---@param image string
---@return string[] inside
return function(words, image)
  local found = not core.settings().dry_run and reg.container.commits(image)
  local inside = only(words, function(word)
    local name, path = values.repository(word)
    return found and found[name] or not found and not values.is_url(path)
  end)
  return #inside > 0 and inside or words
end
