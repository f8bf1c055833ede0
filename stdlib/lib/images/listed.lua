-- Images whose names are listed, by the registry or by the user, in order: by date, by the commits that they are of, by
-- when they were created, or by version.

local template = require "lib/images/template"

local FIXED = 315619200  -- 1980-01-02: builds that are reproducible set the creation date to one before
local BEFORE = { dev = "!1", a = "!2", alpha = "!2", b = "!3", beta = "!3", c = "!4", rc = "!4", pre = "!4" }

local function tag_of(image) return image:match "[^:/]*$" end

-- A text that sorts as the version does: 2.9 before 2.10, and 2.10.0.dev3 before 2.10.0, which sorts by its "#".
local function version_key(tag)
  return tag:lower():gsub("[-_.]?(%a+)", function(word) return BEFORE[word] end)
    :gsub("%d+", function(digits) return ("0"):rep(24 - #digits) .. digits end) .. "#"
end

-- The images of the registry that match the regular expression `tags`, or the template.
local function from_registry(o)
  local list = {}
  local read = o.tags and function(_, tag) return core.regex_found(o.tags, tag) end or template.reader(o.image)
  for _, name in ipairs(core.container_tags((o.image:gsub("{[^{}]*}", "*")), { runtime = o.runtime })) do
    local tag = tag_of(name)
    local time, sha = read(name, tag)
    if time then
      local has_time = type(time) == "number"
      list[#list + 1] = { id = tag, label = sha and not has_time and sha:sub(1, 10) or tag, image = name, sha = sha,
        time = has_time and time or nil }
    end
  end
  if #list == 0 then
    core.fail("not_found", string.format("no tag of %s matches %s", o.image:gsub(":[^:/]*{.*", ""), o.tags or o.image),
      "Check the name and what the registry has.")
  end
  return list
end

-- Those of `names`: images, or tags and digests of the repository o.image.
local function from_list(names, o)
  local list, seen = {}, {}
  for _, name in ipairs(names) do
    local image, digest = name, name:match "^sha256:%x+$"
    if o.image and (digest or not name:find "[:/@]") then
      image = o.image .. (digest and "@" or (o.runtime or reg.container.use {}) == "local" and "/" or ":") .. name
    elseif digest then
      core.fail("usage", "a digest without a repository: " .. name, "Pass --image REPOSITORY.")
    end
    if seen[image] then core.fail("usage", "listed twice: " .. image, "Remove one of the two.") end
    seen[image] = true
    list[#list + 1] = { id = o.image and name or image, image = image,
      label = image:match("@(sha256:" .. ("%x"):rep(12) .. ")") or o.image and name or image:match "[^/]*$" }
  end
  return list
end

-- Ranks the images by the places of their commits on the first-parent line of the main branch. Says which are not
-- there.
local function place_commits(list, repo)
  local branch, place, placed, others = repo:default_branch(), {}, {}, {}
  for i, commit in ipairs(repo:log { to = branch, first_parent = true }) do place[commit.id] = -i end
  for _, one in ipairs(list) do
    local commit = repo:find(one.sha)
    one.rank = commit and place[commit.id]
    one.time = one.time or commit and commit.time
    table.insert(one.rank and placed or others, one.rank and one or one.image)
  end
  if #others > 0 then
    reg.log.warn("skipping %d of %d images, whose commits are not first parents on %s in %s: %s", #others, #list,
      branch, repo.path, table.concat(others, ", "))
  end
  return placed
end

-- Those that exist, with digests. With `created` those without a date of their own are ranked by their creation.
local function existing(list, created, runtime)
  local images, of_time = { missing = {} }, {}
  for _, one in ipairs(list) do of_time[one.time or 0] = (of_time[one.time or 0] or 0) + 1 end
  local found = reg.parallel(list, function(one)
    local asked = created and (not one.time or of_time[one.time] > 1)
    local facts = core.container_find(one.image, { runtime = runtime, created = asked })
    return facts and { digest = facts.digest, created = asked and (facts.created or 0) } or false
  end)
  for i, one in ipairs(list) do
    local facts = found[i] or {}
    if facts.created and facts.created < FIXED then
      core.fail("usage", string.format("cannot order by creation date: %s was created on %s, a fixed date", one.image,
        reg.time.date(facts.created)), "Pass --repo or --order version, or list the images in order: --images FILE.")
    end
    one.digest, one.created = facts.digest, facts.created or nil
    one.rank, one.time = one.rank or one.created, one.time or one.created
    table.insert(found[i] and images or images.missing, found[i] and one or one.id)
  end
  return images
end

-- Those between `from` and `to`, each nil for none.
local function in_range(list, from, to)
  local inside = { missing = list.missing }
  for _, one in ipairs(list) do
    if not one.time and (from or to) then
      core.fail("usage", "a range of dates needs dates, which these images lack: " .. one.image .. ", ...",
        "Leave out --from and --to, or pass --order created.")
    end
    local in_it = not (from or to) or one.time >= (from or 0) and one.time <= (to or math.maxinteger)
    inside[#inside + 1] = in_it and one or nil
  end
  return inside
end

--- The images in order; `missing` has those that do not exist, `order` says how they are ordered. `o`: image, tags,
--- images (a list), order, repo, from and to (times), runtime.
return function(o)
  local date, sha = template.marks(o.image or "")
  local created = sha and not o.repo or o.order == "created"
  local list = o.images and from_list(o.images, o) or from_registry(o)
  if date then list = in_range(list, o.from, o.to) end
  if sha and o.repo then list = place_commits(list, reg.git.open(o.repo)) end
  local images = in_range(existing(list, created, o.runtime), o.from, o.to)
  if #images == 0 then
    core.fail("not_found", "none of these images exists: " .. (#list > 0 and list[1].image .. ", ..." or o.image),
      "Check the names, the dates and what the registry has.")
  end
  if not o.images then
    table.sort(images, function(a, b)
      if date and a.time ~= b.time then return a.time < b.time end
      if a.rank ~= b.rank then return (a.rank or 0) < (b.rank or 0) end
      return version_key(a.id) < version_key(b.id)
    end)
  end
  images.order = (date and "by date, then " or "") .. (o.images and "as listed" or created and "by creation date"
    or sha and "by commit" or "by version")
  return images
end
