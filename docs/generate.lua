#!/usr/bin/env regengine
--- Writes docs/reference, docs/completions and docs/regengine.1. Run it as docs/generate does: its arguments are the
--- text of `regengine --help` and, to write nothing, --check.

local program = require "generator.program"

local help, check = ...
local described = program(help)

-- { [path] = text } of all that is written.
local texts = {
  ["docs/completions/regengine.bash"] = require "generator.bash"(described),
  ["docs/completions/_regengine"] = require "generator.zsh"(described),
  ["docs/completions/regengine.fish"] = require "generator.fish"(described),
  ["docs/regengine.1"] = require "generator.man"(described),
}
for name, text in pairs(require "generator.reference"()) do texts["docs/reference/" .. name] = text end

-- The files that differ from what they must be, and those that are left over.
local function stale()
  local paths = {}
  for path, text in pairs(texts) do
    if not reg.fs.exists(path) or reg.fs.read(path) ~= text then paths[#paths + 1] = path end
  end
  for _, folder in ipairs { "docs/reference/", "docs/completions/" } do
    for _, name in ipairs(reg.fs.exists(folder) and reg.fs.list(folder) or {}) do
      if not texts[folder .. name] then paths[#paths + 1] = folder .. name end
    end
  end
  table.sort(paths)
  return paths
end

local changed = stale()
if check == "--check" then
  for _, path in ipairs(changed) do print(path .. " is stale. Run docs/generate.") end
  return #changed > 0 and 1 or 0
end
reg.fs.mkdir "docs/reference"
reg.fs.mkdir "docs/completions"
for _, path in ipairs(changed) do
  if texts[path] then reg.fs.write(path, texts[path]) else reg.fs.remove(path) end
  print(path)
end
