-- A metric that is NaN or infinite: a failure of its own kind, as of a training whose loss diverged.

local STATUS = "not_finite"
local WORDS = { nan = "NaN", inf = "infinite", infinity = "infinite" }

local not_finite = {}

--- "NaN" or "infinite" for a number, or for how programs print one; nil for all else.
function not_finite.word(value)
  if type(value) == "string" then
    return WORDS[value:lower():match "^[-+]?(%a+)$"] or not_finite.word(tonumber(value))
  end
  if type(value) ~= "number" then return nil end
  return value ~= value and "NaN" or math.abs(value) == math.huge and "infinite" or nil
end

--- The failed trial: "the loss became NaN: ...", with the end of `output`.
function not_finite.skip(metric, word, output)
  local name = metric == "value" and "the metric" or "the " .. metric
  return reg.skip(name .. " became " .. word, output or "", STATUS)
end

-- The JSON as text in which NaN, Infinity and -Infinity, which Python writes, are strings.
local function as_strings(json)
  if json:find "[%z\1]" then return json end  -- not JSON
  json = json:gsub('\\["\\]', { ['\\"'] = "\0", ["\\\\"] = "\1" })
  json = json:gsub('([^"]*)("?[^"]*"?)', function(code, text)
    return code:gsub("%-?%f[%a]%a+", function(word) return not_finite.word(word) and '"' .. word .. '"' end) .. text
  end)
  return (json:gsub("[%z\1]", { ["\0"] = '\\"', ["\1"] = "\\\\" }))
end

--- Whether the text is JSON, if only with Python's NaN and Infinity, and its value, with strings for these.
function not_finite.decode(text)
  local ok, value = pcall(reg.json.decode, text)
  if not ok then ok, value = pcall(reg.json.decode, as_strings(text)) end
  return ok, value
end

return not_finite
