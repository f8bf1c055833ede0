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
  local parts, from = {}, 1
  repeat
    local open = json:find('"', from, true)
    parts[#parts + 1] = json:sub(from, open and open - 1):gsub("%-?%f[%a]%a+", function(word)
      return not_finite.word(word) and '"' .. word .. '"' or nil
    end)
    local close = open
    repeat
      close = close and json:find('["\\]', close + 1)
      local escape = close and json:sub(close, close) == "\\"
      if escape then close = close + 1 end
    until not escape
    parts[#parts + 1] = open and json:sub(open, close or #json) or ""
    from = (close or #json) + 1
  until not open
  return table.concat(parts)
end

--- Whether the text is JSON, if only with Python's NaN and Infinity, and its value, with strings for these.
function not_finite.decode(text)
  local ok, value = pcall(reg.json.decode, text)
  if not ok then ok, value = pcall(reg.json.decode, as_strings(text)) end
  return ok, value
end

return not_finite
