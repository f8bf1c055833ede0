-- The pins that a commit changes, against its first parent: of submodules, and those in files.

local LONGEST = 2000  -- changed lines of a file that is looked into

-- Without the last part. That of host:path ends at the colon.
local function above(address)
  return address:match "^(.*)/[^/]*$" or address:match "^(.*:)[^:]*$"
end

-- The address of a submodule, as `git submodule` resolves it: one that begins with ./ or ../ is relative to the address
-- that the superproject came from, or to its path if it came from nowhere. `url`: from .gitmodules. nil if it leads out
-- of the superproject's address. A password in that is left out.
local function submodule_url(repo, url)
  if not url:match "^%.%.?/" then return url end
  local address = core.remote_url(repo):gsub("/+$", ""):gsub("^(%a[%w+.-]*://)[^/@]*:[^/@]*@", "%1")
  while address do
    if url:match "^%.%./" then
      address, url = above(address), url:sub(4)
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
  local found = require "lib/pins/found"
  local url, here
  for _, line in ipairs(found.lines(modules)) do
    if line:match "^%s*%[" then url, here = nil, false end
    url = line:match "^%s*url%s*=%s*(.-)%s*$" or url
    here = here or line:match "^%s*path%s*=%s*(.-)%s*$" == path
    if here and url then return url end
  end
end

local function add_submodule(pins, repo, commit, file)
  local url = url_of(repo:read(commit, ".gitmodules") or "", file.path)
  local name = file.path:match "[^/]+$"
  url = url and submodule_url(repo, url)
  pins[#pins + 1] = { name = name, path = file.path, old = file.old_commit, new = file.new_commit, submodule = true,
    url = url, aliases = { file.path, select(2, require("lib/pins/found").repository(url or "")) } }
end

-- Whether a line of the new text that the old one lacks has something like a version or the id of a commit.
local function may_pin(old, new)
  local lines = {}
  for line in old:gmatch "[^\n]+" do lines[line] = true end
  for line in new:gmatch "[^\n]+" do
    if not lines[line] and (line:find "%d%.%d" or line:find(("%x"):rep(12))) then return true end
  end
  return false
end

local function add_changed(pins, path, old, new)
  if not may_pin(old, new) then return end
  for _, pin in ipairs(require("lib/pins/text").changed(path, old, new)) do pins[#pins + 1] = pin end
end

--- The pins that the commit of a repository changes, a list in the order of the files: { name =, path =, old =, new = }
--- with the fields of found.lua, and `submodule`, true for one.
return function(repo, commit)
  local pins = {}
  for _, file in ipairs(repo:files(commit)) do
    if file.old_commit and file.new_commit then
      add_submodule(pins, repo, commit, file)
    elseif file.status == "modified" and not file.binary and file.insertions > 0 and file.deletions > 0
      and file.insertions + file.deletions <= LONGEST then
      add_changed(pins, file.path, repo:read(repo:resolve(commit).parents[1], file.path), repo:read(commit, file.path))
    end
  end
  return pins
end
