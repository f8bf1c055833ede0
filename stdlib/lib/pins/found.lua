-- The pins that a commit changes, of submodules and in files, each by the parser for its kind.
-- A pin is { name =, value =, line = } with, where it is known, `url` of the repository, `aliases`, other names of it,
-- `checksum`, true where another text would not pass the check of an archive, and `bazel`, the option of the build that
-- replaces it, such as "--override_repository=xla". `by_revision`: the value may be any revision of the repository.

local values = require "lib/values"

local find, map, merged, plain_name = values.find, values.map, values.merged, values.plain_name

local found = {}

-- What a word before an id says of a number that is none of a commit.
local NO_COMMIT = { "md5", "sha1sum", "sha256", "sha512", "checksum", "integrity", "digest", "crc", "uuid", "etag",
  "fingerprint" }

-- Words that say what a value is, and not whose it is.
local PLAIN = values.words [[commit rev revision sha sha1 ref tag hash id version git url urls strip prefix archive
  remote pin pins pinned source src branch head release ci txt the]]

function found.lines(text)
  return values.matches(text:gsub("\r", "") .. "\n", "(.-)\n")
end

--- Whether a text is the id of a commit: 40 hex digits, or 12 or more that are not one number.
function found.is_id(text)
  return text:match "^%x+$" ~= nil and (#text == 40 or #text >= 12 and #text < 40 and text:match "%a" ~= nil
    and text:match "%d" ~= nil)
end

-- Whether a text is a version such as 1.2.3, v0.4 or 2024.1rc1.
local function is_version(text) return text:match "^v?%d+%.%d[%w.+-]*$" ~= nil end

-- The ids of commits in a line, in their order, each { value =, from = }.
local function ids(line)
  local list = {}
  for from, value in line:gmatch "%f[%w]()(%x+)%f[^%w]" do
    local before = line:sub(1, from - 1)
    local word = (before:match "([%w_.-]+)[^%w_]*$" or ""):lower()
    local is_other = find(NO_COMMIT, function(other) return word:find(other, 1, true) end)
      or before:match "%x%x%x%x%-$"  -- the end of a UUID
    if found.is_id(value) and not is_other then list[#list + 1] = { value = value, from = from } end
  end
  return list
end

-- What a key such as XLA_COMMIT or xla-git-rev is of: "xla"; nil if it does not say.
local function name_in(key)
  local parts = values.matches(key:lower(), "[^_%s.-]+")
  while #parts > 0 and PLAIN[parts[#parts]] do parts[#parts] = nil end
  while #parts > 0 and PLAIN[parts[1]] do table.remove(parts, 1) end
  return #parts > 0 and table.concat(parts, "_") or nil
end

-- The repository that an address of a text leads to, as its URL and its name; nil if the text has none.
local function repository_of(text)
  for address in text:gmatch "[%w.-]+%.%w+/[%w._~-]+/[%w._~-]+" do
    local host, owner, name = address:match "^([^/]+)/([^/]+)/([^/]+)$"
    -- In the address of a mirror, the host comes later.
    if host:match "^git[%w-]*%." or host:match "^bitbucket%." or host:match "%.googlesource%." then
      name = name:gsub("%.git$", "")
      return "https://" .. host .. "/" .. owner .. "/" .. name, name
    end
  end
  local url = text:match "([%w+]+://[^%s\"'@#]+)" or text:match "(git@[^%s\"'#]+)"
  return url, url and url:gsub("/+$", ""):match "([^/:]+)$":gsub("%.git$", "") or nil
end

--- The value of a pin, a commit as its first ten digits.
function found.short(value) return found.is_id(value) and value:sub(1, 10) or value end

--- A pin that was bumped: "xla 1111111111..2222222222 (third_party/xla/workspace.bzl:5)".
function found.shown(pin)
  return string.format("%s %s..%s (%s%s)", pin.name, found.short(pin.old), found.short(pin.new), pin.path,
    pin.line and ":" .. pin.line or "")
end

--- How projects name the tags of a version, those that most do first. `names`: of the project.
function found.tags(version, names)
  local bare = version:gsub("^v", "")
  local tags = { "v" .. bare, bare, "release-" .. bare, "release/" .. bare, "rel-" .. bare }
  for _, name in ipairs(names) do
    for _, form in ipairs { "%s-%s", "%s-v%s", "%s_%s", "%s/%s" } do tags[#tags + 1] = form:format(name, bare) end
  end
  return tags
end

local NEAR = 6  -- lines above an id that may say whose it is

-- The name and the URL of the repository that a line or those above it speak of.
local function nearby(lines, i)
  for at = i, math.max(1, i - NEAR), -1 do
    local url, repository = repository_of(lines[at])
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
    for _, id in ipairs(ids(line)) do
      local key = line:sub(1, id.from - 1):match "([%w_.-]+)[^%w_]*$"
      local near, url = nearby(lines, i)
      local name = key and not repository_of(line) and name_in(key) or near
      if name then pins[#pins + 1] = { name = name, value = id.value, line = i, url = url, aliases = { near } } end
    end
    local key, version = line:match "^%s*%u+%s+([%w_]+_VERSION)[=%s]%s*[\"']?([%w.+-]+)"
    if versions and key and is_version(version) and name_in(key) then
      pins[#pins + 1] = { name = name_in(key), value = version, line = i }
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
    if not found.is_id(revision) and not is_version(revision) then return nil end
    local _, repository = repository_of(url)
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
  local url, repository = repository_of(body)
  local of_module = call.called:match "_override$" or call.called == "bazel_dep"
  return { url = url, aliases = { name or repository, name and repository }, name = name or repository,
    checksum = body:find "%f[%w_]sha256%s*=" ~= nil or body:find "%f[%w_]integrity%s*=" ~= nil,
    bazel = name and (of_module and "--override_module=" or "--override_repository=") .. name or nil }
end

-- The value itself, in the call: an id, or the version of a module or of the archive of a tag.
local function literal(call)
  for line, text in ipairs(found.lines(call.body)) do
    local id = ids(text)[1]
    if id then return id.value, line - 1 end
  end
  for line, text in ipairs(found.lines(call.body)) do
    local version = call.called == "bazel_dep" and string_of(text, "version")
      or text:match "/refs/tags/([%w.+-]-)%.tar%.gz" or text:match "/refs/tags/([%w.+-]-)%.zip"
    if version and is_version(version) then return version, line - 1 end
  end
end

-- The pins in WORKSPACE, MODULE.bazel and .bzl files: variables such as XLA_COMMIT, and calls such as http_archive.
local function starlark(text)
  text = without_comments(text)
  local pins, calls = {}, calls_of(text)
  for position, key, value in ("\n" .. text):gmatch "\n%s*()([%w_]+)%s*=%s*[\"']([%w.+-]+)[\"']" do
    local name = name_in(key)
    local known = #ids(key .. " " .. value) > 0
      or key:upper() == key and key:find "VERSION$" and is_version(value)
    if name and known then
      local facts = {}
      for _, call in ipairs(calls) do
        if call.body:find("%f[%w_]" .. key .. "%f[^%w_]") then facts = facts_of(call) end
      end
      pins[#pins + 1] = merged(facts, { name = name, value = value, line = line_of(text, position - 1) })
    end
  end
  for _, call in ipairs(calls) do
    local value, below = literal(call)
    local facts = facts_of(call)
    if value and facts.name then
      pins[#pins + 1] = merged(facts, { value = value, line = line_of(text, call.from) + below })
    end
  end
  return pins
end

-- A file that holds a value and nothing else is called after what it pins: ci_commit_pins/xla.txt, XLA_COMMIT.
local function lone(path, content)
  local value = content:match "^%s*(%S+)%s*$"
  if not value or not (found.is_id(value) or is_version(value)) then return nil end
  local folder, file = path:match "^(.-)([^/]+)$"
  local name = name_in((file:gsub("^%.", ""))) or name_in(folder:match "([^/]+)/$" or "")
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

-- The pins of a file whose values differ, as they are in the new content, with `old` and `new` in place of `value`.
local function changed(path, old, new)
  local before = {}
  for _, pin in ipairs(pins_in(path, old)) do  -- of one name, the first counts
    local name = plain_name(pin.name)
    before[name] = before[name] or pin.value
  end
  return map(pins_in(path, new), function(pin)
    local name = plain_name(pin.name)
    local was = before[name]
    if not was or was == pin.value then return nil end
    before[name] = nil
    pin.old, pin.new, pin.value, pin.path = was, pin.value, nil, path
    return pin
  end)
end

local LONGEST = 2000  -- changed lines of a file that is looked into

-- The address of a submodule: one that begins with ./ or ../ is relative to that of the superproject, or to its path.
-- `url`: from .gitmodules. nil if it leads out of the superproject's address. A password in that is left out.
local function submodule_url(repo, url)
  if not url:match "^%.%.?/" then return url end
  local address = core.remote_url(repo):gsub("/+$", ""):gsub("^(%a[%w+.-]*://)[^/@]*:[^/@]*@", "%1")
  while address do
    if url:match "^%.%./" then
      -- Without the last part. That of host:path ends at the colon.
      address, url = address:match "^(.*)/[^/]*$" or address:match "^(.*:)[^:]*$", url:sub(4)
    elseif url:match "^%./" then
      url = url:sub(3)
    else
      url = url:gsub("/+$", "")
      return address .. (address:match ":$" and "" or "/") .. url
    end
  end
end

-- The URL of the submodule at a path, as .gitmodules has it.
local function url_of(modules, path)
  local url, here
  for _, line in ipairs(found.lines(modules)) do
    if line:match "^%s*%[" then url, here = nil, false end
    url = line:match "^%s*url%s*=%s*(.-)%s*$" or url
    here = here or line:match "^%s*path%s*=%s*(.-)%s*$" == path
    if here and url then return url end
  end
end

local function of_submodule(repo, commit, file)
  local url = url_of(repo:read(commit, ".gitmodules") or "", file.path)
  url = url and submodule_url(repo, url)
  return { name = file.path:match "[^/]+$", path = file.path, old = file.old_commit, new = file.new_commit,
    submodule = true, url = url, aliases = { file.path, select(2, repository_of(url or "")) } }
end

-- Whether a line of the new text that the old one lacks has something like a version or the id of a commit.
local function may_pin(old, new)
  local lines = values.set(values.matches(old, "[^\n]+"))
  return find(values.matches(new, "[^\n]+"), function(line)
    return not lines[line] and (line:find "%d%.%d" or line:find(("%x"):rep(12)))
  end)
end

--- The pins that the commit of a repository changes, a list in the order of the files: { name =, path =, old =, new = }
--- with the fields above, and `submodule`, true for one.
function found.of_commit(repo, commit)
  return values.flat(repo:files(commit), function(file)
    if file.old_commit and file.new_commit then return { of_submodule(repo, commit, file) } end
    local may_bump = file.status == "modified" and not file.binary and file.insertions > 0 and file.deletions > 0
      and file.insertions + file.deletions <= LONGEST
    if not may_bump then return {} end
    local old, new = repo:read(repo:resolve(commit).parents[1], file.path), repo:read(commit, file.path)
    return may_pin(old, new) and changed(file.path, old, new) or {}
  end)
end

return found
