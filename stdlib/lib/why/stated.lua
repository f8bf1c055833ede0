-- The findings that both collected runs of each end state alike. What an end does not do alike in its own runs says
-- nothing about the other.

local function texts_of(findings)
  local texts = {}
  for _, finding in ipairs(findings) do texts[finding.what] = true end
  return texts
end

--- Findings of diff(before, after) for two lists of what was collected, and whether each end was always the same.
--- `within`: as `diff`, for two runs of one end.
return function(before, after, diff, within)
  local unstable, list = {}, {}
  for _, collected in ipairs { before, after } do
    for i = 2, #collected do
      for what in pairs(texts_of((within or diff)(collected[1], collected[i]))) do unstable[what] = true end
    end
  end
  local always = texts_of(diff(before[#before], after[#after]))
  for _, finding in ipairs(diff(before[1], after[1])) do
    if always[finding.what] and not unstable[finding.what] then list[#list + 1] = finding end
  end
  return list, next(unstable) == nil
end
