-- The order of versions in tags: numbers by their value, 2.9 before 2.10, and what leads up to a release before it,
-- 2.6.0.dev20241112 before 2.6.0.

local BEFORE = { dev = 1, a = 2, alpha = 2, b = 3, beta = 3, c = 4, rc = 4, pre = 4 }
local AT_END, WORD, NUMBER = 5, 6, 7

-- "2.6.0rc1" as { 7, 2 }, { 7, 6 }, { 7, 0 }, { 4, "rc" }, { 7, 1 }.
local function parts_of(tag)
  local parts = {}
  for word, digits in tag:lower():gmatch "(%a*)(%d*)" do
    if word ~= "" then parts[#parts + 1] = { BEFORE[word] or WORD, word } end
    if digits ~= "" then parts[#parts + 1] = { NUMBER, tonumber(digits) } end
  end
  return parts
end

--- Whether `a` comes before `b`.
return function(a, b)
  local first, second, i = parts_of(a), parts_of(b), 0
  repeat
    i = i + 1
    local x, y = first[i] or { AT_END, 0 }, second[i] or { AT_END, 0 }
    if x[1] ~= y[1] then return x[1] < y[1] end
    if x[2] ~= y[2] then return x[2] < y[2] end
  until not first[i] and not second[i]
  return a < b
end
