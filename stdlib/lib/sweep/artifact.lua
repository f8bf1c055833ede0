-- What a build made: whether two subjects have the same one, and whether the program is the one it should be.

local artifact = {}

-- Where the file lies. `mounts`: folders that commands see at another path, { folder = that path }.
local function real_path(path, folder, mounts)
  if path:sub(1, 1) ~= "/" then path = folder .. "/" .. path end
  for real, seen in pairs(mounts or {}) do
    if (path .. "/"):sub(1, #seen + 1) == seen .. "/" then return real .. path:sub(#seen + 1) end
  end
  return path
end

--- The hash of the files and folders `paths`, relative to the folder that was built in. `mounts`: of the build, or nil.
--- Raises usage for a missing one.
function artifact.hash(paths, folder, mounts)
  local hashes = {}
  for i, path in ipairs(paths) do
    local ok, hash = pcall(core.path_hash, real_path(path, folder, mounts))
    if not ok and hash.kind == "not_found" then
      core.fail("usage", "artifact: the build did not make " .. path,
        "Name files that it makes, relative to the worktree.")
    end
    if not ok then error(hash, 0) end
    hashes[i] = hash
  end
  return reg.store.key(hashes)
end

-- How a program names the subject: a commit by its first digits.
local function name_of(subject)
  local id = type(subject) == "table" and (subject.short or subject.id) or subject
  return tostring(id):match "^%x%x%x%x%x%x%x%x*$" and tostring(id):sub(1, 7) or tostring(id)
end

--- Nothing if `output` contains `says`, in which {subject} stands for the subject, a commit's first seven digits; else
--- why not.
function artifact.mismatch(output, says, subject)
  local wanted = says:gsub("{subject}", (name_of(subject):gsub("%%", "%%%%")))
  if output:find(wanted, 1, true) then return nil end
  local said = output:match "[^\n]+" or ""
  return string.format("the build did not take effect: the program says '%s', not '%s'", said:sub(1, 80), wanted)
end

return artifact
