-- The table that a script gives to reg.options, checked: its own options, and the shared ones that it names, each by
-- itself or by its group.

local check_keys = require "lib/options/check_keys"
local command_line = require "lib/options/command_line"
local shared = require "lib/options/shared"
local sorted_names = require "lib/sorted_names"
local types = require "lib/options/types"

local KEYS = { "type", "required", "default", "list", "min", "choices", "short", "words", "contains",
  "not_after", "needs", "not_with", "goes_back", "revision_of", "stdin" }

local function fail(name, message, hint) core.fail("usage", "options: '" .. name .. "'" .. message, hint) end

-- { default, "what it is" }, as options were written before they had types.
local function refuse_old_form(name, spec)
  local default, text = spec[1], spec[2]
  if text == nil then return end
  local kind = math.type(default) == "float" and "number" or math.type(default) or type(default)
  if not types.TYPES[kind] then kind, default = "string", nil end
  local shown = type(default) == "string" and string.format("%q", default) or tostring(default)
  fail(name, " has the old form { default, \"what it is\" }", string.format('Write %s = { %q, type = "%s"%s }.', name,
    tostring(text), kind, default and ", default = " .. shown or ""))
end

local function check(name, spec)
  if type(spec) == "table" then refuse_old_form(name, spec) end
  if type(spec) ~= "table" or type(spec[1]) ~= "string" then
    fail(name, " must be a table", string.format('Write %s = { "what it is", type = "string" }.', name))
  end
  local keys = {}
  for key, value in pairs(spec) do keys[key] = key ~= 1 and value or nil end
  check_keys("options: '" .. name .. "'", keys, KEYS)
  if not types.TYPES[spec.type] then
    local names = sorted_names(types.TYPES)
    fail(name, ": not a valid type: '" .. tostring(spec.type) .. "'" .. core.did_you_mean(tostring(spec.type), names),
      "valid types: " .. table.concat(names, ", "))
  end
end

local function check_short(all, name, spec)
  if spec.short == nil then return end
  if type(spec.short) ~= "string" or not spec.short:match "^%a$" or spec.short == "h" then
    fail(name, ": short must be one letter other than h, which is --help")
  end
  local other = command_line.find_short(all, "-" .. spec.short)
  if other ~= name then fail(name, " and '" .. other .. "' both have short = \"" .. spec.short .. "\"") end
end

return function(specs)
  local all = {}
  for _, name in ipairs(specs) do
    local spec = shared[name] or core.fail("usage",
      "options: no shared option '" .. tostring(name) .. "'" .. core.did_you_mean(tostring(name), sorted_names(shared)),
      "shared options: " .. table.concat(sorted_names(shared), ", "))
    for _, member in ipairs(spec.group or { name }) do all[member] = shared[member] end
  end
  for name, spec in pairs(specs) do
    if type(name) == "string" then
      check(name, spec)
      all[name] = spec
    end
  end
  for name, spec in pairs(all) do check_short(all, name, spec) end
  return all
end
