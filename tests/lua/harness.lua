-- The tests' own few words. A file of tests is
--   local test = require "harness"
--   test("what is promised", function() test.equal(got, wanted) end)
--   return test.finish()
-- and one that needs what this machine lacks calls test.skip(why), which the runner reports loudly.

local test = {}
local passed, failed, skipped = 0, 0, 0
local SKIP = {}

-- A value as text, tables with sorted keys, so that equal values give equal text.
local function show(value)
  if type(value) == "string" then return string.format("%q", value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for key, element in pairs(value) do parts[#parts + 1] = "[" .. show(key) .. "]=" .. show(element) end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

function test.equal(got, wanted, what)
  if show(got) ~= show(wanted) then
    error(string.format("%sgot %s, wanted %s", what and what .. ": " or "", show(got), show(wanted)), 2)
  end
end

function test.truthy(value, what)
  if not value then error(what or "wanted something true, got " .. tostring(value), 2) end
end

function test.near(got, wanted, tolerance, what)
  if type(got) ~= "number" or math.abs(got - wanted) > tolerance then
    error(string.format("%sgot %s, wanted %s +- %s", what and what .. ": " or "", show(got), wanted, tolerance), 2)
  end
end

-- f must raise; the error's text must hold `text` (plain) and, where given, its kind must be `kind`. Returns the error.
function test.raises(text, f, kind)
  local ok, why = pcall(f)
  if ok then error("nothing was raised, wanted: " .. text, 2) end
  if not tostring(why):find(text, 1, true) then error("raised: " .. tostring(why) .. "\nwanted: " .. text, 2) end
  if kind and (type(why) ~= "table" or why.kind ~= kind) then
    error("raised kind " .. tostring(type(why) == "table" and why.kind) .. ", wanted " .. kind .. ": " .. tostring(why), 2)
  end
  return why
end

function test.skip(why) error(setmetatable({ why = why }, SKIP), 0) end

function test.finish()
  print(string.format("%d passed, %d failed, %d skipped", passed, failed, skipped))
  if failed > 0 then return 1 end
  return passed == 0 and skipped > 0 and 77 or 0
end

return setmetatable(test, {
  __call = function(_, name, f)
    local ok, why = pcall(f)
    if ok then
      passed = passed + 1
    elseif getmetatable(why) == SKIP then
      skipped = skipped + 1
      print("SKIPPED: " .. why.why .. "\t" .. name)
    else
      failed = failed + 1
      print("FAILED: " .. name .. ": " .. tostring(why))
    end
  end,
})
