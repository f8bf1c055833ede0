-- reg.container: C++ runs containers and asks registries; this finds the images of a search.

local check_keys = require "lib/options/check_keys"
local ordered = require "lib/images/ordered"
local template = require "lib/images/template"

local KEYS = { "tags", "images", "order", "repo", "from", "to", "runtime" }
local NAMES = "Write {date}, {date:%Y%m%d} or {sha} where the name varies: ghcr.io/nvidia/jax:jax-{date}"
local COMPACT = "{date:%Y%m%d}"
local DAY_S = 86400

local container = {}
for name, f in pairs(core.nouns.container) do container[name] = f end

function container.exists(image, o) return core.container_find(image, o) ~= nil end

-- The names in a file, or in standard input, without comments.
local function names_in(file)
  local names = {}
  for line in (file == "-" and core.stdin() or reg.fs.read(file)):gmatch "[^\r\n]+" do
    names[#names + 1] = line:match "^%s*([^%s#]+)"
  end
  return names
end

-- The images of the days between two times, each asked for by its name. Dates may be written otherwise where there is
-- none.
local function by_date(o, from)
  local days = template.dated(o.image, from, o.to)
  local images = ordered.existing(days, o.runtime)
  if #images > 0 then return images end
  local compact, hint = o.image:gsub("{date}", (COMPACT:gsub("%%", "%%%%"))), nil
  local other = compact ~= o.image and ordered.existing(template.dated(compact, from, o.to), o.runtime)[1]
  if other then hint = other.image .. " exists: write " .. COMPACT .. " in place of {date}." end
  local first = template.dated(o.image, from, from)[1]
  core.fail("not_found", string.format("no image from %s to %s: tried %s%s and so on", reg.time.date(from),
    reg.time.date(o.to), first.image, first.older and " and " .. first.older or ""),
    hint or "Check the name and what the registry has.")
end

--- The images of a search, in order, and what they are called, "night" or "image".
function container.nights(image, given)
  local o = { image = image }
  for name, value in pairs(given or {}) do o[name] = value end
  check_keys("container.nights", given or {}, KEYS)
  local date, sha = template.marks(image)
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
    local images = ordered.images(o)
    if #images > 0 then return images, "image" end
    core.fail("not_found", "no such images: " .. (o.tags and image .. " with tags " .. o.tags or images.missing[1]
      or image or "the list is empty"), "Check the names, the dates and what the registry has.")
  end

  if not o.to then core.fail("usage", "an image name with {date} needs the last date", "Pass --to.") end
  local step = math.ceil(400 / #template.dated(image, 0, 399 * DAY_S)) * DAY_S  -- a month has 31 days
  local kind = step == DAY_S and "night" or "image"
  if o.from then return by_date(o, o.from), kind end
  return function(n) return by_date(o, o.to - n * step) end, kind
end

return container
