-- The files that a command line names, whose contents count for what it measures: of each of its commands the first one
-- that is there and is written with a slash or a suffix, such as ./bench, or bench.py of "python3 bench.py". What a
-- command redirects its output to does not count.

-- Devices and folders have no contents of their own.
local function is_file(path)
  return not path:find "^/dev/" and not path:find "^/proc/" and not path:find "^/sys/" and reg.fs.exists(path)
    and not pcall(reg.fs.list, path)
end

local function first_file(words, folder)
  for word in words:gmatch "[^%s'\"=()<`$]+" do
    local path = word:find "^/" and word or folder .. "/" .. word
    if word:find "[/.]" and is_file(path) then return path end
  end
end

--- Their paths. A relative one is below `folder`.
return function(command, folder)
  local files = {}
  for part in command:gmatch "[^|;&\n]+" do files[#files + 1] = first_file(part:match "^[^>]*", folder) end
  return files
end
