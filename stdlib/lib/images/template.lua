-- Image names with marks: {date}, {date:%Y%m%d} with a strftime format, and {sha}, a commit.

local ISO = "%Y-%m-%d"
local OLDER = "^(.*/)jax:([a-z0-9][a-z0-9._-]*)%-{date}$"  -- the names in which JAX-Toolbox had another scheme
local MONTHS = { "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec" }
local SHORTEST, LONGEST = 7, 40  -- digits of a commit

-- What of a format can be read back.
local FIELDS = { Y = "(%d%d%d%d)", y = "(%d%d)", m = "(%d%d)", d = "(%d%d)", H = "(%d%d)", M = "(%d%d)", S = "(%d%d)",
  j = "(%d%d%d)", b = "(%a%a%a)" }

local template = {}

local function format_of(mark) return mark == "date" and ISO or mark:match "^date:(.+)$" end

--- The strftime format of the date and whether there is a {sha}, each nil where there is none. Raises usage for other
--- marks.
function template.marks(image)
  local date, sha
  for mark in image:gmatch "{([^{}]*)}" do
    date, sha = date or format_of(mark), sha or mark == "sha" or nil
    if mark ~= "sha" and not format_of(mark) then
      core.fail("usage", "not a valid part of an image name: '{" .. mark .. "}'", "Use {date}, {date:%Y%m%d} or {sha}.")
    end
  end
  return date, sha
end

--- The name with this date in it.
function template.fill(image, time)
  return (image:gsub("{(date[^{}]*)}", function(mark) return reg.time.format(time, format_of(mark)) end))
end

--- The names to try for a date, the likeliest first: for HOST/nvidia/jax:FLAVOR-{date} also what JAX-Toolbox used until
--- February 2024.
function template.names(image, time)
  local host, flavor = image:match(OLDER)
  return { template.fill(image, time), host and template.fill(host .. flavor .. ":nightly-{date}", time) }
end

-- The time that the fields of a format say; nil for one that does not exist.
local function time_of(fields)
  local year, month = fields.Y or fields.y and "20" .. fields.y, fields.m or "01"
  for i, name in ipairs(MONTHS) do month = fields.b and fields.b:lower() == name and i or month end
  local ok, time = pcall(reg.time.parse, string.format("%s-%02d-%sT%s:%s:%s", year, tonumber(month), fields.d or "01",
    fields.H or "00", fields.M or "00", fields.S or "00"))
  return ok and time + 86400 * ((tonumber(fields.j) or 1) - 1) or nil
end

--- A function that reads date and commit of a name, { time =, sha = }; it gives nil for a name of another form.
function template.reader(image)
  local pattern, names, from = {}, {}, 1
  local function add(text) pattern[#pattern + 1] = text:gsub("%p", "%%%0") end
  local function add_field(field, format)
    names[#names + 1] = field
    pattern[#pattern + 1] = field == "sha" and "(%x+)" or FIELDS[field] or core.fail("usage",
      "dates in tags cannot be read by %" .. field .. ": '" .. format .. "'", "Use %Y, %y, %m, %b, %d, %j, %H, %M, %S.")
  end
  for first, mark, following in image:gmatch "(){([^{}]*)}()" do
    add(image:sub(from, first - 1))
    from = following
    local format = format_of(mark)
    if not format then add_field "sha" end
    for text, field in (format or ""):gsub("%%F", (ISO:gsub("%%", "%%%%"))):gmatch "([^%%]*)%%?(.?)" do
      add(text)
      if field ~= "" then add_field(field, format) end
    end
  end
  add(image:sub(from))
  local whole, has_date = "^" .. table.concat(pattern) .. "$", template.marks(image) ~= nil
  return function(name)
    local fields, found = {}, table.pack(name:match(whole))
    for i, field in ipairs(names) do fields[field] = found[i] end
    local sha, time = fields.sha, has_date and found[1] and time_of(fields)
    if not found[1] or sha and (#sha < SHORTEST or #sha > LONGEST) or time == nil then return nil end
    return { time = time or nil, sha = sha }
  end
end

return template
