-- The images of the days between two dates, each asked for by its name. It takes no list of the repository's tags.

local template = require "lib/images/template"

local native = core.nouns.container
local DAY_S = 86400
local MOST_S = 20 * 366 * DAY_S
local COMPACT = "{date:%Y%m%d}"

-- The names to try, once each, with the first day that has them.
local function wanted(image, from, to)
  local list, seen = {}, {}
  for time = from - from % DAY_S, to, DAY_S do
    local names = template.names(image, time)
    if not seen[names[1]] then list[#list + 1] = { time = time, names = names } end
    seen[names[1]] = true
  end
  return list
end

-- The name and the digest of each image, false where it does not exist.
local function look(list, runtime)
  return reg.parallel(list, function(one)
    for _, name in ipairs(one.names) do
      local there, digest = native.exists(name, { runtime = runtime })
      if there then return { image = name, digest = digest } end
    end
    return false
  end)
end

-- What to do where there is none: the dates may be written otherwise.
local function advice(image, o)
  local compact, written = image:gsub("{date}", (COMPACT:gsub("%%", "%%%%")))
  local found = written > 0 and look(wanted(compact, o.from, o.to), o.runtime) or {}
  for _, one in ipairs(found) do
    if one then return one.image .. " exists: write " .. COMPACT .. " in place of {date}." end
  end
  return "Check the name and what the registry has."
end

local dated = {}

--- Whether a day has a name of its own, not a month or a week.
function dated.is_daily(image) return template.fill(image, 0) ~= template.fill(image, DAY_S) end

--- The seconds from one name to the next, at most a day too many.
function dated.step(image) return math.ceil(400 / #wanted(image, 0, 399 * DAY_S)) * DAY_S end

--- The images that exist, the oldest first; `missing` has the dates of the others. `o`: from, to (times) and runtime.
function dated.images(image, o)
  local format = template.marks(image)
  local shown = { reg.time.date(o.from), reg.time.date(o.to) }
  if o.from - o.from % DAY_S > o.to then
    core.fail("usage", string.format("'from' %s is after 'to' %s", shown[1], shown[2]), "Swap the two.")
  end
  if o.to - o.from > MOST_S then core.fail("usage", "more than 20 years from 'from' to 'to'") end
  local list, images, daily = wanted(image, o.from, o.to), { missing = {} }, dated.is_daily(image)
  local found = look(list, o.runtime)
  for i, one in ipairs(list) do
    local date = reg.time.date(one.time)
    local id = daily and date or reg.time.format(one.time, format)
    if found[i] then
      images[#images + 1] = { id = id, date = date, time = one.time, image = found[i].image, digest = found[i].digest }
    else
      images.missing[#images.missing + 1] = id
    end
  end
  if #images == 0 then
    core.fail("not_found", string.format("no image from %s to %s: tried %s and so on", shown[1], shown[2],
      table.concat(list[1].names, " and ")), advice(image, o))
  end
  return images
end

return dated
