-- Completions within a string, by the parameter or field that the stubs expect there: a word of a list, a branch or
-- tag, an image, a file.

local files = require "lib/prompt/files"
local topics = require "lib/help/topics"

local FILES = { path = true, file = true, patch = true, out = true, err = true }
local FILE_TYPES = { file = true, output = true, script = true, patch = true, input = true, mount = true, repo = true,
  repo_or_url = true }  -- of options
local REVISIONS = { from = true, to = true, branch = true }

local function is_repo(thing)
  return thing and type(thing.value) == "userdata" and getmetatable(thing.value) == "git.Repo"
end

local function revisions(repo)
  local ok, names = pcall(repo.branches, repo)
  if not ok then return {} end
  local tags = repo:tags()
  return table.move(tags, 1, #tags, #names + 1, names)
end

--- The values for `expected`, a parameter or field of a stub. `entry`: the stub of the function; `owner`: the object
--- whose method it is; `part`: what is typed already.
return function(expected, entry, owner, part)
  local words = {}
  for word in expected.type:gmatch '"([^"]*)"' do words[#words + 1] = word end
  if #words > 0 then return words end
  if is_repo(owner) and (REVISIONS[expected.name] or expected.type:find("git.Commit", 1, true)) then
    return revisions(owner.value)
  end
  if entry.name == "help" or entry.name == "help.text" then return topics() end
  if FILES[expected.name] or FILE_TYPES[expected.type] then return files(part) end
  return {}
end
