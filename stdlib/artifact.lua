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

local artifact = {}

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

artifact.diff = findings

return artifact
