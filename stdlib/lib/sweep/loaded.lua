-- What measured programs loaded from the checkouts they ran in. If it is the same for all subjects, no build took
-- effect.

local sorted_names = require "lib/sorted_names"

local loaded = {}

--- The folders below which to look: the open worktrees.
loaded.folders = core.open_worktrees

-- The path below its worktree, behind the worktree's number: a store may be of a workspace elsewhere.
local function short(path, folders)
  for i, folder in ipairs(folders) do
    if path:sub(1, #folder + 1) == folder .. "/" then return i .. ":" .. path:sub(#folder + 2) end
  end
  return path
end

--- For a trial's info, of { path = build-id }: { id = the hash of all, files = how many, one = the path of one below
--- its worktree }; nil where no file was seen.
function loaded.summary(ids)
  local paths, folders, parts = sorted_names(ids), loaded.folders(), {}
  if #paths == 0 then return nil end
  for i, path in ipairs(paths) do parts[i] = short(path, folders) .. " " .. ids[path] end
  return { id = core.sha256(table.concat(parts, "\n")), files = #paths, one = short(paths[1], folders):match ":(.*)$" }
end

--- Of the runs of a search: { files =, one =, subjects = how many } where each of at least two subjects loaded the
--- same. A run whose program was not seen says nothing. `head`: the first place of each place's build.
function loaded.same(asked, head)
  local first, seen, subjects = nil, {}, 0
  for _, entry in ipairs(asked) do
    local this = not entry.same_as and entry.status == "ok" and entry.loaded
    if this then
      first = first or this
      if this.id ~= first.id then return nil end
      local at = head[entry.place]
      if not seen[at] then seen[at], subjects = true, subjects + 1 end
    end
  end
  return subjects > 1 and { files = first.files, one = first.one, subjects = subjects } or nil
end

return loaded
