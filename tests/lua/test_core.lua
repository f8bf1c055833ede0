-- The functions of C++ that only the standard library calls: no value of a wrong type, as from a store that somebody else
-- made, ends the engine. A wrong type is a usage error.

local test = require "harness"

-- Calls each function with each value at each place, the others being strings, tables or numbers.
local CALLS = [[
  local core = reg.private "lib/core"
  local functions = {}
  local function collect(found, prefix)
    for name, member in pairs(found) do
      if type(member) == "function" then functions[#functions + 1] = { name = prefix .. name, call = member } end
    end
  end
  collect(core, "core.")
  for noun, members in pairs(core.nouns) do
    if type(members) == "table" then collect(members, noun .. ".") end
  end
  table.sort(functions, function(a, b) return a.name < b.name end)
  local values = { false, true, -1, 1.5, 0 / 0, 2 ^ 63, "", "word", "\0", {}, { 1 }, { "word" }, { {} }, { a = {} },
    print, coroutine.create(print), reg.json.null }
  local OTHERS = { "word", {}, 1 }
  local function try(f, ...)
    local ok, why = pcall(f.call, ...)
    if ok then return end
    local kind = type(why) == "table" and why.kind
    if not kind or kind == "internal" then print(f.name, kind and why.message or why) end
  end
  for _, f in ipairs(functions) do
    if f.name ~= "core.exit" then  -- which raises what ends the script
      print("calls " .. f.name)
      try(f)
      for _, other in ipairs(OTHERS) do
        for place = 1, 3 do
          for i = 0, #values do
            local arguments = { other, other, other }
            arguments[place] = values[i]
            try(f, table.unpack(arguments, 1, 3))
            try(f, table.unpack(arguments, 1, place))
          end
        end
      end
    end
  end
  print(#functions .. " functions")
]]

test("no value of a wrong type ends the engine, and each is a usage error", function()
  reg.fs.write("calls.lua", CALLS)
  local run = reg.process.run { shell = 'mkdir -p apart && cd apart && ' ..
    'PATH=/nowhere "$REGENGINE" --stdlib ../stdlib --dry-run ../calls.lua </dev/null', timeout_s = 600 }
  test.equal(run.code, 0, run.stderr:sub(-500))
  local wrong = {}
  for line in run.stdout:gmatch "[^\n]+" do
    if line:find "^[%w_.]+\t" then wrong[#wrong + 1] = line end
  end
  test.equal(table.concat(wrong, "\n"), "")
  test.truthy(tonumber(run.stdout:match "(%d+) functions") > 100, run.stdout:sub(-200))
end)

return test.finish()
