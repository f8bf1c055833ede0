-- Takes numbers out of a test's output. A number that is missing or not finite fails the trial.

local metric = {}

-- What {number} matches: digits as any program prints them, and nan or inf, so that they can be refused by name.
local NUMBER = "([-+]?[%w.,]+[-+]?%d*)"

local function to_pattern(text)
  if not text:find("{number}", 1, true) then return text end
  local pieces, from = {}, 1
  while true do
    local first, last = text:find("{number}", from, true)
    local plain = text:sub(from, first and first - 1)
    pieces[#pieces + 1] = (plain:gsub("%p", "%%%0"))
    if not first then return table.concat(pieces) end
    pieces[#pieces + 1] = NUMBER
    from = last + 1
  end
end

-- "3.5ms" is 3.5: a unit may follow a number directly. "1,234.5" is refused: both 1 and 1234.5 could be wrong.
local function leading_number(text)
  if text:find("%d,%d") then return nil end
  return tonumber(text) or tonumber(text:match("^[-+]?%d*%.?%d+[eE][-+]?%d+") or text:match("^[-+]?%d*%.?%d+"))
end

local function finite(value, what, output)
  local number = type(value) == "string" and leading_number(value) or tonumber(value)
  if not number or number ~= number or math.abs(number) == math.huge then
    error(reg.skip(string.format("%s gives '%s', which is not a finite number", what, tostring(value)), output), 0)
  end
  return number + 0.0
end

local function to_checked_pattern(pattern)
  if type(pattern) ~= "string" or pattern == "" then
    core.fail("usage", "metric: the pattern must be a string such as 'MLUPS: {number}'")
  end
  local lua_pattern = to_pattern(pattern)
  if not pcall(string.find, "", lua_pattern) then
    core.fail("usage", "metric: not a valid pattern: '" .. pattern .. "'",
      "Write it as 'MLUPS: {number}', or as a Lua pattern with one capture.")
  end
  return lua_pattern
end

-- A number that `pattern` found. Text that is the pattern itself was found because the pattern captures nothing.
local function captured_number(captured, pattern, output)
  if captured == pattern then
    core.fail("usage", "metric: the pattern '" .. pattern .. "' captures no number",
      "Write it as '" .. pattern .. ": {number}'.")
  end
  return finite(captured, "'" .. pattern .. "'", output)
end

local function fail_without_match(pattern, output)
  error(reg.skip("the output has no match for '" .. pattern .. "'", output), 0)
end

--- The name of a metric: "MLUPS" for the pattern "MLUPS: {number}". Text that is no pattern is the name itself.
function metric.name(pattern)
  to_checked_pattern(pattern)
  if not pattern:find "[{(%%]" then return pattern end
  return pattern:match("^[%w_][%w_ /]*%w") or "value"
end

-- A rehearsal of `measure` has no output: any number will do, and the pattern is noted.
local function rehearsed(pattern)
  if core.rehearsing() then core.note("metric " .. pattern) end
  return core.rehearsing()
end

--- The first number that the pattern matches.
function metric.find(text, pattern)
  if rehearsed(pattern) then return 1.0 end
  local captured = text:match(to_checked_pattern(pattern))
  if captured == nil then fail_without_match(pattern, text) end
  return captured_number(captured, pattern, text)
end

--- Every number that the pattern matches, in order.
function metric.all(text, pattern)
  if rehearsed(pattern) then return { 1.0 } end
  local found = {}
  for captured in text:gmatch(to_checked_pattern(pattern)) do
    found[#found + 1] = captured_number(captured, pattern, text)
  end
  if #found == 0 then fail_without_match(pattern, text) end
  return found
end

--- The number at a path such as "results[1].p50_ms" of the JSON that the text is, or that its last JSON line is.
function metric.json(text, path)
  if rehearsed(path) then return 1.0 end
  local ok, value = pcall(reg.json.decode, text)
  if not ok then
    for line in text:gmatch("[^\n]+") do
      if line:match("^%s*[{%[]") then
        local line_ok, line_value = pcall(reg.json.decode, line)
        if line_ok then ok, value = true, line_value end
      end
    end
  end
  if not ok then error(reg.skip("the output has no JSON", text), 0) end
  for step in path:gmatch("[^.%[%]]+") do
    if type(value) ~= "table" then value = nil break end
    value = value[tonumber(step) or step]
  end
  if value == nil then error(reg.skip("the JSON in the output has no '" .. path .. "'", text), 0) end
  return finite(value, "'" .. path .. "'", text)
end

--- Several metrics at once: { mlups = "MLUPS: {number}", ... } gives { mlups = 587.9, ... }.
function metric.table(text, patterns)
  local values = {}
  for name, pattern in pairs(patterns) do values[name] = metric.find(text, pattern) end
  return values
end

return metric
