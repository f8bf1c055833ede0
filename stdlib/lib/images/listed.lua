-- Images whose names are listed, by the registry or in a file, in order: by date, by the commits that they are of, by
-- when they were created, or by version.

local earlier_version = require "lib/images/version"
local template = require "lib/images/template"

local native = core.nouns.container
local FIXED = 315619200  -- 1980-01-02: builds that are reproducible set the creation date to one before

local function tag_of(image) return image:match "[^:/]*$" end

-- The images of the template in the registry.
local function by_template(image, runtime)
  local list, read = {}, template.reader(image)
  for _, name in ipairs(native.tags((image:gsub("{[^{}]*}", "*")), { runtime = runtime })) do
    local found = read(name)
    if found then
      local label = found.time and tag_of(name) or found.sha:sub(1, 10)
      list[#list + 1] = { id = tag_of(name), label = label, image = name, time = found.time, sha = found.sha }
    end
  end
  return list
end

local function by_tags(image, expression, runtime)
  local list = {}
  for _, name in ipairs(native.tags(image, { runtime = runtime })) do
    local tag = tag_of(name)
    if core.regex_found(expression, tag) then list[#list + 1] = { id = tag, label = tag, image = name } end
  end
  return list
end

-- The images of a list: full names, or tags and digests of the repository `image`.
local function by_lines(lines, image, runtime)
  local list, seen = {}, {}
  for _, line in ipairs(lines) do
    local name, digest = line, line:match "^sha256:%x+$"
    if image and (digest or not line:find "[:/@]") then
      name = image .. (digest and "@" or (runtime or native.use {}) == "local" and "/" or ":") .. line
    elseif digest then
      core.fail("usage", "a digest without a repository: " .. line, "Pass --image REPOSITORY.")
    end
    if seen[name] then core.fail("usage", "listed twice: " .. name, "Remove one of the two.") end
    seen[name] = true
    local label = name:match "@(sha256:%x%x%x%x%x%x%x%x%x%x%x%x)" or image and line or name:match "[^/]*$"
    list[#list + 1] = { id = image and line or name, label = label, image = name }
  end
  return list
end

-- The commits of the images, and their places on the first-parent line of the main branch. Says which are not on it.
local function place_commits(list, repo)
  local branch, place, placed, others = repo:default_branch(), {}, {}, {}
  local line = repo:log { to = branch, first_parent = true }
  for i, commit in ipairs(line) do place[commit.id] = #line - i end
  for _, one in ipairs(list) do
    local commit = repo:find(one.sha)
    one.rank = commit and place[commit.id]
    if one.rank then
      one.time = one.time or commit.time
      placed[#placed + 1] = one
    else
      others[#others + 1] = one.image
    end
  end
  if #others > 0 then
    reg.log.warn("skipping %d of %d images, whose commits are not first parents on %s in %s: %s", #others, #list,
      branch, repo.path, table.concat(others, ", "))
  end
  return placed
end

-- When the images were created, as their rank.
local function ask_created(list, runtime)
  local times = reg.parallel(list, function(one) return native.created(one.image, { runtime = runtime }) end)
  for i, one in ipairs(list) do
    if times[i] < FIXED then
      core.fail("usage", string.format("cannot order by creation date: %s was created on %s, a fixed date", one.image,
        reg.time.date(times[i])), "Pass --repo or --order version, or list the images in order: --images FILE.")
    end
    one.rank, one.created = times[i], reg.time.format(times[i])
    one.time = one.time or times[i]
  end
end

-- The images that another one shares its time with.
local function of_one_time(list)
  local count, shared = {}, {}
  for _, one in ipairs(list) do count[one.time or 0] = (count[one.time or 0] or 0) + 1 end
  for _, one in ipairs(list) do shared[#shared + 1] = count[one.time or 0] > 1 and one or nil end
  return shared
end

local function sort(list, by_date)
  table.sort(list, function(a, b)
    if by_date and a.time ~= b.time then return a.time < b.time end
    if a.rank ~= b.rank then return (a.rank or 0) < (b.rank or 0) end
    return earlier_version(a.id, b.id)
  end)
end

-- Those between `from` and `to`, each nil for none.
local function in_range(list, from, to)
  local inside = {}
  for _, one in ipairs(from == nil and to == nil and {} or list) do
    if not one.time then
      core.fail("usage", "a range of dates needs dates, which these images lack: " .. one.image .. ", ...",
        "Leave out --from and --to, or pass --order created.")
    end
    if one.time >= (from or 0) and one.time <= (to or math.maxinteger) then inside[#inside + 1] = one end
  end
  return from == nil and to == nil and list or inside
end

-- Those that exist, with their digests.
local function existing(list, runtime)
  local images = { missing = {} }
  local found = reg.parallel(list, function(one)
    return table.pack(native.exists(one.image, { runtime = runtime }))
  end)
  for i, one in ipairs(list) do
    one.digest, one.date = found[i][2], one.time and reg.time.date(one.time)
    table.insert(found[i][1] and images or images.missing, found[i][1] and one or one.id)
  end
  return images
end

--- The images in order; `missing` has those that do not exist, `order` says how they are ordered. `o`: image, tags,
--- images (a list), order, repo, from and to, runtime.
return function(o)
  local date, sha = template.marks(o.image or "")
  local list, order
  if o.images then
    list, order = by_lines(o.images, o.image, o.runtime), "as listed"
  else
    list = o.tags and by_tags(o.image, o.tags, o.runtime) or by_template(o.image, o.runtime)
    if #list == 0 then
      core.fail("not_found", "no tag of " .. o.image:gsub(":?[^:/]*{.*", "") .. " matches " .. (o.tags or o.image),
        "Check the name and what the registry has.")
    end
    if date then list = in_range(list, o.from, o.to) end
    if o.repo and sha then
      list, order = place_commits(list, reg.git.open(o.repo)), "by the commits of " .. o.repo
    elseif sha or o.order == "created" then
      ask_created(date and of_one_time(list) or list, o.runtime)
      order = "by creation date"
    end
    order = date and "by date" .. (order and ", then " .. order or "") or order or "by version"
    sort(list, date)
  end
  if not date then list = in_range(list, o.from, o.to) end
  local images = existing(list, o.runtime)
  if #images == 0 then
    core.fail("not_found", "none of these images exists: " .. (#list > 0 and list[1].image .. ", ..." or o.image),
      "Check the names, the dates and what the registry has.")
  end
  images.order = order
  return images
end
