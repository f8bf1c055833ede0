-- The memory that a program needs, out of "...-buffer-assignment.txt": lines such as
-- "allocation 12: size 1152, preallocated-temp:".

local sums = { "total", "temporary", "parameters", "output", "constants", "other" }

-- What an allocation is for, by a word in its line.
local KINDS = { { "preallocated-temp", "temporary" }, { "parameter", "parameters" }, { "maybe-live-out", "output" },
                { "constant", "constants" } }

local function kind_of(words)
  for _, kind in ipairs(KINDS) do
    if words:find(kind[1], 1, true) then return kind[2] end
  end
  return "other"
end

--- Bytes by what they are for; nil for a text without allocations.
return function(text)
  local bytes, found = {}, false
  for _, name in ipairs(sums) do bytes[name] = 0 end
  for size, words in text:gmatch "%f[^%z\n]allocation %d+: [^\n]-%f[%w]size (%d+)([^\n]*)" do
    local number, kind = tonumber(size), kind_of(words)
    bytes.total, bytes[kind], found = bytes.total + number, bytes[kind] + number, true
  end
  return found and bytes or nil
end
