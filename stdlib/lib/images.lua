-- Images by the marks in their names - {date}, {date:%Y%m%d} with a strftime format, and {sha}, a commit - and those
-- that the registry or the user lists: which exist, in the order of their dates, commits, creation or versions.

local ISO = "%Y-%m-%d"
local DAY_S = 86400
local FIXED = 315619200  -- 1980-01-02: builds that are reproducible set the creation date to one before
local BEFORE = { dev = "!1", a = "!2", alpha = "!2", b = "!3", beta = "!3", c = "!4", rc = "!4", pre = "!4" }

local values = require "lib/values"

local map = values.map

local catalog = {}

--- The strftime format of the date and whether there is a {sha}, each nil where there is none. Raises usage for others.
function catalog.marks(image)
  local date, sha
  for mark in (image or ""):gmatch "{([^{}]*)}" do
    local format = mark == "date" and ISO or mark:match "^date:(.*%%.*)$"
    if not format and mark ~= "sha" then
      core.fail("usage", "not a valid part of an image name: '{" .. mark .. "}'", "Use {date}, {date:%Y%m%d} or {sha}.")
    end
    date, sha = date or format, sha or mark == "sha" or nil
  end
  return date, sha
end

local function fill(image, time)
  return image and image:gsub("{date:?([^{}]*)}", function(format)
    return reg.time.format(time, format == "" and ISO or format)
  end) or nil
end

--- The images of the days between two times, a name once with its first day. For HOST/nvidia/jax:FLAVOR-{date} `older`
--- is what JAX-Toolbox used until February 2024.
function catalog.dated(image, from, to)
  local host, flavor = image:match "^(.*/)jax:([a-z0-9][a-z0-9._-]*)%-{date}$"
  local format = fill(image, 0) ~= fill(image, DAY_S) and ISO or catalog.marks(image)
  local days = map(reg.time.range { from = from - from % DAY_S, to = to }, function(time)
    return { id = reg.time.format(time, format), time = time, image = fill(image, time),
      older = fill(host and host .. flavor .. ":nightly-{date}", time) }
  end)
  return values.unique(days, function(one) return one.image end)
end

--- A function that reads the date and the commit in a name: the time, or true without a {date}, and the commit; nil for
--- a name of another form.
function catalog.reader(image)
  local marks, date = values.matches(image, "{(%a+)"), catalog.marks(image)
  local pattern = image:gsub("{sha}", "\1"):gsub("{date[^{}]*}", "\2"):gsub("%p", "%%%0")
    :gsub("[\1\2]", { ["\1"] = "(%x+)", ["\2"] = "(.-)" })
  return function(name)
    local found, time, sha = { name:match("^" .. pattern .. "$") }, true, nil
    for i, text in ipairs(found) do
      if marks[i] == "date" then time = core.read_time(text, date) else sha = text end
    end
    local is_commit = not sha or #sha >= 7 and #sha <= 40
    if found[1] and is_commit then return time, sha end
  end
end

-- A text that sorts as the version does: 2.9 before 2.10, and 2.10.0.dev3 before 2.10.0, which sorts by its "#".
local function version_key(tag)
  return tag:lower():gsub("[-_.]?(%a+)", function(word) return BEFORE[word] end)
    :gsub("%d+", function(digits) return ("0"):rep(24 - #digits) .. digits end) .. "#"
end

-- The images of the registry that match the regular expression `tags`, or the catalog.
local function from_registry(o)
  local read = o.tags and function(_, tag) return core.regex_found(o.tags, tag) end or catalog.reader(o.image)
  local repository, tags = o.image:match "^([^{]*)[:/]([^:/{]*{.*)$"
  local pattern = (repository or o.image) .. ":" .. (tags or "*"):gsub("{[^{}]*}", "*")
  return map(core.container_tags(pattern, { runtime = o.runtime }), function(image)
    local tag = image:match "[^:/]*$"
    local found, sha = read(image, tag)
    local time = found ~= true and found or nil
    return found and { id = tag, label = not time and sha and sha:sub(1, 10) or tag, image = image, sha = sha,
      time = time } or nil
  end)
end

-- Those of o.images: images, or tags and digests of the repository o.image.
local function from_list(o)
  local list, seen = {}, {}
  for _, name in ipairs(o.images) do
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

--- Those that exist, with digests; `missing` has the others. With `created` those without a date of their own are
--- ranked by their creation.
function catalog.existing(list, runtime, created)
  local images, of_time = { missing = {} }, {}
  for _, one in ipairs(list) do of_time[one.time or 0] = (of_time[one.time or 0] or 0) + 1 end
  local found = reg.parallel(list, function(one)
    local asked = { runtime = runtime, created = created and (not one.time or of_time[one.time] > 1) }
    local facts = core.container_find(one.image, asked)
    if not facts and one.older then facts, one.image = core.container_find(one.older, asked), one.older end
    return facts and { digest = facts.digest, created = asked.created and (facts.created or 0) or nil } or false
  end)
  for i, one in ipairs(list) do
    local facts = found[i] or {}
    if facts.created and facts.created < FIXED then
      core.fail("usage", string.format("cannot order by creation date: %s was created on %s, a fixed date", one.image,
        reg.time.date(facts.created)), "Pass --repo or --order version, or list the images in order: --images FILE.")
    end
    one.digest, one.created, one.older = facts.digest, facts.created, nil
    one.rank, one.time = one.rank or one.created, one.time or one.created
    one.date = one.time and reg.time.date(one.time)
    table.insert(found[i] and images or images.missing, found[i] and one or one.id)
  end
  return images
end

-- Those between o.from and o.to.
local function in_range(list, o)
  local inside = { missing = list.missing }
  for _, one in ipairs(list) do
    if not one.time and (o.from or o.to) then
      core.fail("usage", "a range of dates needs dates, which these images lack: " .. one.image .. ", ...",
        "Leave out --from and --to, or pass --order created.")
    end
    local is_in = (not o.from or one.time >= o.from) and (not o.to or one.time <= o.to)
    inside[#inside + 1] = is_in and one or nil
  end
  return inside
end

--- The images in order; `order` says how they are catalog. `o`: image, tags, images (a list), order, repo, from and to
--- (times), runtime.
function catalog.images(o)
  local date, sha = catalog.marks(o.image)
  local created = sha and not o.repo or o.order == "created"
  local list = o.images and from_list(o) or from_registry(o)
  if date then list = in_range(list, o) end
  if sha and o.repo then list = place_commits(list, reg.git.open(o.repo)) end
  local images = in_range(catalog.existing(list, o.runtime, created), o)
  if not o.images then
    values.sort_by(images, function(one) return date and one.time or 0, one.rank or 0, version_key(one.id) end)
  end
  images.order = (date and "by date, then " or "") .. (o.images and "as listed" or created and "by creation date"
    or sha and "by commit" or "by version")
  return images
end

return catalog
