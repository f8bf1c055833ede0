-- reg.container: runs containers and asks registries, which C++ does (core.nouns.container), and finds the images of a
-- search.

local check_keys = require "lib/options/check_keys"
local dated = require "lib/images/dated"
local listed = require "lib/images/listed"
local template = require "lib/images/template"

local KEYS = { "image", "tags", "images", "order", "repo", "from", "to", "runtime" }
local NAMES = "Write {date}, {date:%Y%m%d} or {sha} where the name varies: ghcr.io/nvidia/jax:jax-{date}"

local container = {}
for name, f in pairs(core.nouns.container) do container[name] = f end

-- The last second of a day, or the time as it is.
local function end_of(time)
  local is_day = type(time) == "string" and #time == 10
  return time and reg.time.parse(time) + (is_day and 86399 or 0)
end

-- The lines of a file, or of standard input, without comments.
local function lines_of(file)
  local lines = {}
  for line in (file == "-" and core.stdin() or reg.fs.read(file)):gmatch "[^\r\n]+" do
    lines[#lines + 1] = line:match "^%s*([^%s#]+)"
  end
  if #lines == 0 then core.fail("usage", "no image is listed in " .. file, "Write one image per line.") end
  return lines
end

function container.nights(image, o)
  o = o or {}
  check_keys("container.nights", o, { "from", "to", "runtime" })
  if not (o.from and o.to) then core.fail("usage", "container.nights: needs 'from' and 'to'") end
  if not template.marks(image) then core.fail("usage", "no {date} in the image name: '" .. image .. "'", NAMES) end
  return (container.images { image = image, from = o.from, to = o.to, runtime = o.runtime })
end

--- The images of a search, in order, and what they are called, "night" or "image". Without `from`, a function for
--- reg.sweep that goes back in time, where the names have dates alone.
function container.images(o)
  check_keys("container.images", o, KEYS)
  local image = o.image or ""
  local date, sha = template.marks(image)
  local ways = ((date or sha) and 1 or 0) + (o.tags and 1 or 0) + (o.images and 1 or 0)
  if ways ~= 1 or o.tags and image == "" then
    core.fail("usage", ways > 1 and "an image name with {date} or {sha}, `tags` and `images` exclude each other"
      or "no {date} in the image name: '" .. image .. "'", ways == 0 and NAMES
      or o.tags and ways == 1 and "Pass --image REPOSITORY." or "Use one of them.")
  end
  local lines = type(o.images) == "string" and lines_of(o.images) or o.images
  local from, to = o.from and reg.time.parse(o.from), end_of(o.to)
  if not date or sha or image:find "{date:[^{}]*%%[HIMSTRps]" then
    return listed { image = o.image, tags = o.tags, images = lines, order = o.order, repo = o.repo, from = from,
      to = to, runtime = o.runtime }, "image"
  end
  if not to then core.fail("usage", "an image name with {date} needs the last date", "Pass --to.") end
  local kind = dated.is_daily(image) and "night" or "image"
  if from then return dated.images(image, { from = from, to = to, runtime = o.runtime }), kind end
  local step = dated.step(image)
  return function(n) return dated.images(image, { from = to - n * step, to = to, runtime = o.runtime }) end, kind
end

return container
