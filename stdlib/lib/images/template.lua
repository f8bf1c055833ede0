-- Image names with marks: {date}, {date:%Y%m%d} with a strftime format, and {sha}, a commit.

local ISO = "%Y-%m-%d"
local DAY_S = 86400

local template = {}

--- The strftime format of the date and whether there is a {sha}, each nil where there is none. Raises usage for others.
function template.marks(image)
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
function template.dated(image, from, to)
  local list, seen = {}, {}
  local host, flavor = image:match "^(.*/)jax:([a-z0-9][a-z0-9._-]*)%-{date}$"
  local format = fill(image, 0) ~= fill(image, DAY_S) and ISO or template.marks(image)
  for _, time in ipairs(reg.time.range { from = from - from % DAY_S, to = to }) do
    local name = fill(image, time)
    if not seen[name] then
      list[#list + 1] = { id = reg.time.format(time, format), time = time, image = name,
        older = fill(host and host .. flavor .. ":nightly-{date}", time) }
    end
    seen[name] = true
  end
  return list
end

--- A function that reads the date and the commit in a name: the time, or true without a {date}, and the commit; nil for
--- a name of another form.
function template.reader(image)
  local marks, date = {}, template.marks(image)
  for mark in image:gmatch "{(%a+)" do marks[#marks + 1] = mark end
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

return template
