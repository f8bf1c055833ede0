-- The images of the days between two times, each asked for by its name, without a list of the repository's tags.

local template = require "lib/images/template"

local DAY_S = 86400
local COMPACT = "{date:%Y%m%d}"

-- The names to try, the likeliest first: for HOST/nvidia/jax:FLAVOR-{date} also what JAX-Toolbox used until February
-- 2024.
local function names_of(image, time)
  local host, flavor = image:match "^(.*/)jax:([a-z0-9][a-z0-9._-]*)%-{date}$"
  local older = host and host .. flavor .. ":nightly-{date}"
  return { template.fill(image, time), older and template.fill(older, time) }
end

-- The names of each day, once each, with its first day.
local function days_of(image, from, to)
  local days, seen = {}, {}
  for _, time in ipairs(reg.time.range { from = from - from % DAY_S, to = to }) do
    local names = names_of(image, time)
    if not seen[names[1]] then days[#days + 1] = { time = time, names = names } end
    seen[names[1]] = true
  end
  return days
end

-- Name and digest of the image of each day, false where there is none.
local function look(days, runtime)
  return reg.parallel(days, function(day)
    for _, name in ipairs(day.names) do
      local found = core.container_find(name, { runtime = runtime })
      if found then return { name, found.digest } end
    end
    return false
  end)
end

-- What to do where there is none: the dates may be written otherwise.
local function advice(image, o)
  local compact = image:gsub("{date}", (COMPACT:gsub("%%", "%%%%")))
  for _, found in ipairs(compact ~= image and look(days_of(compact, o.from, o.to), o.runtime) or {}) do
    if found then return found[1] .. " exists: write " .. COMPACT .. " in place of {date}." end
  end
  return "Check the name and what the registry has."
end

local dated = {}

--- The seconds from one name to the next, at most a day too many: of months 31 days.
function dated.step(image) return math.ceil(400 / #days_of(image, 0, 399 * DAY_S)) * DAY_S end

--- The images that exist, the oldest first; `missing` has the dates of the others. `o`: from, to (times) and runtime.
function dated.images(image, o)
  local days, images = days_of(image, o.from, o.to), { missing = {} }
  local format = dated.step(image) == DAY_S and "%Y-%m-%d" or template.marks(image)
  for i, found in ipairs(look(days, o.runtime)) do
    local time = days[i].time
    local id = reg.time.format(time, format)
    table.insert(found and images or images.missing, found and { id = id, date = reg.time.date(time), time = time,
      image = found[1], digest = found[2] } or id)
  end
  if #images == 0 then
    core.fail("not_found", string.format("no image from %s to %s: tried %s and so on", reg.time.date(o.from),
      reg.time.date(o.to), table.concat(days[1].names, " and ")), advice(image, o))
  end
  return images
end

return dated
