-- What changed of a variable or of another value, in words.

local wording = {}

local MOST_SHOWN <const> = 80  -- characters of a value in a sentence

-- The parts of a value, in order: words of flags, folders of a path.
local function parts_of(value, separator)
  local list = {}
  for part in (value or ""):gmatch("[^" .. separator .. "]+") do list[#list + 1] = part end
  return list
end

local function set_of(list)
  local set = {}
  for _, one in ipairs(list) do set[one] = true end
  return set
end

-- Those of `list` that are not in `other`.
local function missing_in(list, other)
  local set, found = set_of(other), {}
  for _, one in ipairs(list) do found[#found + 1] = not set[one] and one or nil end
  return found
end

-- Takes flags out of both lists whose value alone changed: "--level=4 -> --level=0".
local function take_changed(lost, gained)
  local changed = {}
  for i = #lost, 1, -1 do
    local flag = lost[i]:match "^(%-[^=]+)="
    for j = #gained, 1, -1 do
      if flag and gained[j]:sub(1, #flag + 1) == flag .. "=" then
        table.insert(changed, 1, table.remove(lost, i) .. " -> " .. table.remove(gained, j))
        break
      end
    end
  end
  return changed
end

--- "lost A B; gained C; --d=1 -> --d=2".
local function by_parts(before, after, separator)
  local old, new = parts_of(before, separator), parts_of(after, separator)
  local lost, gained = missing_in(old, new), missing_in(new, old)
  local said = take_changed(lost, gained)
  if #gained > 0 then table.insert(said, 1, "gained " .. table.concat(gained, " ")) end
  if #lost > 0 then table.insert(said, 1, "lost " .. table.concat(lost, " ")) end
  return #said > 0 and table.concat(said, "; ") or "has the same parts in another order or number"
end

local function separator_of(name, before, after)
  if name:find "PATH$" then return ":" end
  local both = " " .. (before or "") .. " " .. (after or "")
  if name == "CPU flags" or both:find "%s%-%-?%a" then return "%s" end
end

--- "XLA_FLAGS lost --xla_gpu_autotune_level=0", "kernel 6.1 -> 6.8", "X set to 1", "X was 1, and is not set".
function wording.value(name, before, after)
  local separator = separator_of(name, before, after)
  if separator then return name .. " " .. by_parts(before, after, separator) end
  if #(before or "") > MOST_SHOWN or #(after or "") > MOST_SHOWN then return name .. " has another value" end
  if not before then return name .. " set to " .. after end
  if not after then return name .. " was " .. before .. ", and is not set" end
  return name .. " " .. before .. " -> " .. after
end

--- The name of a Python package as all its spellings have it.
function wording.pip_name(name) return (name:lower():gsub("[-_.]+", "-")) end

-- A commit as git writes it in a line.
local function short(version)
  return version and #version == 40 and version:match "^%x+$" and version:sub(1, 10) or version
end

--- "jaxlib 0.4.30 -> 0.4.31", "jaxlib 0.4.31 added", "xla 1234567890 -> 2345678901".
function wording.package(fact)
  local before, after = short(fact.before), short(fact.after)
  if not before then return fact.name .. " " .. after .. " added" end
  if not after then return fact.name .. " " .. before .. " removed" end
  return fact.name .. " " .. before .. " -> " .. after
end

--- "7 of 12 image layers differ, from the 6th on".
function wording.layers(before, after)
  local old, new = parts_of(before, "\n"), parts_of(after, "\n")
  local same = 0
  while old[same + 1] and old[same + 1] == new[same + 1] do same = same + 1 end
  return string.format("image layers: the first %d are the same, then %d -> %d others", same, #old - same, #new - same)
end

return wording
