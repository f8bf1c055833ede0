-- Small helpers for tables of words.

local words = {}

--- The words of a string as a set.
function words.set(list)
  local of = {}
  for word in list:gmatch "%S+" do of[word] = true end
  return of
end

--- The text as a pattern that matches just it.
function words.plain(text) return (text:gsub("%p", "%%%0")) end

return words
