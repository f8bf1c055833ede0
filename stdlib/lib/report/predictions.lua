-- What became of predictions, in words.

local read = require "lib/report/read"

local predictions = {}

--- Those in a stored answer, which may be damaged.
function predictions.stored(answer)
  return read.each(answer.predictions, function(one)
    local whole = type(one) == "table" and read.text(one.line) and read.text(one.verdict)
    return whole and { line = one.line, verdict = one.verdict, measured = read.text(one.measured) or "" } or nil
  end)
end

--- "Predicted:" and a line for each; {} without predictions.
function predictions.lines(list)
  local lines, width = {}, 0
  for _, one in ipairs(list or {}) do width = math.max(width, utf8.len(one.line) or #one.line) end
  for i, one in ipairs(list or {}) do
    lines[i + 1] = "  " .. one.line .. (" "):rep(width - (utf8.len(one.line) or #one.line)) .. "   " .. one.verdict
      .. ": " .. one.measured
  end
  if lines[2] then lines[1] = "Predicted:" end
  return lines
end

return predictions
