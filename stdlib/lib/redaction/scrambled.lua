-- Finds short words whose letters and digits follow one another as in no word, name or symbol: dt4ugocf7, hzVuoGFLQi.
-- In a million lines of code, changelogs and dumps there are hardly any.

local randomness = require "lib/redaction/randomness"

local LONGEST = 40  -- characters

-- Public words that look so: types of numbers, instructions, a commit after "g", escapes of Unicode, versions, sizes.
local KNOWN = { "[eE]%d[mM]%d", "[aA][vV][xX]%d", "^g%x+$", "^U%x+$", "^%d*[a-z]*%d+x%d+", "clmul", "^lib%l",
  "deb%d+u", "[pP][kK][cC][sS]",
  "^0x", "fp%d", "bf16", "^[a-z]+%d+to[a-z]+%d+$", "^%u%u?%d%d?%u?%d*$" }

local function is_known(word)
  for _, pattern in ipairs(KNOWN) do
    if word:find(pattern) then return true end
  end
  return word:find "^%x+[uUlL]*$" ~= nil
end

-- How often a letter follows a digit, or a digit a letter.
local function turns(word)
  return select(2, word:gsub("%a%f[%d]", "")) + select(2, word:gsub("%d%f[%a]", ""))
end

local function is_scrambled(word)
  local digits, lower, upper = word:find "%d", word:find "%l", word:find "%u"
  local share, pairs = randomness.readable(word)
  if not digits then
    if lower and upper then
      return pairs >= 7 and share < 0.5 and randomness.changes(word) >= 0.4 and not word:find "%l%l%l"
    end
    return pairs >= 8 and share < 0.3
  end
  local often = turns(word)
  if often >= 5 and #word <= 16 and not word:find "%d%d%d" then return true end
  if pairs < 3 or share >= 0.5 then return false end
  return often >= 2 or lower and upper and randomness.changes(word) >= 0.4 and not word:find "%u%l%l%l"
end

local known, count = {}, 0  -- of words: logs repeat them

local function is_secret(word)
  local says = known[word]
  if says == nil then
    if count > 10000 then known, count = {}, 0 end
    says = is_scrambled(word) and not is_known(word)
    known[word], count = says, count + 1
  end
  return says
end

-- Whether the word is a part of a path, of a symbol, or of base64, where it is not to be judged by itself.
local function is_part(before, word, after)
  if (before .. word):find "_Z[%w_$.]*$" or before:find "%-%-%-%-%-BEGIN [^\n]*\n?$" then return true end
  local in_path = before:find "[/+.\\%%&]$" or after:find "^[/+\\(:]" or after:find "^%.%a"
  -- scott/X
  return in_path and not (before:find "%f[%w/.]%l+/$" and not after:find "^[/+.]")
end

--- Scrambled words; `is_public(scan, from, to)`: whether what is around a word says that it is not secret.
return function(scan, is_public)
  local text = scan.text
  for from, word, stop in text:gmatch "()(%w%w%w%w%w%w%w%w+)()" do
    if #word <= LONGEST and is_secret(word) then
      local before = text:sub(math.max(1, from - 240), from - 1)
      local start = from - #before:match "[%w_-]*$"  -- of the whole of what may be a digest
      local taken = is_part(before, word, text:sub(stop, stop + 4)) or is_public(scan, start, stop - 1)
        or scan:in_public_block(from)
      if not taken then scan:add(from, stop - 1, "random word") end
    end
  end
end
