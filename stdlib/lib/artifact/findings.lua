-- Which compiled files differ between two ends, as findings.

local ends = require "lib/why/ends"
local sorted_names = require "lib/sorted_names"

local MOST_FINDINGS <const>, MOST_NAMED <const> = 8, 5

local IDENTICAL <const> = "the compiled program is identical: look at the host, the clocks or the data"

-- The hash of what each file does, or of the file where that is all there is. A kind of hash that one end lacks for a
-- file counts for none.
local function texts_of(collected, other)
  local list = {}
  for i, one in ipairs(collected) do
    list[i] = {}
    for name, facts in pairs(one.files) do
      local everywhere = facts.content
      for _, side in ipairs { collected, other } do
        for _, there in ipairs(side) do
          everywhere = everywhere and (not there.files[name] or there.files[name].content)
        end
      end
      list[i][name] = everywhere and facts.content or facts.sha256
    end
  end
  return list
end

local function finding(what, before, after)
  return { level = "artifact", what = what, before = before, after = after }
end

local function sentence(file)
  return file.name .. (not file.before and " is new" or not file.after and " is gone" or " differs")
end

local function joined(changed, side)
  local list = {}
  for _, file in ipairs(changed) do list[#list + 1] = file[side] and file[side] .. " " .. file.name end
  return table.concat(list, "\n")
end

local function grouped(changed, count)
  local names = {}
  for i = 1, MOST_NAMED do names[i] = changed[i].name end
  local what = string.format("%d of %d files differ: %s, and %d more", #changed, count, table.concat(names, ", "),
    #changed - MOST_NAMED)
  return { finding(what, joined(changed, "before"), joined(changed, "after")) }
end

local function count_files(a, b)
  local names = {}
  for _, side in ipairs { a, b } do
    for _, one in ipairs(side) do
      for name in pairs(one.files) do names[name] = true end
    end
  end
  return #sorted_names(names)
end

local function passed_over(collected)
  for _, one in ipairs(collected) do
    if one.missing.files then return one.missing.files end
  end
end

--- Findings of two ends, each collected files or a list of them, and what they say together.
return function(a, b)
  a, b = ends.lists("artifact.diff", a, b)
  local why = passed_over(a) or passed_over(b)
  if why then return {}, "not compared: " .. why end
  local changed = ends.changed(texts_of(a, b), texts_of(b, a))
  local count = count_files(a, b)
  if #changed == 0 then return {}, IDENTICAL end
  local said = string.format("%d of %d compiled files differ", #changed, count)
  if #changed > MOST_FINDINGS then return grouped(changed, count), said end
  local list = {}
  for i, file in ipairs(changed) do list[i] = finding(sentence(file), file.before, file.after) end
  return list, said
end
