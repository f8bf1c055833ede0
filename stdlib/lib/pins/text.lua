-- The pins of one file, by the parser for its kind, and those that differ between two texts of it.

local assignments = require "lib/pins/assignments"
local found = require "lib/pins/found"
local requirements = require "lib/pins/requirements"
local starlark = require "lib/pins/starlark"

local text = {}

-- A file that holds a value and nothing else is called after what it pins: ci_commit_pins/xla.txt, XLA_COMMIT.
local function lone(path, content)
  local value = content:match "^%s*(%S+)%s*$"
  if not value or not (found.is_id(value) or found.is_version(value)) then return nil end
  local folder, file = path:match "^(.-)([^/]+)$"
  local name = found.name_in((file:gsub("^%.", ""))) or found.name_in(folder:match "([^/]+)/$" or "")
  return name and { { name = name, value = value, line = 1 } }
end

--- The pins in the content of a file.
function text.pins(path, content)
  local file = path:match "[^/]+$"
  if file:match "%.bzl$" or file:match "%.bazel$" or file:match "^WORKSPACE" or file:match "^BUILD" then
    return starlark(content)
  end
  if file:match "requirements" or file:match "constraints" then return requirements(content) end
  return lone(path, content) or assignments(content, file:match "Dockerfile" or file:match "Containerfile")
end

-- By name, the first of each.
local function by_name(pins)
  local all = {}
  for _, pin in ipairs(pins) do
    local name = found.plain(pin.name)
    all[name] = all[name] or pin
  end
  return all
end

--- The pins whose values differ, as text.pins has them for the new content, with `old` and `new` in place of `value`.
function text.changed(path, old, new)
  local before, changed, seen = by_name(text.pins(path, old)), {}, {}
  for _, pin in ipairs(text.pins(path, new)) do
    local name = found.plain(pin.name)
    local was = before[name]
    if was and was.value ~= pin.value and not seen[name] then
      seen[name] = true
      pin.old, pin.new, pin.value, pin.path = was.value, pin.value, nil, path
      changed[#changed + 1] = pin
    end
  end
  return changed
end

return text
