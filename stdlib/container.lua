-- reg.container: C++ runs containers and asks registries; this finds the images of a search.

local check_keys = require "lib/options/check_keys"
local dated = require "lib/images/dated"
local listed = require "lib/images/listed"
local template = require "lib/images/template"

local KEYS = { "tags", "images", "order", "repo", "from", "to", "runtime" }
local NAMES = "Write {date}, {date:%Y%m%d} or {sha} where the name varies: ghcr.io/nvidia/jax:jax-{date}"
local DAY_S = 86400

local container = {}
for name, f in pairs(core.nouns.container) do container[name] = f end

-- The names in a file, or in standard input, without comments.
local function names_in(file)
  local names = {}
  for line in (file == "-" and core.stdin() or reg.fs.read(file)):gmatch "[^\r\n]+" do
    names[#names + 1] = line:match "^%s*([^%s#]+)"
  end
  if #names == 0 then core.fail("usage", "no image is listed in " .. file, "Write one image per line.") end
  return names
end

--- The images of a search, in order, and what they are called, "night" or "image".
function container.nights(image, given)
  local o = { image = image }
  for name, value in pairs(given or {}) do o[name] = value end
  check_keys("container.nights", given or {}, KEYS)
  local date, sha = template.marks(image or "")
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
  if not date or sha or image:find "{date:[^{}]*%%[HIMSTRps]" then return listed(o), "image" end

  if not o.to then core.fail("usage", "an image name with {date} needs the last date", "Pass --to.") end
  local step = dated.step(image)
  local kind = step == DAY_S and "night" or "image"
  if o.from then return dated.images(image, o), kind end
  return function(n) return dated.images(image, { from = o.to - n * step, to = o.to, runtime = o.runtime }) end, kind
end

return container
