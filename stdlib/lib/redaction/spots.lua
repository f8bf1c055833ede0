-- Where a finished text was redacted, and where it may still hold a secret.

local names = require "lib/redaction/names"
local randomness = require "lib/redaction/randomness"
local values = require "lib/redaction/values"

local spots = {}

-- While the text is put together, a mark follows each thing redacted: one of the 32 code points that Unicode keeps for
-- a program's own use. Each stands for a kind; the last one for all others.
local FIRST, COUNT = 0xFDD0, 32
local kinds, number_of = {}, {}

--- The mark of a kind.
function spots.mark(kind)
  if not number_of[kind] then
    local number = math.min(#kinds, COUNT - 1)
    number_of[kind] = number
    kinds[number + 1] = kinds[number + 1] and "secret" or kind
  end
  return utf8.char(FIRST + number_of[kind])
end

local MARK = "\u{FDD0}"
local PATTERN = "(" .. MARK:sub(1, 2) .. ")([" .. MARK:sub(3) .. "-" .. utf8.char(FIRST + COUNT - 1):sub(3) .. "])"

--- The text without marks, and what they said: { what =, count =, lines = } for each kind, the most frequent first.
function spots.read(text)
  local of, list, number = {}, {}, 0
  local lines = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    lines[number] = line:gsub(PATTERN, function(_, last)
      local kind = kinds[last:byte() - MARK:byte(3) + 1] or "secret"
      local entry = of[kind]
      if not entry then
        entry = { what = kind, count = 0, lines = {} }
        of[kind], list[#list + 1] = entry, entry
      end
      entry.count = entry.count + 1
      if entry.lines[#entry.lines] ~= number then entry.lines[#entry.lines + 1] = number end
      return ""
    end)
  end
  table.sort(list, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.what < b.what
  end)
  return table.concat(lines, "\n"), list
end

-- Calls `add(word)` for each word of a line that is long and looks random.
local function long_words(line, add)
  for from, whole in line:gmatch "()([%w+/=_~%-]+)" do
    local word = whole:gsub("^[%a_][%w_]*=", "")  -- NAME=value
    local named = #word >= 16 and line:sub(math.max(1, from - 8), from - 1):lower()
    if named and not named:find "sha%d+[:=-]$" and randomness.suspect(word) then add(word) end
  end
end

-- What may be a secret of a variable whose name says nothing: SERVICE=0123..., in the form of a digest.
local function hexadecimal(line, add)
  for name, value in line:gmatch "%f[%w_](%u[%u%d_]+)[=:] ?[\"']?([%x-]+)%f[%X]" do
    if #value >= 32 and (randomness.is_uuid(value) or value:find "^%x+$")
      and not names.is_public(name) then add(value) end
  end
end

local NEAR = { "passw", "passphrase", "pwd", "credential", "secret", "login", " -p ", " -pw ", "%f[%a]pw%f[%A]",
  "%f[%a]auth%f[%A]", "%f[%a]pass%f[%A]", "setpassword", "_pw_", "basic_auth", "connect%(" }

-- After these a key may have the form of a digest.
local KEYS = { "%f[%a]keys?%f[%A]", "token", "secret", "appid", "api" }

local function near_keys(line, add)
  local lower = line:lower()
  for _, stem in ipairs(KEYS) do
    local _, to = lower:find(stem)
    for word in line:sub(to and to + 1 or #line + 1, (to or 0) + 90):gmatch "%f[%w][%x-]+%f[%W]" do
      local digest = #word >= 32 and (randomness.is_uuid(word) or word:find "^%x+$")
      if digest and not lower:find "sha%d" and not lower:find "commit" and not lower:find "hash" then add(word) end
    end
  end
end

-- Words after one of a password, where they look like one.
local function near_passwords(line, add)
  local lower = line:lower()
  for _, stem in ipairs(NEAR) do
    local _, to = lower:find(stem)
    for word in line:sub(to and to + 1 or #line + 1, (to or 0) + 60):gmatch "%f[%w][^%s\"'`,;:=()%[%]{}<>|/]+" do
      word = word:gsub("[.?!]+$", "")
      if values.fits(word) and not word:find "%.%l%l?%l?%l?$" and not word:find "^%l+[_-]%l" then add(word) end
    end
  end
end

--- Words that look like secrets and were not redacted: { line =, text = }.
function spots.suspects(text)
  local list, number, seen = {}, 0, {}
  local function add(word)
    local last = list[#list]
    local within = last and last.line == number and last.text:find(word, 1, true)
    if not seen[word] and not within then list[#list + 1] = { line = number, text = word } end
    seen[word] = true
  end
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    long_words(line, add)
    hexadecimal(line, add)
    near_keys(line, add)
    near_passwords(line, add)
  end
  return list
end

return spots
