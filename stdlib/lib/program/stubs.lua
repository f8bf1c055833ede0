-- regengine --stubs DIR: writes what lua-language-server needs into a folder of scripts. It does not change an existing
-- configuration, but prints what that lacks.

local sorted_names = require("lib/values").sorted_names
local stubs = require "lib/help/stubs"

local STUBS, FILE = "regengine-stubs", ".luarc.json"

local LUARC = [[
{
  "runtime.version": "Lua 5.4",
  "runtime.builtin": { "io": "disable", "debug": "disable", "package": "disable" },
  "workspace.library": ["regengine-stubs"],
  "diagnostics.globals": ["reg"]
}
]]

local prefix = (...):gsub("/+$", "") .. "/"
local function say(line, ...) print(prefix .. line:format(...)) end
local texts = stubs.texts()
reg.fs.mkdir(STUBS)
for file, text in pairs(texts) do reg.fs.write(STUBS .. "/" .. file, text) end
say("%s/: wrote %d stubs", STUBS, #sorted_names(texts))
if not reg.fs.exists(FILE) then
  reg.fs.write(FILE, LUARC)
  say("%s: written", FILE)
elseif reg.fs.read(FILE):find(STUBS, 1, true) then
  say("%s: exists, and already names %s", FILE, STUBS)
else
  say("%s: exists, not changed. Add what it lacks:\n%s", FILE, (LUARC:gsub("\n$", "")))
end
