-- The file that a command runs, and the programs and libraries that it loads: by contents and build-ids.

local ends = require "lib/why/ends"
local surroundings = require "lib/identity/surroundings"

local level = { name = "artifact", pass = "plain" }

local PROGRAM <const>, COMMAND <const> = "the program", "the command"  -- as of python -c
local NOT_SEEN <const> = "the command was not seen to load a program: it is too short, or runs in a container"

function level.around(call, execute)
  call.loaded_below = not call.image and { "/" } or nil
  return execute(call)
end

-- What a command line names first has the same role at both ends, whatever it is called.
local function add_program(files, one)
  local path = not one.call.image and surroundings.named_files(one.parts.rest, one.call.cwd or ".")[1]
  if not path then return nil end
  files[PROGRAM] = core.file_hash(path)
  return reg.fs.absolute(path)
end

function level.read(run, one)
  local files, count = {}, {}
  local program = add_program(files, one)
  for path, id in pairs(run.loaded or {}) do
    local name = path:match "[^/]+$"
    count[name] = (count[name] or 0) + 1
    if path ~= program then files[name] = id end
  end
  for name, n in pairs(count) do
    if n > 1 then files[name] = nil end  -- which of them is which is not known
  end
  if next(files) == nil then return nil, NOT_SEEN end
  if not program and not one.label then files[COMMAND] = core.sha256(one.parts.rest:match "%S.*" or "") end
  return files
end

local MOST_NAMED <const> = 4

-- What a process loads late may be missed at one end: only what both ends have is compared.
function level.compare(before, after)
  local names, findings, same = {}, {}, 0
  for _, one in ipairs(ends.changed(before, after)) do
    if one.before and one.after then names[#names + 1] = one.name end
  end
  for name, id in pairs(before[1]) do same = same + (name ~= COMMAND and after[1][name] == id and 1 or 0) end
  if #names == 0 then
    local words = same == 1 and "the one file that was seen to run is identical"
      or string.format("all %d files that were seen to run at both ends are identical", same)
    return {}, same > 0 and words or nil
  end
  for i, name in ipairs(names) do
    findings[i] = { level = "artifact", what = name .. " differs", before = before[1][name], after = after[1][name],
      is_program = (name == PROGRAM or name == COMMAND) or nil }
  end
  if #names > MOST_NAMED then
    findings = { { level = "artifact", what = string.format("%d programs and libraries differ: %s and %d more", #names,
      table.concat(names, ", ", 1, MOST_NAMED), #names - MOST_NAMED) } }
  end
  return findings
end

return level
