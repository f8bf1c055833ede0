#!/usr/bin/env regengine
--- Names the functions of the stubs that no test calls. Needs tests/support/private_stdlib; see tests/scripts/test_reference.sh.
--- A function counts as called where a test names it as reg.x.y; a method where a test calls one of its name and names a function of
--- the same stub file, which is where its object comes from.

local stubs = reg.private "lib/help/stubs"
local FOLDERS = { "tests/lua", "tests/scripts", "tests/gpu" }

-- Comments say what is tested; only code tests it.
local function code_of(file, text)
  if not file:find "%.lua$" then return (text:gsub("%f[^\n%z]%s*#[^\n]*", "")) end
  return (text:gsub("%f[^\n%z]%s*%-%-[^\n]*", ""):gsub("%s%-%-%s[^\n]*", ""))
end

local function all_tests()
  local texts = {}
  for _, folder in ipairs(FOLDERS) do
    for _, file in ipairs(reg.fs.list(folder)) do
      if file:find "%.lua$" or file:find "%.sh$" or file:find "%.py$" then
        texts[#texts + 1] = code_of(file, reg.fs.read(folder .. "/" .. file))
      end
    end
  end
  return texts
end

local function names(text, name) return text:find("%f[%w]reg%." .. name:gsub("%.", "%%.") .. "%f[^%w_%.:]") ~= nil end

-- `local store = reg.store` and then `store.open`.
local function names_by_alias(text, name)
  local noun, member = name:match "^(.*)%.([^%.]+)$"
  local alias = noun and text:match("local ([%w_]+) ?= ?reg%." .. noun:gsub("%.", "%%.") .. "%f[^%w_%.:]")
  return alias and text:find("%f[%w_]" .. alias .. "%." .. member .. "%f[^%w_]") ~= nil
end

local function calls_method(text, entry, functions_of_file)
  local name = entry.name:match "[^%.]+$"
  local calls = text:find(":" .. name .. " ?[%({\"'%[]") or name == "close" and text:find("< ?close ?>")
  if not calls then return false end
  for _, maker in ipairs(functions_of_file[entry.file] or {}) do
    if names(text, maker) then return true end
  end
  return false
end

local functions_of_file = {}
for name, entry in pairs(stubs.all().functions) do
  if not entry.method then
    functions_of_file[entry.file] = functions_of_file[entry.file] or {}
    table.insert(functions_of_file[entry.file], name)
  end
end

local tests, untested = all_tests(), {}
for name, entry in pairs(stubs.all().functions) do
  local found = false
  for _, text in ipairs(tests) do
    found = found or (entry.method and calls_method(text, entry, functions_of_file)) or
            (not entry.method and (names(text, name) or names_by_alias(text, name)))
  end
  if not found then untested[#untested + 1] = entry.method and name:gsub("%.([^%.]+)$", ":%1") or "reg." .. name end
end
table.sort(untested)
for _, name in ipairs(untested) do print("no test calls " .. name) end
return #untested > 0 and 1 or 0
