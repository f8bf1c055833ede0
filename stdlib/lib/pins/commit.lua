-- The pins that a commit changes, against its first parent: of submodules, and those in files.

local found = require "lib/pins/found"
local submodule_url = require "lib/pins/submodule_url"
local text = require "lib/pins/text"

local LONGEST = 2000  -- changed lines of a file that is looked into

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

local function add_submodule(pins, repo, commit, file)
  local url = url_of(repo:read(commit, ".gitmodules") or "", file.path)
  local name = file.path:match "[^/]+$"
  url = url and submodule_url(repo, url)
  pins[#pins + 1] = { name = name, path = file.path, old = file.old_commit, new = file.new_commit, submodule = true,
    url = url, aliases = { file.path, select(2, found.repository(url or "")) } }
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
      local parent = repo:resolve(commit).parents[1]
      for _, pin in ipairs(text.changed(file.path, repo:read(parent, file.path), repo:read(commit, file.path))) do
        pins[#pins + 1] = pin
      end
    end
  end
  return pins
end
