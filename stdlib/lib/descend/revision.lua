-- The commit of a repository that the value of a pin means: the id of a commit, or a version, of which a tag tells.

local found = require "lib/pins/found"

-- How projects name the tags of their versions.
local function tags_of(version, names)
  local bare = version:gsub("^v", "")
  local tags = { "v" .. bare, bare, "release-" .. bare, "release/" .. bare, "rel-" .. bare }
  for _, name in ipairs(names) do
    for _, form in ipairs { "%s-%s", "%s-v%s", "%s_%s", "%s/%s" } do tags[#tags + 1] = form:format(name, bare) end
  end
  return tags
end

local function by_tag(repo, pin, version)
  local names, there = { pin.name, table.unpack(pin.aliases or {}) }, {}
  for _, tag in ipairs(repo:tags()) do there[tag] = true end
  local tried = tags_of(version, names)
  for _, tag in ipairs(tried) do
    if there[tag] then return repo:resolve("refs/tags/" .. tag) end
  end
  core.fail("not_found", string.format("no tag of %s fits the version %s: tried %s ... (%s)", pin.name, version,
    table.concat(tried, ", ", 1, 3), repo.path), string.format("Fetch its tags, or make one: git -C %s tag v%s COMMIT",
    core.shell_words { repo.path }, version))
end

--- The commit that the value of a pin means in its repository. Raises not_found.
return function(repo, pin, value)
  if not found.is_id(value) then return by_tag(repo, pin, value) end
  return repo:find(value) or core.fail("not_found",
    string.format("no commit %s in %s, which is given for %s", value:sub(1, 12), repo.path, pin.name),
    string.format("Fetch it: git -C %s fetch; or pass another --repo %s=PATH.", core.shell_words { repo.path },
      pin.name))
end
