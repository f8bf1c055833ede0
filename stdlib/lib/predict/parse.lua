-- What a user expects of a comparison, written down before it runs: "step time -10 %, kernels fewer".

local sorted_names = require "lib/sorted_names"

local WORDS <const> = { same = "same", unchanged = "same", fewer = "lower", less = "lower", lower = "lower",
  shorter = "lower", more = "higher", higher = "higher", longer = "higher" }
local UNDERSTOOD <const> = "Write each line as NAME -10 %, NAME +5 %, NAME fewer, NAME more or NAME same; "
  .. "separate lines with commas."

local function usage(who, message, hint) core.fail("usage", who .. ": " .. message, hint or UNDERSTOOD) end

local function lines_of(who, given)
  if type(given) == "string" then
    local lines = {}
    for line in (given .. ","):gmatch "([^,\n]*)[,\n]" do lines[#lines + 1] = line end
    return lines
  end
  if type(given) ~= "table" then usage(who, "predict must be a string, or a list of strings") end
  for i = 1, math.max(#given, 1) do
    if type(given[i]) ~= "string" then usage(who, "predict must be a string, or a list of strings") end
  end
  return given
end

-- The name that a line begins with, and what it expects: `direction` "lower", "higher" or "same", with `size`, the
-- relative change, of a percentage.
local function parts_of(line)
  local name, sign, number = line:match "^(.-)%s*([+-])%s*(%d+%.?%d*)%s*%%$"
  local size = number and tonumber(number) / 100
  if size and size > 0 and (sign == "+" or size <= 1) then
    return name, { direction = sign == "-" and "lower" or "higher", size = size }
  end
  local word
  name, word = line:match "^(.-)%s+(%a+)$"
  return name, WORDS[word] and { direction = WORDS[word] } or nil
end

local function known(names, name)
  for _, one in ipairs(names) do
    if one:lower() == name:lower() then return one end
  end
end

--- The expectations in `given`, a string or a list: { line =, name =, direction =, size = }; nil of nil.
--- `metric`: the name of what is compared, for which "metric" is another name; nil while it is not known, and then
--- names are not checked. `quantities`: what else is counted, by name. Raises usage for a line that it does not
--- understand; `who` is the function that was given it.
return function(who, given, metric, quantities)
  if given == nil then return nil end
  local names, list, seen = sorted_names(quantities), {}, {}
  if metric and not known(names, metric) then table.insert(names, 1, metric) end
  for _, line in ipairs(lines_of(who, given)) do
    line = line:match "^%s*(.-)%s*$"
    local name, expected = parts_of(line)
    if not expected or name == "" then usage(who, "not a valid prediction: '" .. line .. "'") end
    local full = name == "metric" and metric or known(names, name) or not metric and name
    if not full then
      usage(who, string.format("cannot measure '%s', which is predicted here%s", name, core.did_you_mean(name, names)),
        "Predict one of: " .. table.concat(names, ", ") .. ".")
    end
    if seen[full] then usage(who, "two predictions for '" .. full .. "'", "Keep one of them.") end
    seen[full] = true
    expected.line, expected.name = line, full
    list[#list + 1] = expected
  end
  return list
end
