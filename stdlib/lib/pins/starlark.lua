-- The pins in WORKSPACE, MODULE.bazel and .bzl files: variables such as XLA_COMMIT, and what calls such as http_archive
-- and git_override hold.

local found = require "lib/pins/found"

-- The text without comments; each line stays where it is.
local function without_comments(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local quoted, at = nil, nil
    for i = 1, #line do
      local char = line:sub(i, i)
      if quoted then
        if char == quoted then quoted = nil end
      elseif char == '"' or char == "'" then
        quoted = char
      elseif char == "#" then
        at = i
        break
      end
    end
    lines[#lines + 1] = at and line:sub(1, at - 1) or line
  end
  return table.concat(lines, "\n")
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
  local aliases = { name }
  aliases[#aliases + 1] = repository
  return { url = url, aliases = aliases, name = name or repository,
    checksum = body:find "%f[%w_]sha256%s*=" ~= nil or body:find "%f[%w_]integrity%s*=" ~= nil,
    bazel = name and (of_module and "--override_module=" or "--override_repository=") .. name or nil }
end

local function add(pins, facts, name, value, line)
  pins[#pins + 1] = { name = name or facts.name, value = value, line = line, url = facts.url, aliases = facts.aliases,
    checksum = facts.checksum, bazel = facts.bazel }
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

--- The pins of a text.
return function(text)
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
