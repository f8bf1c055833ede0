-- Finds words that are random beyond doubt, whatever issued them, unless what is around them says that they are public:
-- digests, public keys, certificates, caches, mangled names.

local randomness = require "lib/redaction/randomness"
local scrambled = require "lib/redaction/scrambled"
local set = require("lib/redaction/words").set

local SHORTEST, LONGEST = 19, 256  -- characters; what is longer is a blob: a kernel, an image

-- What ends before a public word, in lower case.
local PUBLIC_BEFORE = { "sha%d+[=:\"' _-]+$", "md5[=:\"' -]+$", "blake%w*[=:\"' -]+$", "h1:$", "ssh%-%w+ $",
  "nistp%d+ $", "integrity[=:\"' ]+$", "digest[=:\"' ]+$", "checksum[=:\"' ]+$", "fingerprint%w*[=:\"' ]+$",
  "etag[=:\"' ]+$", "commit[=:\"' ]+$", "change%-id: $", "build%-?_?id[=:\"' %]]+$", "nix/store/$",
  "cache[%w_/.-]*/$", "spack[%w/_.-]*$", "cache key[=:\"' ]+$", "cache_key[=:\"' ]+$", "nonce[=:\"' ]+$" }

local function is_public(scan, from, to)
  local before = scan.lower:sub(math.max(1, from - 48), from - 1)
  for _, pattern in ipairs(PUBLIC_BEFORE) do
    if before:find(pattern) then return true end
  end
  -- A part of a mangled name, of a template, of a file.
  return scan.text:find("^[<(]", to + 1) ~= nil or before:find "_z[%w_]*$" ~= nil
    or scan.text:find("^%.%l[%l%d]?[%l%d]?[%l%d]?%f[%W]", to + 1) ~= nil
end

-- What issuers put before a key, in one word with it: live_0123...
local MARKS = set "live prod production secret sk rk key apikey api token tok pat access auth private"

-- Whether a part of the word before its last says that the last is secret, which may be hexadecimal then.
local function is_marked(word)
  local before, sign, last = word:match "^([%a_%-]+)([_%-])(%w+)$"
  if not last or sign == "-" and randomness.is_digest(last) then return false end
  if #last < 24 or not last:find "%d" or not last:find "%a" then return false end
  for mark in before:lower():gmatch "%a+" do
    if MARKS[mark] then return true end
  end
  return false
end

-- Each word of base64, in one piece, or the parts of it where it is a path.
local function add_word(scan, from, word)
  if word:find "^[Ss][Hh][Aa]%d+%-" then return end
  if randomness.certain(word) or randomness.is_grouped(word) or is_marked(word) then
    scan:add(from, from + #word - 1, "random word")
    return
  end
  if word:find "_Z[%u%d]" then return end  -- a mangled name
  for _, pieces in ipairs { "()([%w_~%-]+)()", "()(%w+)()" } do
    local found = 0  -- characters
    for at, part, over in word:gmatch(pieces) do
      if #part >= SHORTEST and #part < #word and randomness.certain(part)
        and not is_public(scan, from + at - 1, from + over - 2) then
        scan:add(from + at - 1, from + over - 2, "random word")
        found = found + #part
      end
    end
    -- Where half of the word is random, the rest is, too.
    if 2 * found >= #word and not word:find "%l%l%l%l%l" then scan:add(from, from + #word - 1, "random word") end
  end
end

--- Words that are random beyond doubt.
return function(scan)
  scrambled(scan, is_public)
  local text, at = scan.text, 1
  while true do
    local from, word, over = text:match("()([%w+/=_~%-]+)()", at)
    if not from then return end
    at = over
    if #word >= SHORTEST and #word <= LONGEST then
      -- NAME=value
      local name, start = word:match "^([%a_][%w_-]*)=+()%w"
      if name and start <= #word then from, word = from + start - 1, word:sub(start) end
      if #word >= SHORTEST and not is_public(scan, from, over - 1) then
        if not scan:in_public_block(from) then add_word(scan, from, word) end
      end
    end
  end
end
