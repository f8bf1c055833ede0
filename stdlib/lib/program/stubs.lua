-- regengine --stubs DIR: writes what an editor (lua-language-server) and luacheck need into a folder of scripts. It
-- does not change existing configurations, but prints what they lack.

local sorted_names = require("lib/values").sorted_names
local stubs = require "lib/help/stubs"

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

-- Parts of Lua that scripts do not have.
local UNAVAILABLE = { "debug", "dofile", "io", "loadfile", "package", "string.dump", "os.execute", "os.exit",
  "os.getenv", "os.remove", "os.rename", "os.setlocale", "os.tmpname" }

-- The members of `reg`, as luacheck describes a global.
local function luacheck_globals()
  local lines = { "-- The globals of scripts, for .luacheckrc. Written by regengine --stubs.", "return {",
                  "  read_globals = { reg = { fields = {" }
  for _, name in ipairs(sorted_names(reg)) do
    local fields = {}
    for i, field in ipairs(type(reg[name]) == "table" and sorted_names(reg[name]) or {}) do
      fields[i] = field .. " = {}"
    end
    lines[#lines + 1] = #fields == 0 and ("    %s = {},"):format(name) or
                        ("    %s = { fields = { %s } },"):format(name, table.concat(fields, ", "))
  end
  lines[#lines + 1] = "  } } },"
  lines[#lines + 1] = '  not_globals = { "' .. table.concat(UNAVAILABLE, '", "') .. '" },'
  lines[#lines + 1] = "}"
  return table.concat(lines, "\n") .. "\n"
end

-- Writes a configuration if there is none.
local function write_configuration(file, text, say)
  if not reg.fs.exists(file) then
    reg.fs.write(file, text)
    return say("%s: written", file)
  end
  if reg.fs.read(file):find(STUBS, 1, true) then return say("%s: exists, and already names %s", file, STUBS) end
  say("%s: exists, not changed. Add what it lacks:\n%s", file, (text:gsub("\n$", "")))
end

local prefix = (...):gsub("/+$", "") .. "/"
local function say(line, file, ...) print(prefix .. line:format(file, ...)) end
reg.fs.mkdir(STUBS)
local texts = stubs.texts()
for file, text in pairs(texts) do reg.fs.write(STUBS .. "/" .. file, text) end
reg.fs.write(STUBS .. "/luacheck.lua", luacheck_globals())
say("%s/: wrote %d stubs and luacheck.lua", STUBS, #sorted_names(texts))
write_configuration(".luarc.json", LUARC, say)
write_configuration(".luacheckrc", LUACHECKRC, say)
