-- Whether a word looks as if it had been drawn at random, as keys and tokens are.

local randomness = {}

--- Long enough, with letters and digits, and neither a word nor a number.
function randomness.likely(value)
  return #value >= 16 and value:find "^[%w+/=_.~%%-]+$" ~= nil and value:find "%d" ~= nil and value:find "%a" ~= nil
end

--- A UUID, as a pattern.
randomness.UUID = ("%x"):rep(8) .. ("%-" .. ("%x"):rep(4)):rep(3) .. "%-" .. ("%x"):rep(12)

--- A UUID.
function randomness.is_uuid(value) return value:find("^" .. randomness.UUID .. "$") ~= nil end

--- A digest, a commit or an id that is public: hexadecimal digits of a usual length, a UUID, or sha256-...
function randomness.is_digest(value)
  local hex = value:match "^%x+$" and #value
  if hex and (hex == 7 or hex == 8 or hex == 10 or hex == 12 or hex == 16 or hex == 32 or hex == 40 or hex == 64
    or hex == 56 or hex == 96 or hex == 128) then return true end
  return randomness.is_uuid(value) or value:find "^[Ss][Hh][Aa]%d+[-:=]" ~= nil
    or value:find "^0x%x+[uUlL]*$" ~= nil or value:find "^md5[-:]" ~= nil
end

--- A digest after words that say of what: Linux-pip-0123...
function randomness.ends_in_digest(value)
  local hex = value:match "^%a[%w_.-]*%-(%x+)$"
  return hex ~= nil and #hex >= 32 and randomness.is_digest(hex)
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

--- How often a letter is followed by a digit, or a capital letter by a small one, and the reverse: in names and paths
--- rarely.
function randomness.changes(value)
  local count, last = 0, nil
  for i = 1, #value do
    local byte = value:byte(i)
    local kind = byte >= 97 and 1 or byte >= 65 and byte <= 90 and 2 or byte >= 48 and byte <= 57 and 3 or 4
    if last and kind ~= last then count = count + 1 end
    last = kind
  end
  return count / #value
end

-- How many letters follow one another in the same case at most.
local function longest_run(value, pattern)
  local longest = 0
  for run in value:gmatch(pattern) do longest = math.max(longest, #run) end
  return longest
end

-- The letters that often follow each letter in English, in programs and in symbols: 87 % of the pairs in their words, a
-- third of the pairs in random letters.
local FOLLOW = {}
for row in ([[
  abcdgilmnprstu baeilou caehiklorstu dadeilorsu eacdefglmnprstvwxy faefilor geinrs haeio iabcdefglmnoprstvz keis
  ladeilostuy maeiops nacdefgiostuv obcdgklmnoprstuvw paeiloprstuy qu racdeimnorstuy sacehilopstuy tacdefhiloprstuy
  uabeilmnprst vaei waei xpt yps ze]]):gmatch "%l+" do
  local first = row:byte()
  for i = 2, #row do FOLLOW[first << 8 | row:byte(i)] = true end
end

--- The share of the pairs of letters that words have, too, and how many pairs there are.
function randomness.readable(value)
  local count, usual, last = 0, 0, nil
  for i = 1, #value do
    local byte = value:byte(i) | 32
    local letter = byte >= 97 and byte <= 122
    if letter and last then
      count = count + 1
      if FOLLOW[last << 8 | byte] then usual = usual + 1 end
    end
    last = letter and byte or nil
  end
  return usual / math.max(count, 1), count
end

--- Whether its letters follow one another as in no word.
function randomness.is_unreadable(value, fewest, most)
  local share, count = randomness.readable(value)
  return count >= (fewest or 7) and share < (most or 0.5)
end

--- Whether letters of both cases follow one another as in no word: hzVuoGFLQi.
function randomness.is_scrambled(value)
  return value:find "%l%u" ~= nil and value:find "^[%w]+$" ~= nil and randomness.is_unreadable(value, 5)
end

local function is_readable(value)
  local share, count = randomness.readable(value)
  return count >= 10 and share >= 0.75
end

-- Letters of both cases and digits, in an order that no name has.
local function is_mixed(value)
  local digits = select(2, value:gsub("%d", ""))
  if digits == 0 or not (value:find "%l" and value:find "%u") then return false end
  local often = randomness.changes(value)
  return entropy(value) >= 3.6 + math.min(#value - 20, 20) * 0.03 and often >= (digits == 1 and 0.5 or 0.35)
    and (longest_run(value, "%l+") <= 7 or randomness.is_unreadable(value, 10)) and not is_readable(value)
end

-- Letters of one case and digits, more than in any name: base32 and the like.
local function is_of_one_case(value)
  if #value < 24 or value:find "%W" or value:find "^%x+$" or value:find "%l" and value:find "%u" then return false end
  local digits = select(2, value:gsub("%d", ""))
  return digits >= 3 and digits <= #value * 0.6 and randomness.changes(value) >= 0.2 and entropy(value) >= 3.6
    and longest_run(value, "%a+") <= math.max(12, #value // 3)
end

-- A path, or a name with words in it: a random part of it is looked at by itself.
local function has_words(value)
  return value:find "%l%l%l%l/" or value:find "/%l%l%l%l" or value:find "[_-]%l%l%l+[_-]"
end

-- Hexadecimal digits of a length that no digest has.
local function is_odd_hex(value)
  return #value > 32 and (value:find "^[%d%l]+$" or value:find "^[%d%u]+$") and value:find "^%x+$"
    and not randomness.is_digest(value) and entropy(value) >= 3.3 and select(2, value:gsub("%a", "")) >= 8
end

-- Letters and digits, or letters alone, that nobody can read.
local function is_noise(value)
  if not value:find "^[%w+/]+=*$" or value:find "^%x+$" then return false end
  local often = randomness.changes(value)
  if value:find "%d" and often >= 0.3 then return randomness.is_unreadable(value, 6) end
  if often >= 0.15 then return entropy(value) >= 3.9 and randomness.is_unreadable(value, 10) end
  -- An alphabet has each letter once.
  local bits = value:find "^%a+$" and entropy(value) or 0
  return bits >= 3.3 and bits < math.log(#value, 2) - 0.01 and randomness.readable(value) < 0.4
end

local GROUP = "[%l%d][%l%d][%l%d][%l%d]"
local GROUPS = "^" .. GROUP .. "%-" .. GROUP .. "%-" .. GROUP .. "%-" .. GROUP .. "$"
local MAILGUN = "^" .. ("%x"):rep(32) .. "%-" .. ("%x"):rep(8) .. "%-" .. ("%x"):rep(8) .. "$"

--- Keys in groups: xvcp-1vi6-7z9q-lx3i
function randomness.is_grouped(value)
  if #value == 50 then return value:find(MAILGUN) ~= nil end
  if #value ~= 19 or not value:find(GROUPS) or value:find "^[%x-]+$" then return false end
  return select(2, value:gsub("%d%l", "")) + select(2, value:gsub("%l%d", "")) >= 3
end

--- More so than any name, path or mangled symbol.
function randomness.certain(value)
  if #value < 20 or value:find "^_?_Z" or value:find "^%?" or randomness.is_digest(value) then return false end
  local blob = #value >= 64 and value:find "^[%w+/]+=*$" and entropy(value) >= 5 and randomness.changes(value) >= 0.35
  if blob then return true end
  if has_words(value) then return false end
  return is_mixed(value) or is_of_one_case(value) or is_odd_hex(value) or is_noise(value)
end

-- Shorter than what is certain, and with all three kinds of characters.
local function is_doubtful(value)
  if #value < 16 or #value > 256 or value:find "^_?_Z" or randomness.is_digest(value) then return false end
  local all = value:find "%d" and value:find "%l" and value:find "%u"
  return all and entropy(value) >= 3.5 and randomness.changes(value) >= 0.35 and longest_run(value, "%l+") <= 5
end

--- Perhaps. Of a path, whether one of its parts is.
function randomness.suspect(value)
  if not has_words(value) then return is_doubtful(value) end
  for part in value:gmatch "[^/]+" do
    if not has_words(part) and is_doubtful(part) then return true end
  end
  return false
end

return randomness
