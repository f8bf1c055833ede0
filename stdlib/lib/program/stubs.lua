-- regengine --stubs DIR: what an editor (lua-language-server) and luacheck must know, written into a folder of scripts. A
-- configuration that is there already belongs to somebody: it is left as it is, and what it lacks is said.

local sorted_names = require "lib/sorted_names"

local STUBS = "regengine-stubs"

local LUARC = [[
{
  "runtime.version": "Lua 5.4",
  "runtime.builtin": { "io": "disable", "debug": "disable", "package": "disable" },
  "workspace.library": ["regengine-stubs"],
  "diagnostics.globals": ["reg"]
}
]]

local LUACHECKRC = [[
local regengine = require "regengine-stubs.luacheck"
std, read_globals, not_globals = "lua54", regengine.read_globals, regengine.not_globals
exclude_files = { "regengine-stubs" }
max_line_length = 140
]]

-- What scripts do not have of Lua's own.
local NOT_THERE = { "debug", "dofile", "io", "loadfile", "package", "string.dump", "os.execute", "os.exit", "os.getenv", "os.remove",
                    "os.rename", "os.setlocale", "os.tmpname" }

-- All that `reg` has, as luacheck's description of a global.
local function known_to_luacheck()
  local members = {}
  for name, member in pairs(reg) do members[name] = member end
  local lines = { "-- What scripts see, for .luacheckrc. Written by regengine --stubs.", "return {",
                  "  read_globals = { reg = { fields = {" }
  for _, name in ipairs(sorted_names(members)) do
    local fields = {}
    for i, field in ipairs(type(members[name]) == "table" and sorted_names(members[name]) or {}) do fields[i] = field .. " = {}" end
    lines[#lines + 1] = #fields == 0 and ("    %s = {},"):format(name) or
                        ("    %s = { fields = { %s } },"):format(name, table.concat(fields, ", "))
  end
  lines[#lines + 1] = "  } } },"
  lines[#lines + 1] = '  not_globals = { "' .. table.concat(NOT_THERE, '", "') .. '" },'
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

local function write_stubs()
  local count = 0
  reg.fs.mkdir(STUBS)
  for _, name in ipairs(core.embedded_names()) do
    local file = name:match "^stdlib/meta/(.*)$"
    if file then
      reg.fs.write(STUBS .. "/" .. file, core.embedded(name))
      count = count + 1
    end
  end
  reg.fs.write(STUBS .. "/luacheck.lua", known_to_luacheck())
  return count
end

-- Writes a configuration where there is none. One that names the stubs is somebody's that knows them.
local function write_configuration(file, text, say)
  if not reg.fs.exists(file) then
    reg.fs.write(file, text)
    return say("%s: written", file)
  end
  local there = reg.fs.read(file)
  if there:find(STUBS, 1, true) then return say("%s: there already, and names %s", file, STUBS) end
  say("%s: there already, and left as it is. Add to it what it lacks of:\n%s", file, (text:gsub("\n$", "")))
end

local prefix = (...):gsub("/+$", "") .. "/"
local function say(line, file, ...) print(prefix .. line:format(file, ...)) end
say("%s/: %d stubs, and luacheck.lua", STUBS, write_stubs())
write_configuration(".luarc.json", LUARC, say)
write_configuration(".luacheckrc", LUACHECKRC, say)
