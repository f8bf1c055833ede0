-- The files of the program that is measured: what a build made, what the program loaded from the checkouts it ran in,
-- and which Python packages its test installed. They say whether a build took effect, and whether two subjects are one.

---@class sweep.Loaded
---@field id string hash of all files with their build-ids
---@field files integer how many
---@field one string the path of one, below its worktree
---@field subjects? integer of sweep.Series: how many loaded just these

---@class sweep.Installed
---@field name string a package
---@field stretches table[] { version =, from =, upto = }: neighbors with one version, by their labels

local values = require "lib/values"

local grouped, map, only, sorted_names = values.grouped, values.map, values.only, values.sorted_names

local program_files = {}

--- The hash of the files and folders `paths`, relative to the folder that was built in. Raises usage for a missing one.
function program_files.hash(paths, folder)
  return reg.store.key(map(paths, function(path)
    return values.caught("not_found", core.path_hash, path:sub(1, 1) == "/" and path or folder .. "/" .. path)
      or core.fail("usage", "artifact: the build did not make " .. path,
        "Name what it makes, relative to the worktree.")
  end))
end

-- How a program names the subject: a commit by its first digits.
local function name_of(subject)
  local id = type(subject) == "table" and (subject.short or subject.id) or subject
  return tostring(id):match "^%x%x%x%x%x%x%x%x*$" and tostring(id):sub(1, 7) or tostring(id)
end

--- Nothing if `output` contains `says`, in which {subject} is the subject, a commit's first seven digits; or why not.
function program_files.mismatch(output, says, subject)
  local wanted = says:gsub("{subject}", (name_of(subject):gsub("%%", "%%%%")))
  if output:find(wanted, 1, true) then return nil end
  local said = output:match "[^\n]+" or ""
  return string.format("the build did not take effect: the program says '%s', not '%s'", said:sub(1, 80), wanted)
end

-- The path below its worktree, behind the worktree's number: a store may be of a workspace elsewhere.
local function short(path, folders)
  for i, folder in ipairs(folders) do
    if path:sub(1, #folder + 1) == folder .. "/" then return i .. ":" .. path:sub(#folder + 2) end
  end
  return path
end

--- For a trial's info, of { path = build-id, ... }: { id = the hash of all, files = how many, one = a path }.
function program_files.loaded(ids)
  local paths, folders = sorted_names(ids), core.open_worktrees()
  local parts = map(paths, function(path) return short(path, folders) .. " " .. ids[path] end)
  return { id = core.sha256(table.concat(parts, "\n")), files = #paths, one = short(paths[1], folders):match ":(.*)$" }
end

--- { files =, one =, subjects = how many } where each of at least two subjects of a search was seen to load the same: a
--- short program is not always seen. `head`: the first place of each place's build.
function program_files.same_loaded(asked, head)
  local function build_of(entry) return head[entry.place] end
  local ran = only(asked, function(entry) return not entry.same_as and entry.status == "ok" end)
  local seen = only(ran, function(entry) return entry.loaded end)
  local subjects, ids = #grouped(ran, build_of), grouped(seen, function(entry) return entry.loaded.id end)
  if subjects < 2 or #ids ~= 1 or #grouped(seen, build_of) < subjects then return nil end
  return { files = seen[1].loaded.files, one = seen[1].loaded.one, subjects = subjects }
end

-- The stretches of neighbors for which a package has one version, each { version =, from =, upto = }.
local function stretches(name, runs)
  local list = {}
  for _, run in ipairs(runs) do
    local version, last = run.installed[name], list[#list]
    if version and last and last.version == version then
      last.upto = run.label
    elseif version then
      list[#list + 1] = { version = version, from = run.label, upto = run.label }
    end
  end
  return list
end

--- A list of { name =, stretches = { { version =, from = label, upto = label }, ... } }; nil where there is nothing to
--- tell. A subject for which a package was not installed, as its image has it, says nothing about it.
function program_files.differing_packages(asked)
  local installed = values.unique(asked, function(entry) return entry.installed and entry.place end)
  local runs = values.sort_by(installed, function(run) return run.place end)
  local all = values.merged(table.unpack(map(runs, function(run) return run.installed end)))
  local list = map(sorted_names(all), function(name)
    local found = stretches(name, runs)
    return #found > 1 and { name = name, stretches = found } or nil
  end)
  return #list > 0 and list or nil
end

return program_files
