-- Environments as the subjects of a search: the releases of packages, a wheel for each commit of a repository, and the
-- days on which a list of requirements resolved to something else.

local programs = require "lib/python/programs"
local tools = require "lib/python/tools"
local values = require "lib/values"

local find, flat, map, merged = values.find, values.flat, values.map, values.merged
local plain_name, usage = values.plain_name, tools.usage

local subjects = {}

local AT_ONCE <const> = 4  -- resolvers

-- The versions of the packages that are not the same at all subjects, as facts of each, which the page compares; and
-- the key of each: a release and a day with equal locks have the same trials.
local function add_versions(list)
  local first, differ = {}, {}
  for _, one in ipairs(list) do
    for name, version in pairs(one.lock and one.lock.versions or {}) do
      first[name] = first[name] or version
      differ[name] = differ[name] or first[name] ~= version or nil
    end
  end
  for _, one in ipairs(list) do
    one.key = one.lock and one.lock.key
    for name in pairs(one.lock and differ or {}) do one["package " .. name] = one.lock.versions[name] end
  end
end

-- Resolves the requests of a list in parallel. Each subject gets `lock`, or `failure` with the reason, and `build`,
-- which equal locks have in common.
local function resolve_all(installer, list)
  local progress <close> = reg.progress { total = #list, title = "resolving", unit = "environment" }
  local done = 0
  reg.parallel(list, function(one)
    if not one.failure then one.lock, one.failure = installer:resolve(one.request) end
    one.build = one.lock and one.lock.key or "none of " .. one.id
    done = done + 1
    progress:update { done = done, subject = one.label or one.id }
  end, { at_most = AT_ONCE })
  add_versions(list)
end

-- The lock of the last subject that has one: the others keep its versions of everything else where they fit.
local function preferred(installer, list)
  for i = #list, 1, -1 do
    local one = list[i]
    if not one.failure then
      local lock, why = installer:resolve(one.request)
      if lock then return installer.uv and lock or nil end
      one.failure = why
    end
  end
end

-- The days without a nightly between the first and the last one that was asked for.
local function missing_days(list, from, to)
  local has = values.set(map(list, function(one) return one.day end))
  local first = (from or ""):match "^%d+-%d+-%d+$" or list[1].day
  local last = (to or ""):match "^%d+-%d+-%d+$" or list[#list].day
  return map(reg.time.range { from = first, to = last }, function(time)
    local day = reg.time.date(time)
    return not has[day] and day or nil
  end)
end

-- The releases of a package, the oldest first: version, day ("2024-10-19": of a nightly's version, or when it was
-- uploaded), dated (whether the version has the day in it), yanked (the reason), and files, their names and hashes.
-- `range`: `from` and `to`, both versions or both days, each of which may be absent, and `pre`.
local function releases_of(self, name, range)
  if not name:find "^%w[%w._-]*$" then
    usage("not the name of a package: '" .. name .. "'", "Pass versions and extras as requirements: --with 'jax[cpu]'.")
  end
  local words = { self.python, "-I", "-c", programs.RELEASES, plain_name(name), range.from or "", range.to or "",
    range.pre and "pre" or "", table.unpack(self.pages) }
  local run = tools.patiently(self, function()
    local run = tools.read(words)
    return run.code ~= 4 and run or nil, run.stderr
  end)
  if run.code == 3 then usage("no index has a package '" .. name .. "'", "Check its name, or pass --index URL.") end
  if not run.ok then usage("cannot list the releases of " .. name .. ": " .. programs.reason(run.stderr)) end
  local found = reg.json.decode(run.stdout)
  if #found.releases == 0 then
    local bounds = (range.from and " from " .. range.from or "") .. (range.to and " to " .. range.to or "")
    usage(name .. " has no release" .. bounds, string.format("The index has %s to %s%s.", found.first, found.last,
      range.pre and "" or "; pre-releases need --pre"))
  end
  return found.releases
end

-- A subject for each release of o.packages[1], with those of the other packages that go with it, by version or by day;
-- where neither exists, what the first one requires.
local function of_releases(installer, o)
  local first, others, list = o.packages[1], {}, {}
  for i = 2, #o.packages do others[o.packages[i]] = releases_of(installer, o.packages[i], { pre = true }) end
  local releases = releases_of(installer, first, o)
  for i, release in ipairs(releases) do
    local packages, seen = { plain_name(first) .. "==" .. release.version }, release.files
    for j = 2, #o.packages do
      local name = o.packages[j]
      local other = find(others[name], function(one) return one.version == release.version end)
        or find(others[name], function(one) return release.dated and one.dated and one.day == release.day end)
      packages[j] = other and plain_name(name) .. "==" .. other.version or name
      seen = seen .. (other and other.files or "")
    end
    local failure = release.yanked and "yanked" .. (type(release.yanked) == "string" and ": " .. release.yanked or "")
    list[i] = { id = release.version, day = release.day, failure = failure or nil,
      request = { packages = flat { packages, o.with or {} }, pre = o.pre, seen = core.sha256(seen) } }
  end
  local kind = find(releases, function(one) return not one.dated end) and "release" or "day"
  if kind ~= "release" then list.missing = missing_days(releases, o.from, o.to) end
  if core.settings().dry_run then return list, kind end
  if o.with and #o.with > 0 and not o.prefer then
    local lock, why = installer:resolve { packages = o.with, pre = o.pre }
    if not lock then usage("nothing meets " .. table.concat(o.with, ", ") .. ": " .. why) end
  end
  local prefer = o.prefer or preferred(installer, list)
  for _, one in ipairs(list) do one.request.prefer = prefer end
  resolve_all(installer, list)
  if not find(list, function(one) return one.lock end) then
    usage(string.format("none of %d releases can be installed: %s", #list, list[#list].failure),
      "Only wheels are installed: they must fit this machine and this Python. --python takes another one.")
  end
  return list, kind
end

local function of_versions(installer, o)
  local package = o.packages[1]
  local list = map(o.versions, function(version)
    return { id = version, request = { packages = flat { { plain_name(package) .. "==" .. version }, o.with or {} } } }
  end)
  if core.settings().dry_run then return list, "release" end
  resolve_all(installer, list)
  for _, one in ipairs { list[1], list[#list] } do
    if one.failure then
      usage(string.format("%s %s cannot be installed: %s", package, one.id, one.failure), "Pass another release.")
    end
  end
  return list, "release"
end

-- Wheels are fetched when their commit is measured.
local function of_wheels(installer, o)
  local list = map(o.commits, function(commit)
    local packages = flat { { (o.wheel:gsub("{commit}", commit.id)) }, o.with or {} }
    return setmetatable({ request = { packages = packages } }, { __index = commit })
  end)
  list.named = o.commits.named
  local prefer = not core.settings().dry_run and installer.uv and installer:resolve(list[#list].request) or nil
  for _, one in ipairs(list) do one.request.prefer = prefer end
  return list, "commit"
end

-- The day that `from` names is the first. Between two days that resolve alike nothing is looked for.
local function of_days(installer, o)
  if core.settings().dry_run then
    local request = { packages = { "the requirements of that day" } }
    return { { id = o.from, request = request }, { id = o.to, request = request } }, "day"
  end
  local text = (o.file and require("lib/python/pins").requirements(o.file) or "") .. (o.requirements or "")
    .. table.concat(o.with or {}, "\n")
  local first, last = reg.time.parse(o.from), reg.time.parse(o.to)
  if first > last then usage("the first day is after the last one: " .. o.from .. ", " .. o.to) end
  local count, known = (last - first) // 86400, {}
  local function at(i)  -- what would have been installed on a day, as a subject
    if known[i] then return known[i] end
    local day = reg.time.format(first + i * 86400):sub(1, 10)
    local one = { id = day, day = day, request = { requirements = text, pre = o.pre, at = day .. "T23:59:59Z" } }
    one.lock, one.failure = installer:resolve(one.request)
    one.build, known[i] = one.lock and one.lock.key or "none: " .. one.failure, one
    return one
  end
  for _, i in ipairs { 0, count } do
    local one = at(i)
    if one.failure then
      usage("nothing meets the requirements on " .. one.day .. ": " .. one.failure,
        "Change them, or pass another day.")
    end
  end
  local progress <close> = reg.progress { title = "resolving", unit = "environment" }
  local list = { at(0) }
  local function between(low, high)
    if at(low).build == at(high).build then return end
    progress:update { done = #list, subject = at(high).day }
    if high - low == 1 then list[#list + 1] = at(high) return end
    local middle = (low + high) // 2
    between(low, middle)
    between(middle, high)
  end
  if count > 0 then between(0, count) end
  add_versions(list)
  if #list == 1 then
    usage(string.format("from %s to %s the requirements resolve to the same packages", o.from, o.to),
      "Pass days that are further apart.")
  end
  return list, "day"
end

--- Installer:subjects.
function subjects.of(installer, o)
  return (o.wheel and of_wheels or (o.file or o.requirements) and of_days or o.versions and of_versions
    or of_releases)(installer, o)
end

-- The lock of a subject, which that of a wheel gets now.
local function lock_of(installer, subject)
  local why = subject.failure
  if not (subject.lock or why) then subject.lock, why = installer:resolve(subject.request) end
  return subject.lock or error(reg.skip(why, "", "build_failed"), 0)
end

-- A dry run and a rehearsal resolve nothing: the request stands for the lock.
local function pretended(subject)
  if subject.lock or not (core.in_rehearsal or core.settings().dry_run) then return nil end
  local asked = subject.request
  local request = table.concat(asked.packages or { asked.requirements }, " ") .. (asked.at and " at " .. asked.at or "")
  if core.in_rehearsal then core.note("environment " .. request) end
  return request
end

--- Installer:search.
function subjects.search(installer, list, opt, o)
  if #list == 1 then usage("only one " .. o.kind .. " to search: " .. list[1].id, "Pass a wider range.") end
  local function command(subject)
    local request = pretended(subject)
    local lock = not request and lock_of(installer, subject)
    return lock and lock:command(opt.test, opt.timeout) or { shell = opt.test, timeout_s = opt.timeout,
      env = { ENVIRONMENT = request } }
  end
  return reg.sweep(list, merged({ metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect,
    config = { contents = require("lib/sweep/investigation").contents { opt.test } }, every = opt.every,
    budget = opt.budget, reported = { good = opt.good_value, bad = opt.bad_value },
    build = function(subject, trial)
      if not pretended(subject) then lock_of(installer, subject):build(trial) end
    end,
    [opt.metric and "measure" or "passes"] = function(subject, trial) return trial:test(command(subject), opt) end,
  }, o))
end

return subjects
