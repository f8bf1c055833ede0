-- Whether a word looks as if it had been drawn at random, as keys and tokens are.

local randomness = {}

--- Long enough, with letters and digits, and neither a word nor a number.
function randomness.likely(value)
  return #value >= 16 and value:find "^[%w+/=_.~%%-]+$" ~= nil and value:find "%d" ~= nil and value:find "%a" ~= nil
end

--- A digest, a commit or an id that is public: hexadecimal digits of a usual length, a UUID, or sha256-...
function randomness.is_digest(value)
  local hex = value:match "^%x+$" and #value
  if hex and (hex == 7 or hex == 8 or hex == 10 or hex == 12 or hex == 16 or hex == 32 or hex == 40 or hex == 64
    or hex == 96 or hex == 128) then return true end
  return value:find "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$" ~= nil
    or value:find "^[Ss][Hh][Aa]%d+[-:=]" ~= nil or value:find "^0x%x+[uUlL]*$" ~= nil or value:find "^md5[-:]" ~= nil
end

-- Bits per character.
local function entropy(value)
  local counts, bits = {}, 0
  for i = 1, #value do
    local byte = value:byte(i)
    counts[byte] = (counts[byte] or 0) + 1
  end
  for _, count in pairs(counts) do bits = bits - count / #value * math.log(count / #value, 2) end
  return bits
end

-- How often a letter is followed by a digit, or a capital letter by a small one, and the reverse: in names and paths
-- rarely.
local function changes(value)
  local count, last = 0, nil
  for i = 1, #value do
    local byte = value:byte(i)
    local kind = byte >= 97 and 1 or byte >= 65 and byte <= 90 and 2 or byte >= 48 and byte <= 57 and 3 or 4
    if last and kind ~= last then count = count + 1 end
    last = kind
  end
  return count / #value
end

--- More so than any name, path or mangled symbol.
function randomness.certain(value)
  if #value < 20 or value:find "^_?_Z" or value:find "^%?" or randomness.is_digest(value) then return false end
  if not (value:find "%d.*%d" and value:find "%l" and value:find "%u") then return false end
  -- Paths, and names with words in them.
  if value:find "%l%l%l%l/" or value:find "/%l%l%l%l" or value:find "[_-]%l%l%l+[_-]" then return false end
  return entropy(value) >= 3.6 + math.min(#value - 20, 20) * 0.03 and changes(value) >= 0.35
end

return randomness
