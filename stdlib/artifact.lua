-- reg.artifact: what identifies the compiled files of a program, and which of them differ between two ends. C++ reads
-- the files (core.nouns.artifact); those of an image are hashed inside it.

local findings = require "lib/artifact/findings"
local sorted_names = require "lib/sorted_names"

local native = core.nouns.artifact

local MOST_BYTES <const> = 64 << 20  -- of a line for each file in an image

-- Programs and libraries by name or permission: a file's first bytes are not read there.
local INSIDE <const> = [==[
find "$@" -type f \( -name '*.so' -o -name '*.so.*' -o -name '*.whl' -o -name '*.cubin' -o -name '*.fatbin' \
  -o -name '*.ptx' -o -name '*.hsaco' -o -perm -100 \) -exec sha256sum {} +
]==]

local function last_name(path) return path:match "[^/]+/*$" or path end

-- A name that several files have is told apart by a number. That of a module in an XLA dump depends on what was
-- compiled before.
local function add(into, name, facts)
  local plain = name:gsub("module_%d+%.", "module."):gsub("^[%d.]+(module%.)", "%1")
  local free, count = plain, 1
  while into.files[free] do
    count = count + 1
    free = plain .. " (" .. count .. ")"
  end
  into.files[free] = facts
end

local function has_hlo() return (pcall(function() return reg.hlo.fingerprint end)) end

-- Adds a file by its hashes. An optimized module of XLA has ids and metadata that say nothing of what runs.
local function add_file(into, name, path)
  local facts = native.facts(path)
  if name:find "_after_optimizations%.txt$" then
    if not has_hlo() then return end
    facts.content = reg.hlo.fingerprint(path)
  end
  add(into, name, facts)
end

-- Those of `loaded`, paths as a command loaded them, or all.
local function add_files(into, paths, loaded)
  for _, path in ipairs(paths) do
    local below = native.find(path)
    for _, name in ipairs(below or {}) do
      local whole = path .. "/" .. name
      if not loaded or loaded[reg.fs.absolute(whole)] then add_file(into, name, whole) end
    end
    if not below and (not loaded or loaded[reg.fs.absolute(path)]) then add_file(into, last_name(path), path) end
  end
end

-- What the command loads of the paths; nil and why it is not known.
local function loaded_by(command, paths)
  local call, folders = {}, {}
  for key, value in pairs(command) do call[key] = value end
  for i, path in ipairs(paths) do
    folders[i] = native.find(path) and path or path:match "^(.*)/[^/]*$" or "."
  end
  call.loaded_below = folders
  local run = reg.process.run(call)
  if run.loaded then return run.loaded end
  return nil, run.dry and "dry run" or "the command was not seen to load any of these files"
end

local function add_image(into, paths, options)
  local cmd = { "sh", "-c", INSIDE, "sh", table.unpack(paths) }
  local run = reg.container.run { image = options.image, runtime = options.runtime, cmd = cmd, keep_bytes = MOST_BYTES }
  if run.code ~= 0 and run.stdout == "" then
    into.missing.files = run.dry and "dry run" or run.stderr:match "[^\n]+" or "sh exited with code " .. run.code
  end
  for hash, file in run.stdout:gmatch "(%x+)  ([^\n]+)\n" do
    for _, path in ipairs(paths) do
      if file == path then
        add(into, last_name(path), { sha256 = hash })
      elseif file:sub(1, #path + 1) == path .. "/" then
        add(into, file:sub(#path + 2), { sha256 = hash })
      end
    end
  end
end

--- The compiled files of a program, by hashes of what they do: programs, shared objects, wheels, code for GPUs, and
--- optimized modules in XLA dumps. If they are the same at both ends, the program is not the cause.
---@class reg.artifact
local artifact = {}

---@class artifact.CollectOptions
---@field [integer] string files and folders: a file is hashed whatever it is, and of a folder every compiled file below
---@field loaded_by? process.RunOptions run this command, and collect only what it loads
---@field image? string the paths are in this image: files are found by name and permission, and have only a sha256
---@field runtime? "docker"|"podman"|"local"

---@class artifact.File
---@field sha256 string of the file
---@field build_id? string the GNU build-id of an ELF file
---@field content? string of what it does: ELF without debug data and build-id, wheels without times, XLA without ids

---@class artifact.Files
---@field files table<string, artifact.File> by the path below its folder, or the name of a file
---@field missing table<string, string> "files": why there are none

--- Hashes files. Links below a folder are not followed. Two files of one name get numbers: "x.so (2)". A command is
--- seen to load a file if it runs at least as long as everything before it. Raises usage, not_found, permission or io
--- for a path, and with `image` or `loaded_by` what reg.container.run and reg.process.run raise.
--- ```lua
--- local built = reg.artifact.collect { "build/bin", "build/lib" }
--- local loaded = reg.artifact.collect { "build", loaded_by = { cmd = { "build/bin/bench" } } }
--- for name, file in pairs(loaded.files) do print(name, file.build_id or file.sha256) end
--- ```
---@param options artifact.CollectOptions
---@return artifact.Files files
function artifact.collect(options)
  local paths = type(options) == "table" and table.move(options, 1, #options, 1, {}) or {}
  if #paths == 0 then
    core.fail("usage", "artifact.collect: takes a list of files and folders",
      'Pass them as { "build/bin", "lib/libx.so" }.')
  end
  for i, path in ipairs(paths) do paths[i] = #path > 1 and path:gsub("/+$", "") or path end
  if options.image and options.loaded_by then
    core.fail("usage", "artifact.collect: 'loaded_by' needs files on this machine, not an image")
  end
  local into = { files = {}, missing = {} }
  if options.image then
    add_image(into, paths, options)
    return into
  end
  local loaded
  if options.loaded_by then
    loaded, into.missing.files = loaded_by(options.loaded_by, paths)
    if not loaded then return into end
  end
  add_files(into, paths, loaded)
  if #sorted_names(into.files) == 0 then into.missing.files = "no compiled files were found" end
  return into
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
artifact.diff = findings

return artifact
