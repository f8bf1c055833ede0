-- The pins of one file, by the parser for its kind, and those that differ between two texts of it.

local found = require "lib/pins/found"
local map, merged = require("lib/values").map, require("lib/values").merged

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

-- The pins in any other text: the id of a commit after a key, as in a Dockerfile (ARG XLA_COMMIT=...), a shell script,
-- CMake (GIT_TAG ...), YAML or JSON; with `versions`, as in a Dockerfile, also versions, which are not commit ids.
local function assignments(text, versions)
  local pins, lines = {}, found.lines(text)
  for i, line in ipairs(lines) do
    for _, id in ipairs(found.ids(line)) do
      local key = line:sub(1, id.from - 1):match "([%w_.-]+)[^%w_]*$"
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

-- The pins in a requirements.txt of pip: package==1.2.3, and git+https://host/owner/name@id.
local function requirements(text)
  return map(found.lines(text), function(line, i)
    line = line:gsub("^#.*", ""):gsub("%s#.*", "")
    local package = line:match "^%s*([%w._-]+)"
    local bare = line:gsub("^(%s*[%w._-]+)%s*%b[]", "%1")  -- without [extras]
    local version = bare:match "^%s*[%w._-]+%s*===?%s*([%w.+!-]+)"
    local url, revision = line:match "git%+([%w+]+://[^%s@#]*[^%s@#/]+)@([%w._/-]+)"
    if not revision then return version and { name = package:lower(), value = version, line = i } or nil end
    if not found.is_id(revision) and not found.is_version(revision) then return nil end
    local _, repository = found.repository(url)
    local egg = line:match "[#&]egg=([%w._-]+)" or bare:match "^%s*([%w._-]+)%s*@"
    return { name = (egg or repository):lower(), value = revision, line = i, url = url, by_revision = true,
      aliases = { repository } }
  end)
end

-- The text without comments; each line stays where it is. A # in quotes begins none.
local function without_comments(text)
  return (text:gsub("[^\n]+", function(line)
    line = line:gsub("((['\"]).-%2)", function(quoted) return (quoted:gsub("#", "\0")) end):gsub("#.*", "")
    return (line:gsub("\0", "#"))
  end))
end

local function line_of(text, position) return select(2, text:sub(1, position - 1):gsub("\n", "")) + 1 end

-- The calls that have a name, the innermost ones: { called =, body =, from = }.
local function calls_of(text)
  local calls = {}
  for called, from, body in text:gmatch "([%w_.]+)%s*()(%b())" do
    if body:find "[^%w_]name%s*=" or body:find "module_name%s*=" then
      calls[#calls + 1] = { called = called, body = body, from = from }
    else
      for _, inner in ipairs(calls_of(body:sub(2, -2))) do
        inner.from = from + inner.from
        calls[#calls + 1] = inner
      end
    end
  end
  return calls
end

local function string_of(body, key) return body:match("%f[%w_]" .. key .. "%s*=%s*[\"']([^\"']*)[\"']") end

-- What a call says of the repository that it brings.
local function facts_of(call)
  local body = call.body
  local name = string_of(body, "module_name") or string_of(body, "name")
  local url, repository = found.repository(body)
  local of_module = call.called:match "_override$" or call.called == "bazel_dep"
  return { url = url, aliases = { name or repository, name and repository }, name = name or repository,
    checksum = body:find "%f[%w_]sha256%s*=" ~= nil or body:find "%f[%w_]integrity%s*=" ~= nil,
    bazel = name and (of_module and "--override_module=" or "--override_repository=") .. name or nil }
end

local function add(pins, facts, name, value, line)
  pins[#pins + 1] = merged(facts, { name = name, value = value, line = line })
end

-- The value itself, in the call: an id, or the version of a module or of the archive of a tag.
local function literal(call)
  for line, text in ipairs(found.lines(call.body)) do
    local id = found.ids(text)[1]
    if id then return id.value, line - 1 end
  end
  for line, text in ipairs(found.lines(call.body)) do
    local version = call.called == "bazel_dep" and string_of(text, "version")
      or text:match "/refs/tags/([%w.+-]-)%.tar%.gz" or text:match "/refs/tags/([%w.+-]-)%.zip"
    if version and found.is_version(version) then return version, line - 1 end
  end
end

-- The pins in WORKSPACE, MODULE.bazel and .bzl files: variables such as XLA_COMMIT, and calls such as http_archive.
local function starlark(text)
  text = without_comments(text)
  local pins, calls = {}, calls_of(text)
  for position, key, value in ("\n" .. text):gmatch "\n%s*()([%w_]+)%s*=%s*[\"']([%w.+-]+)[\"']" do
    local name = found.name_in(key)
    local known = #found.ids(key .. " " .. value) > 0
      or key:upper() == key and key:find "VERSION$" and found.is_version(value)
    if name and known then
      local facts = {}
      for _, call in ipairs(calls) do
        if call.body:find("%f[%w_]" .. key .. "%f[^%w_]") then facts = facts_of(call) end
      end
      add(pins, facts, name, value, line_of(text, position - 1))
    end
  end
  for _, call in ipairs(calls) do
    local value, below = literal(call)
    local facts = facts_of(call)
    if value and facts.name then add(pins, facts, nil, value, line_of(text, call.from) + below) end
  end
  return pins
end

local text = {}

-- A file that holds a value and nothing else is called after what it pins: ci_commit_pins/xla.txt, XLA_COMMIT.
local function lone(path, content)
  local value = content:match "^%s*(%S+)%s*$"
  if not value or not (found.is_id(value) or found.is_version(value)) then return nil end
  local folder, file = path:match "^(.-)([^/]+)$"
  local name = found.name_in((file:gsub("^%.", ""))) or found.name_in(folder:match "([^/]+)/$" or "")
  return name and { { name = name, value = value, line = 1 } }
end

local function pins_in(path, content)
  local file = path:match "[^/]+$"
  if file:match "%.bzl$" or file:match "%.bazel$" or file:match "^WORKSPACE" or file:match "^BUILD" then
    return starlark(content)
  end
  if file:match "requirements" or file:match "constraints" then return requirements(content) end
  return lone(path, content) or assignments(content, file:match "Dockerfile" or file:match "Containerfile")
end

--- The pins of a file whose values differ, as they are in the new content, with `old` and `new` in place of `value`.
function text.changed(path, old, new)
  local before = {}
  for _, pin in ipairs(pins_in(path, old)) do  -- of one name, the first counts
    local name = found.plain(pin.name)
    before[name] = before[name] or pin.value
  end
  return map(pins_in(path, new), function(pin)
    local name = found.plain(pin.name)
    local was = before[name]
    if not was or was == pin.value then return nil end
    before[name] = nil
    pin.old, pin.new, pin.value, pin.path = was, pin.value, nil, path
    return pin
  end)
end

return text
