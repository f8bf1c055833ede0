-- The pins in any other text: the id of a commit after a key, as in a Dockerfile (ARG XLA_COMMIT=...), a shell script,
-- CMake (GIT_TAG ...), YAML or JSON; and in a Dockerfile versions.

local found = require "lib/pins/found"

local NEAR = 6  -- lines above an id that may say whose it is

-- The name and the URL of the repository that a line or those above it speak of.
local function nearby(lines, i)
  for at = i, math.max(1, i - NEAR), -1 do
    local url, repository = found.repository(lines[at])
    if url then return repository, url end
    local declared = lines[at]:match "FetchContent_Declare%s*%(%s*([%w_-]+)"
      or lines[at]:match "ExternalProject_Add%s*%(%s*([%w_-]+)"
    if declared then return declared:lower() end
    if at < i and not lines[at]:match "%S" then return nil end
  end
end

local function key_before(line, from) return line:sub(1, from - 1):match "([%w_.-]+)[^%w_]*$" end

--- The pins of a text; `versions`: also versions, which are not commit ids.
return function(text, versions)
  local pins, lines = {}, found.lines(text)
  for i, line in ipairs(lines) do
    for _, id in ipairs(found.ids(line)) do
      local key = key_before(line, id.from)
      local near, url = nearby(lines, i)
      local name = key and not found.repository(line) and found.name_in(key) or near
      if name then pins[#pins + 1] = { name = name, value = id.value, line = i, url = url, aliases = { near } } end
    end
    local key, version = line:match "^%s*%u+%s+([%w_]+_VERSION)[=%s]%s*[\"']?([%w.+-]+)"
    if versions and key and found.is_version(version) and found.name_in(key) then
      pins[#pins + 1] = { name = found.name_in(key), value = version, line = i }
    end
  end
  return pins
end
