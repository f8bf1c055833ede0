-- What subjects, moments, the statuses of trials and lists of them are called.

local merged = require("lib/values").merged

local names = {}

--- A string with its moments written as people do, not as "2024-03-01T10:00:00Z".
function names.date(text) return text and (text:gsub("(%d%d%d%d%-%d%d%-%d%d)T(%d%d:%d%d):%d%dZ", "%1 %2 UTC")) end

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

-- The whole hash of a commit, also where the subject is a state of several repositories.
local function hash_of(subject, id)
  local own = subject.repo and subject.commits and subject.commits[subject.repo]
  return own and own.id or subject.id or tostring(id)
end

-- The digest of a subject's image; nil where the registry did not tell it.
local function digest_of(subject)
  local digest = subject.digest or subject.facts and subject.facts.digest
  return type(digest) == "string" and digest:match "^sha256:%x+$" or nil
end

--- A subject on a line of its own: a commit with its whole hash, an image with its name and digest.
function names.full(subject, id)
  if names.is_commit(subject) then
    return string.format("%s%s   %s", subject.repo and subject.repo .. " " or "", hash_of(subject, id), subject.subject)
  end
  if type(subject) ~= "table" or not subject.image then return names.short(subject, id) end
  local digest = not subject.image:find("@", 1, true) and digest_of(subject)
  return names.short(subject, id) .. "   " .. subject.image .. (digest and "@" .. digest or "")
end

--- Who wrote a commit, and when: "Ann <ann@example.org>, 2024-03-06 14:20 UTC"; nil where nobody is named.
function names.author(subject)
  if not names.is_commit(subject) or not subject.author then return nil end
  local mail, date = subject.email, names.date(subject.author_date or subject.date)
  return subject.author .. (mail and " <" .. mail .. ">" or "") .. (date and ", " .. date or "")
end

--- What identifies a subject, for --json: its image and digest, or the whole hashes of its commits.
function names.identity(subject, id)
  local found = { id = id }
  if type(subject) ~= "table" then return found end
  found.label, found.image, found.digest = subject.label, subject.image, digest_of(subject)
  if names.is_commit(subject) then found.repo, found.commit = subject.repo, hash_of(subject, id) end
  for name, commit in pairs(not found.commit and subject.commits or {}) do
    found.commits = merged(found.commits, { [name] = commit.id })
  end
  return found
end

local STATUS = { build_failed = "could not be built", test_failed = "could not be tested",
  skipped = "could not be tested", timeout = "timed out", oom = "out of memory", not_finite = "not a finite number",
  set_aside = "discarded", assumed = "assumed to fail", excluded = "excluded with --skip" }

--- A trial's status in words.
function names.status(status) return STATUS[status] or (status:gsub("_", " ")) end

-- A day as seconds since 1970; nil for anything else.
local function day_of(label)
  local ok, time = pcall(reg.time.parse, label:match "^%d%d%d%d%-%d%d%-%d%d$")
  return ok and time or nil
end

--- Days, "2024-03-02", with ranges of consecutive ones: "2024-03-02, 2024-03-05 to 2024-03-06".
function names.ranges(dates)
  local parts, first = {}, nil
  for i, date in ipairs(dates) do
    local now, before = day_of(date), day_of(dates[i - 1] or "")
    if not (now and before and now == before + 86400) then first = date end
    parts[#parts + (first == date and 1 or 0)] = first == date and first or first .. " to " .. date
  end
  return table.concat(parts, ", ")
end

--- A long list with its middle left out; its last element is always shown, as the first tested bad one of candidates
--- is. Calls one(element) for each element that is shown, and rest(n) where n of them are left out. `most`: lines.
function names.folded(list, most, one, rest)
  local shown = #list <= most and #list or most - 2
  for i = 1, shown do one(list[i]) end
  if shown == #list then return end
  rest(#list - shown - 1)
  one(list[#list])
end

return names
