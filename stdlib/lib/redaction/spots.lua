-- Where a finished text was redacted, and where it may still hold a secret.

local randomness = require "lib/redaction/randomness"

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

--- Words that look like secrets and were not redacted: { line =, text = }.
function spots.suspects(text)
  local list, number, seen = {}, 0, {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    for from, word in line:gmatch "()([%w+/=_~%-]+)" do
      if #word >= 16 and not seen[word] then
        seen[word] = true
        local named = line:sub(math.max(1, from - 8), from - 1)
        if randomness.suspect(word) and not named:lower():find "sha%d+[:=-]$" then
          list[#list + 1] = { line = number, text = word }
        end
      end
    end
  end
  return list
end

return spots
