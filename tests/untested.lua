#!/usr/bin/env regengine
--- Names the functions of docs/reference that no test calls; see tests/scripts/test_reference.sh.
--- A function counts as called where a test names it as reg.x.y; a method where a test calls one of its name and names
--- a function of the same page, which is where its object comes from.

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

local function calls_method(text, name, functions)
  local calls = text:find(":" .. name .. " ?[%({\"'%[]") or name == "close" and text:find("< ?close ?>")
  for _, maker in ipairs(calls and functions or {}) do
    if names(text, maker) then return true end
  end
  return false
end

local tests, untested = all_tests(), {}
for _, page in ipairs(reg.fs.list "docs/reference") do
  local functions, methods = {}, {}
  for heading in reg.fs.read("docs/reference/" .. page):gmatch "\n### ([^\n]+)" do
    functions[#functions + 1] = heading:match "^reg%.([%w_.]+)$"
    methods[#methods + 1] = heading:match "^[%w_.]+:[%w_]+$"
  end
  local function check(shown, calls)
    for _, text in ipairs(tests) do
      if calls(text) then return end
    end
    untested[#untested + 1] = shown
  end
  for _, name in ipairs(functions) do
    check("reg." .. name, function(text) return names(text, name) or names_by_alias(text, name) end)
  end
  for _, name in ipairs(methods) do
    check(name, function(text) return calls_method(text, name:match "[^:]+$", functions) end)
  end
end
for _, name in ipairs(untested) do print("no test calls " .. name) end
return #untested > 0 and 1 or 0
