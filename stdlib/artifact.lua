-- reg.artifact: what identifies the compiled files of a program, and which of them differ between two ends. C++ reads
-- the files (core.nouns.artifact).

local ends = require "lib/why/two_ends"

local native = core.nouns.artifact

-- A name that several files have is told apart by a number. That of a module in an XLA dump depends on what was
-- compiled before.
local function add(files, name, facts)
  local plain = name:gsub("module_%d+%.", "module."):gsub("^[%d.]+(module%.)", "%1")
  local free, count = plain, 1
  while files[free] do
    count = count + 1
    free = plain .. " (" .. count .. ")"
  end
  files[free] = facts
end

-- Adds a file by its hashes. An optimized module of XLA has ids and metadata that say nothing of what runs.
local function add_file(files, name, path)
  local facts = native.facts(path)
  if name:find "_after_optimizations%.txt$" then facts.content = reg.hlo.fingerprint(path) end
  add(files, name, facts)
end

--- The compiled files of a program, by hashes of what they do: programs, shared objects, wheels, code for GPUs, and
--- optimized modules in XLA dumps. If they are the same at both ends, the program is not the cause.
---@class reg.artifact
local artifact = {}

---@class artifact.File
---@field sha256 string of the file
---@field build_id? string the GNU build-id of an ELF file
---@field content? string of what it does: ELF without debug data and build-id, wheels without times, XLA without ids

---@class artifact.Files
---@field files table<string, artifact.File> by the path below its folder, or the name of a file
---@field missing table<string, string> "files": why there are none

--- Hashes files: one that is named, whatever it is, and of a folder every compiled file below. Links below a folder are
--- not followed. Two files of one name get numbers: "x.so (2)". Raises usage, not_found, permission or io for a path.
--- ```lua
--- local built = reg.artifact.collect { "build/bin", "build/lib" }
--- for name, file in pairs(built.files) do print(name, file.build_id or file.sha256) end
--- ```
---@param paths string[]
---@return artifact.Files files
function artifact.collect(paths)
  if type(paths) ~= "table" or #paths == 0 then
    core.fail("usage", "artifact.collect: takes a list of files and folders",
      'Pass them as { "build/bin", "lib/libx.so" }.')
  end
  for key in pairs(paths) do
    if math.type(key) ~= "integer" then
      core.fail("usage", ("artifact.collect: unknown option '%s'"):format(key), "Pass only paths.")
    end
  end
  local into = { files = {}, missing = {} }
  for _, path in ipairs(paths) do
    path = #path > 1 and path:gsub("/+$", "") or path
    local below = native.find(path)
    for _, name in ipairs(below or {}) do add_file(into.files, name, path .. "/" .. name) end
    if not below then add_file(into.files, path:match "[^/]+$", path) end
  end
  if next(into.files) == nil then into.missing.files = "no compiled files were found" end
  return into
end

local MOST_FINDINGS <const>, MOST_NAMED <const> = 8, 5

local IDENTICAL <const> = "the compiled program is identical: look at the host, the clocks or the data"

-- Whether each of these collected tables that has the file has its content, too.
local function all_have_content(all, name)
  for _, one in ipairs(all) do
    if one.files[name] and not one.files[name].content then return false end
  end
  return true
end

-- The hash of what each file does, or of the file where that is not known everywhere.
local function hashes_of(collected, all)
  local list = {}
  for i, one in ipairs(collected) do
    list[i] = {}
    for name, facts in pairs(one.files) do
      list[i][name] = all_have_content(all, name) and facts.content or facts.sha256
    end
  end
  return list
end

local function finding(what, before, after)
  return { level = "artifact", what = what, before = before, after = after }
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

--- Which files differ between two ends, each a collected table or a list of them, and in one sentence what that means.
--- Files compare by content where both ends have it, else by sha256. More than eight that differ are one finding.
--- Raises usage.
--- ```lua
--- local findings, meaning = reg.artifact.diff(reg.artifact.collect { "good" }, reg.artifact.collect { "bad" })
--- print(meaning)  -- the compiled program is identical: look at the host, the clocks or the data
--- for _, finding in ipairs(findings) do print(finding.what) end
--- ```
---@param before artifact.Files|artifact.Files[]
---@param after artifact.Files|artifact.Files[]
---@return environment.Finding[] findings
---@return string meaning
function artifact.diff(a, b)
  a, b = ends.lists("artifact.diff", a, b)
  local all, names, count = table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {})), {}, 0
  for _, one in ipairs(all) do
    if one.missing.files then return {}, "not compared: " .. one.missing.files end
    for name in pairs(one.files) do
      count, names[name] = names[name] and count or count + 1, true
    end
  end
  local changed, list = ends.changed(hashes_of(a, all), hashes_of(b, all)), {}
  if #changed == 0 then return {}, IDENTICAL end
  local said = string.format("%d of %d compiled files differ", #changed, count)
  if #changed > MOST_FINDINGS then return grouped(changed, count), said end
  for i, file in ipairs(changed) do
    list[i] = finding(file.name .. (not file.before and " is new" or not file.after and " is gone" or " differs"),
      file.before, file.after)
  end
  return list, said
end

return artifact
