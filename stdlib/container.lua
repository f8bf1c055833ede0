-- reg.container: C++ runs containers and asks registries; this finds the images of a search, and the commits in them.

local catalog = require "lib/images"
local values = require "lib/values"

local merged = values.merged

local KEYS = { "tags", "images", "order", "repo", "from", "to", "runtime" }
local NAMES = "Write {date}, {date:%Y%m%d} or {sha} where the name varies: ghcr.io/nvidia/jax:jax-{date}"
local COMPACT = "{date:%Y%m%d}"
local DAY_S = 86400
local MOST_MISSING = 7  -- nights without an image before --to

local container = merged(core.nouns.container)

--- Whether the image is on this machine or in its registry, for this machine's architecture. Reads the manifest without
--- pulling the image. Raises network if the registry fails or cannot be reached, after retries for --retry-for.
--- ```lua
--- if reg.container.exists "ghcr.io/nvidia/jax:jax-2024-03-01" then print "that night is there" end
--- ```
---@param image string
---@param options? container.RuntimeOptions
---@return boolean there
function container.exists(image, o) return core.container_find(image, o) ~= nil end

-- The names in a file, or in standard input, without comments.
local function names_in(file)
  local lines = values.matches(file == "-" and core.stdin() or reg.fs.read(file), "[^\r\n]+")
  return values.map(lines, function(line) return line:match "^%s*([^%s#]+)" end)
end

-- The images of the days between two times, each asked for by its name. Dates may be written otherwise where there is
-- none.
local function by_date(o, from)
  local days = catalog.dated(o.image, from, o.to)
  local images = catalog.existing(days, o.runtime)
  if #images > 0 then return images end
  local compact, hint = o.image:gsub("{date}", (COMPACT:gsub("%%", "%%%%"))), nil
  local other = compact ~= o.image and catalog.existing(catalog.dated(compact, from, o.to), o.runtime)[1]
  if other then hint = other.image .. " exists: write " .. COMPACT .. " in place of {date}." end
  local first = catalog.dated(o.image, from, from)[1]
  core.fail("not_found", string.format("no image from %s to %s: tried %s%s and so on", reg.time.date(from),
    reg.time.date(o.to), first.image, first.older and " and " .. first.older or ""),
    hint or "Check the name and what the registry has.")
end

-- The last time that has an image: that of the last night may be missing.
local function newest(o, step)
  for back = 0, MOST_MISSING do
    local time = o.to - back * step
    local images = back < MOST_MISSING and catalog.existing(catalog.dated(o.image, time, time), o.runtime)
    if not images or #images > 0 then return time end
  end
end

---@class container.NightsOptions: container.RuntimeOptions
---@field from? string|integer first night, a UTC date
---@field to? string|integer last night, inclusive
---@field tags? string regular expression (PCRE, ignoring case): the images of the repository whose tags it matches
---@field images? string|string[] images in order, or tags and digests of the repository; a file of them, or "-"
---@field order? "version"|"created" of `tags`; default "version"
---@field repo? string clone whose main branch orders the commits of {sha}; default: by when the images were created

---@class container.Night
---@field id string what it is in a search: the date "2023-08-24", the month, the tag
---@field date? string
---@field time? integer the midnight of the date in UTC, Unix seconds; or when the commit or the image was created
---@field image string the image of that night
---@field digest? string if the registry tells it

---@class container.Nights: container.Night[]
---@field missing string[] the dates or names without an image, in order
---@field order? string how they are ordered, "by version", unless each date was asked for

--- The nights between two dates whose image exists, in order; `image` contains {date}, or {date:FORMAT} with a strftime
--- format such as %Y%m%d, or %y.%m for months. For `ghcr.io/nvidia/jax:FLAVOR-{date}` it also tries the name used until
--- February 2024, `ghcr.io/nvidia/FLAVOR:nightly-{date}`. It reads manifests and pulls no image. Without `from` it
--- returns a function for reg.sweep that goes back.
---
--- Or the images of a repository whose names contain {sha}, a commit, or a date with hours, or with `tags`, for which
--- it needs skopeo; or those of a list. Raises usage if `from` is after `to` or {date} is missing, not_found if no
--- image exists, and network as reg.container.exists does.
--- ```lua
--- local february = { from = "2024-02-01", to = "2024-02-14" }
--- for _, night in ipairs((reg.container.nights("ghcr.io/nvidia/jax:jax-{date}", february))) do
---   print(night.date, night.image)
--- end
--- ```
---@param image? string name of the image; for `tags` and `images` of the repository
---@param options container.NightsOptions
---@return container.Nights|fun(n: integer): container.Nights nights
---@return "night"|"image" kind what they are called
function container.nights(image, given)
  local o = merged({ image = image }, given)
  core.check_keys("container.nights", given or {}, KEYS)
  local date, sha = catalog.marks(image)
  local ways = ((date or sha) and 1 or 0) + (o.tags and 1 or 0) + (o.images and 1 or 0)
  if ways > 1 then
    core.fail("usage", "an image name with {date} or {sha}, `tags` and `images` exclude each other", "Use one of them.")
  elseif ways == 0 or o.tags and not image then
    core.fail("usage", "no {date} in the image name: '" .. (image or "") .. "'", NAMES)
  end
  if type(o.images) == "string" then o.images = names_in(o.images) end
  o.from = o.from and reg.time.parse(o.from)
  -- The last second of a day.
  o.to = o.to and reg.time.parse(o.to) + (type(o.to) == "string" and #o.to == 10 and DAY_S - 1 or 0)
  if not date or sha or image:find "{date:[^{}]*%%[HIMSTRps]" then
    local images = catalog.images(o)
    if #images > 0 then return images, "image" end
    core.fail("not_found", "no such images: " .. (o.tags and image .. " with tags " .. o.tags or images.missing[1]
      or image or "the list is empty"), "Check the names, the dates and what the registry has.")
  end

  if not o.to then core.fail("usage", "an image name with {date} needs the last date", "Pass --to.") end
  local step = math.ceil(400 / #catalog.dated(image, 0, 399 * DAY_S)) * DAY_S  -- a month has 31 days
  local kind = step == DAY_S and "night" or "image"
  if o.from then return by_date(o, o.from), kind end
  local last
  return function(n)
    last = last or newest(o, step)
    return by_date(o, last - n * step)
  end, kind
end

---@class container.CommitsOptions: container.RuntimeOptions
---@field paths? string[] where to look for checkouts; default: everything in /opt

---@class container.Checkout
---@field commit string
---@field url? string URL it was cloned from
---@field path? string its path in the image

--- The commits of the repositories in an image, by name ("jax", "xla"): from /opt/manifest.d/git-clone.yaml, or else
--- from its git checkouts. Starts a container for a moment. Raises as reg.container.run does.
---@param image string
---@param options? container.CommitsOptions
---@return table<string, container.Checkout> by_name
function container.commits(image, options)
  options = core.check_keys("container.commits", options or {}, { "paths", "runtime" })
  return require "lib/checkouts"(image, options.runtime, options.paths or {})
end

return container
