-- The pins that a commit changes, of submodules and in files, and what the parsers of files (lib/pins/text) share.
-- A pin is { name =, value =, line = } with, where it is known, `url` of the repository, `aliases`, other names of it,
-- `checksum`, true where another text would not pass the check of an archive, and `bazel`, the option of the build that
-- replaces it, such as "--override_repository=xla". `by_revision`: the value may be any revision of the repository.

local values = require "lib/values"

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

--- Whether a text is a version such as 1.2.3, v0.4 or 2024.1rc1.
function found.is_version(text) return text:match "^v?%d+%.%d[%w.+-]*$" ~= nil end

--- The ids of commits in a line, in their order, each { value =, from = }.
function found.ids(line)
  local list = {}
  for from, value in line:gmatch "%f[%w]()(%x+)%f[^%w]" do
    local before = line:sub(1, from - 1)
    local word = (before:match "([%w_.-]+)[^%w_]*$" or ""):lower()
    local is_other = values.find(NO_COMMIT, function(other) return word:find(other, 1, true) end)
      or before:match "%x%x%x%x%-$"  -- the end of a UUID
    if found.is_id(value) and not is_other then list[#list + 1] = { value = value, from = from } end
  end
  return list
end

--- What a key such as XLA_COMMIT or xla-git-rev is of: "xla"; nil if it does not say.
function found.name_in(key)
  local parts = values.matches(key:lower(), "[^_%s.-]+")
  while #parts > 0 and PLAIN[parts[#parts]] do parts[#parts] = nil end
  while #parts > 0 and PLAIN[parts[1]] do table.remove(parts, 1) end
  return #parts > 0 and table.concat(parts, "_") or nil
end

--- The repository that an address of a text leads to, as its URL and its name; nil if the text has none.
function found.repository(text)
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

found.plain = values.plain_name

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
    submodule = true, url = url, aliases = { file.path, select(2, found.repository(url or "")) } }
end

-- Whether a line of the new text that the old one lacks has something like a version or the id of a commit.
local function may_pin(old, new)
  local lines = values.set(values.matches(old, "[^\n]+"))
  return values.find(values.matches(new, "[^\n]+"), function(line)
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
    return may_pin(old, new) and require("lib/pins/text").changed(file.path, old, new) or {}
  end)
end

return found
