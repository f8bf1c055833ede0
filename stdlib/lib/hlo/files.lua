-- The files of a folder that XLA dumped into, by module: [TIME.]module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt.
-- XLA leaves out the module's name where the file's would be longer than 255 characters.

local files = {}

-- The endings of a name, and what the file is. A platform such as "cpu_" or "sm_10.0a_gpu_" may come before them.
local KINDS = {
  { "after_optimizations-buffer-assignment.txt", "buffers" },
  { "after_optimizations.txt", "after" },
  { "before_optimizations.txt", "before" },
  { "before_optimizations.hlo.pb", "proto" },
}

-- { time, number, module, kind, platform, place, pass } of a file's name; nil for another file.
local function named(file)
  local time, number, rest = file:match "^([%d_.-]-)%.?module_(%d+)%.(.+)$"
  if not number then return nil end
  local made = { time = time, number = tonumber(number), file = file }
  for _, kind in ipairs(KINDS) do
    local ending = kind[1]
    if rest:sub(-#ending) == ending then
      made.kind, rest = kind[2], rest:sub(1, -#ending - 1)
      made.platform = rest:match "%f[^%z%.](sm_%d+%.%d+%l?_gpu_)$" or rest:match "%f[^%z%.]([%l%d_]+_)$" or ""
      made.module = rest:sub(1, -#made.platform - 1):gsub("%.$", "")
      made.platform = made.platform:gsub("_$", "")
      return made
    end
  end
  -- A pass: 0003.simplification.after_algsimp.before_dce.txt
  local module, place, words = rest:match "^(.-)%.?%f[%d](%d%d%d%d+)%.(.+)%.txt$"
  if not place then return nil end
  made.kind, made.module, made.place = "pass", module, tonumber(place)
  made.pipeline, made.pass = words:match "^(.-)%.after_(.-)%.before_.*$"
  if not made.pass then made.pipeline, made.pass = words:match "^(.-)%.after_(.*)$" end
  made.pass = made.pass or words
  return made
end

local function key_of(file) return file.time .. "." .. file.number .. "." .. file.module end

--- The modules of a folder in their order: { number, module, platform, after, before, proto, buffers, passes }, each
--- file by its name.
function files.modules(names)
  local list, by_key, nameless = {}, {}, {}
  local function group_of(file)
    local key = key_of(file)
    if not by_key[key] then
      by_key[key] = { number = file.number, module = file.module, time = file.time, passes = {} }
      list[#list + 1] = by_key[key]
    end
    return by_key[key]
  end
  local function add(file, group)
    if file.kind == "pass" then
      group.passes[#group.passes + 1] = file
    else
      group[file.kind] = file.file
      if file.platform ~= "" then group.platform = group.platform or file.platform end
    end
  end
  for _, name in ipairs(names) do
    local file = named(name)
    if file and file.module == "" then nameless[#nameless + 1] = file elseif file then add(file, group_of(file)) end
  end
  for _, file in ipairs(nameless) do
    local fits, count = nil, 0
    for _, group in ipairs(list) do
      if group.number == file.number and group.time == file.time then fits, count = group, count + 1 end
    end
    add(file, count == 1 and fits or group_of(file))
  end
  for _, group in ipairs(list) do
    table.sort(group.passes, function(a, b) return a.place < b.place or a.place == b.place and a.file < b.file end)
  end
  table.sort(list, function(a, b)
    if a.time ~= b.time then return a.time < b.time end
    return a.number < b.number or a.number == b.number and a.module < b.module
  end)
  return list
end

files.named = named

return files
