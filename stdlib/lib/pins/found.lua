-- What the parsers of pins have in common: where commit ids and versions are in a text, and what a pin is called.
-- A pin is { name =, value =, line = } with, where it is known, `url` of the repository, `aliases`, other names of it,
-- `checksum`, true where another text would not pass the check of an archive, and `bazel`, the option of the build that
-- replaces it, such as "--override_repository=xla". `by_revision`: the value may be any revision of the repository.

local found = {}

-- What a word before an id says of a number that is none of a commit.
local NO_COMMIT = { "md5", "sha1sum", "sha256", "sha512", "checksum", "integrity", "digest", "crc", "uuid", "etag",
  "fingerprint" }

-- Words that say what a value is, and not whose it is.
local PLAIN = { commit = true, rev = true, revision = true, sha = true, sha1 = true, ref = true, tag = true,
  hash = true, id = true, version = true, git = true, url = true, urls = true, strip = true, prefix = true,
  archive = true, remote = true, pin = true, pins = true, pinned = true, source = true, src = true, branch = true,
  head = true, release = true, ci = true, txt = true, the = true }

function found.lines(text)
  local lines = {}
  for line in (text:gsub("\r", "") .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  return lines
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
    local counts = found.is_id(value) and not before:match "%x%x%x%x%-$"  -- the end of a UUID
    for _, other in ipairs(NO_COMMIT) do counts = counts and not word:find(other, 1, true) end
    if counts then list[#list + 1] = { value = value, from = from } end
  end
  return list
end

--- What a key such as XLA_COMMIT or xla-git-rev is of: "xla"; nil if it does not say.
function found.name_in(key)
  local parts = {}
  for part in key:gmatch "[^_%s.-]+" do parts[#parts + 1] = part:lower() end
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

--- One spelling of a name, to compare it with another.
function found.plain(name) return (name:lower():gsub("[-_.]+", "-")) end

return found
