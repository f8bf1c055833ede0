#!/usr/bin/env regengine
--- Writes docs/reference, or with --into FOLDER the completions and the man page. Run it as docs/generate does: its
--- arguments are the text of `regengine --help`, and then those of docs/generate.

local help, mode, folder = ...

local function write_into()
  local described = require "generator.program"(help)
  reg.fs.mkdir(folder .. "/completions")
  reg.fs.write(folder .. "/completions/regengine.bash", require "generator.bash"(described))
  reg.fs.write(folder .. "/completions/_regengine", require "generator.zsh"(described))
  reg.fs.write(folder .. "/completions/regengine.fish", require "generator.fish"(described))
  reg.fs.write(folder .. "/regengine.1", require "generator.man"(described))
end

local REFERENCE = "docs/reference/"

-- The pages that differ from what they must be, and those that are left over.
local function stale(pages)
  local names = {}
  for name, text in pairs(pages) do
    local path = REFERENCE .. name
    if not reg.fs.exists(path) or reg.fs.read(path) ~= text then names[#names + 1] = name end
  end
  for _, name in ipairs(reg.fs.exists(REFERENCE) and reg.fs.list(REFERENCE) or {}) do
    if not pages[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

if mode == "--into" then return write_into() end
local pages = require "generator.reference"()
local changed = stale(pages)
if mode == "--check" then
  for _, name in ipairs(changed) do print(REFERENCE .. name .. " is stale. Run docs/generate.") end
  return #changed > 0 and 1 or 0
end
reg.fs.mkdir(REFERENCE)
for _, name in ipairs(changed) do
  if pages[name] then reg.fs.write(REFERENCE .. name, pages[name]) else reg.fs.remove(REFERENCE .. name) end
  print(REFERENCE .. name)
end
