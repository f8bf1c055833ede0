-- What subjects and moments are called.

local names = {}

--- A string with its moments written as people do, not as "2024-03-01T10:00:00Z".
function names.date(text)
  return text and (text:gsub("(%d%d%d%d%-%d%d%-%d%d)T(%d%d:%d%d):%d%dZ", "%1 %2 UTC"))
end

--- The same for seconds since 1970.
function names.moment(seconds)
  local whole = math.tointeger(type(seconds) == "number" and seconds // 1)
  return whole and math.abs(whole) < 1 << 36 and names.date(reg.time.format(whole)) or nil
end

--- Whether the subject is one commit, and not an hour or a night that stands for its last commit.
function names.is_commit(subject)
  return type(subject) == "table" and subject.subject ~= nil and (not subject.label or subject.label == subject.short)
end

--- A subject in a word.
function names.short(subject, id)
  if type(subject) ~= "table" then return tostring(id) end
  return names.is_commit(subject) and tostring(subject.short or id) or names.date(tostring(subject.label or id))
end

--- A subject in a sentence: xla a1b2c3d4e5 "Fuse more".
function names.quoted(subject, id)
  if not names.is_commit(subject) then return names.short(subject, id) end
  local repo = subject.repo and subject.repo .. " " or ""
  return string.format('%s%s "%s"', repo, subject.short or tostring(id):sub(1, 10), subject.subject)
end

--- A subject on a line of its own: a commit with its author and date, an image with its full name.
function names.full(subject, id)
  if not names.is_commit(subject) then
    local image = type(subject) == "table" and subject.image
    return names.short(subject, id) .. (image and "  " .. image or "")
  end
  return string.format("%s%s %s (%s, %s)", subject.repo and subject.repo .. " " or "",
    subject.short or tostring(id):sub(1, 10), subject.subject, subject.author or "?", names.date(subject.date) or "?")
end

return names
