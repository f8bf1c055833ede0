-- Finds words that look like passwords by themselves, or beside words that say that one is near.

local randomness = require "lib/redaction/randomness"
local values = require "lib/redaction/values"

-- Letters of both cases, digits and signs in one word, as names and code have them not: Kz7#mq!4, Harbor2024!
local function is_signed(word)
  if #word < 8 or #word > 40 or word:find "^[$&*#!]%a" or word:find "#L?%d" or word:find "[%w]%-[zZ9]"
    or word:find "@@" or word:find "%.%." then return false end
  if not (word:find "%d" and word:find "%l" and word:find "%u") then return false end
  if word:find "^%u%l+%d+[!#$*]+$" then return true end
  local kinds, seen = 0, {}
  for sign in word:gmatch "[!#$^&*?@+~%%.-]" do
    if not seen[sign] then seen[sign], kinds = true, kinds + 1 end
  end
  return kinds >= 2 and word:find "[!#$^&*?]" ~= nil
end

local SPLIT = "[^%s\"'`,;()%[%]{}<>=:/|\\]+"

local function find_signed(scan)
  local text, at = scan.text, 1
  while true do
    local sign = text:find("[!#$^&*?]", at)
    if not sign then return end
    local before = text:sub(math.max(1, sign - 40), sign - 1):match(SPLIT .. "$") or ""
    local from, stop = sign - #before, text:match("^" .. SPLIT .. "()", sign) - 1
    if stop - from <= 40 and is_signed(text:sub(from, stop)) then scan:add(from, stop, "password") end
    at = stop + 1
  end
end

-- What says that a password is near.
local NEAR = { "passw", "passphrase", "passwd", "pwd", "kennwort", "credential" }
local BEFORE = 60  -- characters

-- A password before what it is: echo X > password.txt
local function find_before(scan)
  for _, stem in ipairs(NEAR) do
    for from in scan:each(stem) do
      local start = math.max(scan:line_start(from), from - BEFORE)
      for at, word in scan.text:sub(start, from - 1):gmatch("%f[^%s\"']()(" .. SPLIT .. ")%f[%s\"']") do
        local drawn = values.is_drawn(word) and not randomness.is_digest(word)
        if drawn or is_signed(word) or word:find "[!#$%%&*?^]" and values.is_typed(word) then
          scan:add(start + at - 1, start + at + #word - 2, "password")
        end
      end
    end
  end
end

-- expect "assword:"; send "X\r"
local function find_sent(scan)
  for from, to in scan:each "send" do
    local at, over = scan.text:match("^%a*[ \t]+%-?%-?[ \t]*\"()[^\"\\\n]+()\\[rn]\"", to + 1)
    local asked = at and scan.lower:sub(math.max(1, from - 160), from - 1)
    if asked and (asked:find("assword", 1, true) or asked:find("assphrase", 1, true)) then
      scan:add(at, over - 1, "password")
    end
  end
end

--- Words that look like passwords.
return function(scan)
  if scan.code then return end
  find_signed(scan)
  find_before(scan)
  find_sent(scan)
end
