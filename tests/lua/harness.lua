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

-- Each of these texts must stand in `whole`, or none of them.
function test.has(whole, ...)
  for _, text in ipairs { ... } do
    if not whole:find(text, 1, true) then error("it lacks " .. text .. ":\n" .. whole, 2) end
  end
end
function test.lacks(whole, ...)
  for _, text in ipairs { ... } do
    if whole:find(text, 1, true) then error("it has " .. text .. ":\n" .. whole, 2) end
  end
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

-- f must raise an error of that kind for each row { text of the error, arguments... }.
function test.refuses(kind, f, rows)
  for _, row in ipairs(rows) do test.raises(row[1], function() f(table.unpack(row, 2)) end, kind) end
end

-- `more` over the defaults, in their table.
function test.merged(defaults, more)
  for name, value in pairs(more or {}) do defaults[name] = value end
  return defaults
end

-- Of each of a list this field, or what the function makes of it.
function test.map(list, of)
  local all = {}
  for i, one in ipairs(list) do
    if type(of) == "function" then all[i] = of(one) else all[i] = one[of] end
  end
  return all
end

function test.lines(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

-- s1, s2, ..., or with a format of their own.
function test.subjects(n, form)
  local list = {}
  for i = 1, n do list[i] = { id = (form or "s%d"):format(i), place = i } end
  return list
end

-- From -0.5 to 0.5, the same numbers at every run of the test, and again after test.seed.
local seed = 1
function test.seed(number) seed = number end
function test.noise()
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed / 2147483648 - 0.5
end

-- Near the normal distribution of deviation 1.
function test.normal()
  local sum = 0
  for _ = 1, 12 do sum = sum + test.noise() end
  return sum
end

-- A name that no other file of this run has.
local names = 0
function test.fresh(ending)
  names = names + 1
  return "fresh" .. names .. (ending or "")
end

-- A variable of the environment, which scripts have not: "" if it is not set.
function test.variable(name) return reg.process.run({ shell = "printf %s \"$" .. name .. "\"" }).stdout end

-- A test for docker and one for podman, those that tests/support/daemons names in the environment.
function test.with_each_engine(what, f)
  for engine, sign in pairs { docker = "REGENGINE_TEST_DOCKER", podman = "REGENGINE_TEST_PODMAN" } do
    test(what .. " (" .. engine .. ")", function()
      local image = test.variable "REGENGINE_TEST_IMAGE"
      if image ~= "" and test.variable(sign) ~= "" then return f(engine, image) end
      if test.variable "REGENGINE_REQUIRE_REAL" == "1" then error(sign .. " is not set: run under tests/support/daemons") end
      test.skip(sign .. " is not set; run under tests/support/daemons")
    end)
  end
end

-- Skips the test where this program is not installed.
function test.needs(program)
  if not reg.process.run { shell = "command -v " .. program }.ok then test.skip(program .. " is not installed") end
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
