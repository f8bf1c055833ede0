-- The values of options from the words given for them, or their defaults, and what they ask of one another:
--   not_after = "to"          its value must not be greater
--   needs = { "metric" }      they must be given too; needs_both_ends: where the good end is given
--   not_with = { "metric" }   they must not be given
--   goes_back = true          the good end: without it, the search goes back to a good one, by a number to --good-value
--   revision_of = "repo"      its value must be a commit of that repository, or a date
--   needs_direction = true    it must be known whether higher or lower values of --metric are better

local command_line = require "lib/options/command_line"
local direction = require "lib/direction"
local sorted_names = require "lib/sorted_names"
local types = require "lib/options/types"
local usage = require "lib/options/usage"

local flag_of = command_line.flag_of

-- Times compare as times; what is not a valid one was reported before.
local function comparable(value) return type(value) == "string" and reg.time.parse(value) or value end

-- The option of the good end, if the script has one that it can do without and it is not given.
local function absent_good_end(all, given)
  for name, spec in pairs(all) do
    local where = type(spec.goes_back) == "string" and (given.values[spec.goes_back] or { "" })[1] or "{date"
    local goes_back = spec.goes_back and where:find("{date", 1, true)
    if goes_back and not given.values[name] and not given.meant[name] then return name end
  end
end

-- The commit that a date means: the last one of HEAD's first parents at or before it. nil where there is none.
local function commit_of_date(repo, date)
  local seconds = date:find "^%d%d%d%d%-%d%d%-%d%d" and reg.time.parse(date)
  return seconds and repo:log({ first_parent = true, ["until"] = seconds, limit = 1 })[1]
end

-- The revision, or the commit that a date means; or nil, why it is not a commit of the repository, and what to do.
local function revision_of(path, revision)
  local opened, repo = pcall(reg.git.open, path)
  if not opened then return revision end
  local ok, why = pcall(repo.resolve, repo, revision)
  if ok or type(why) ~= "table" or why.kind ~= "not_found" then return revision end
  local commit = commit_of_date(repo, revision)
  if not commit then return nil, why.message, why.hint end
  reg.log.info("%s is %s %s", revision, commit.short, commit.subject)
  return commit.id
end

-- Adds to `problems` what the values ask of one another in vain.
local function relate(all, values, given, problems)
  local absent = absent_good_end(all, given)
  if absent and given.values.metric and not given.values.good_value and not given.meant.good_value then
    problems:add(string.format("by a number, it needs %s, or --good-value to go back to a good one", flag_of(absent)))
  end
  for _, name in ipairs(sorted_names(all)) do
    local spec, value = all[name], values[name]
    local other = value ~= nil and spec.not_after and values[spec.not_after]
    local of_one_day = other and spec.type == "time" and value:sub(1, 10) == other
    if other and not of_one_day and comparable(value) > comparable(other) then
      problems:add(string.format("%s %s is %s %s %s", flag_of(name), value,
        type(value) == "string" and "after" or "greater than", flag_of(spec.not_after), other), "Swap the two.")
    end
    local repo = value and spec.revision_of and values[spec.revision_of]
    if repo then
      local what, hint
      values[name], what, hint = revision_of(repo, value)
      if what then problems:add(flag_of(name) .. ": " .. what, hint) end
    end
    local wants = value and spec.needs_direction and values.metric and not values.better
    if wants and not direction.of(values.metric) then
      local what, hint = direction.unknown(values.metric)
      problems:add(flag_of(name) .. ": " .. what, hint)
    end
    local needs = table.move(spec.needs or {}, 1, #(spec.needs or {}), 1, {})
    if not absent then table.move(spec.needs_both_ends or {}, 1, #(spec.needs_both_ends or {}), #needs + 1, needs) end
    for _, needed in ipairs(given.values[name] and needs or {}) do
      if all[needed] and not given.values[needed] and not given.meant[needed] then
        problems:add(flag_of(name) .. " needs " .. flag_of(needed))
      end
    end
    for _, excluded in ipairs(given.values[name] and spec.not_with or {}) do
      if given.values[excluded] then
        problems:add(flag_of(name) .. " cannot be used with " .. flag_of(excluded), "Remove one of the two.")
      end
    end
  end
end

-- The option's value from the words given for it, else from its default.
local function value_of(name, spec, given, problems)
  local default = spec.default
  if default == nil and spec.type == "boolean" then default = false end
  local values = {}
  for _, one in ipairs(given or type(default) == "table" and default or { default }) do
    local value, problem, hint = types.convert(name, spec, one)
    if problem then problems:add(problem, hint) else values[#values + 1] = value end
  end
  if spec.list then return values end
  return values[1]
end

-- A folder of somebody else may have a link by the name that is written unless another is given.
local function check_default(name, spec, problems)
  local folder, path = reg.fs.absolute ".", reg.fs.absolute(spec.default)
  if path:sub(1, #folder + 1) == folder .. "/" then return end
  problems:add(("%s is a link to %s, outside this folder"):format(spec.default, path),
    ("Remove the link, or name the file with %s."):format(types.shown(name, spec)))
end

--- The values of all options. Raises usage with everything that is wrong with the command line.
return function(all, given, problems)
  local values = {}
  for _, name in ipairs(usage.sorted(all)) do
    local spec = all[name]
    if spec.required and not given.values[name] and not given.meant[name] then
      problems:add("needs " .. types.shown(name, spec) .. ": " .. spec[1])
    else
      values[name] = value_of(name, spec, given.values[name], problems)
      if spec.type == "output" and spec.default and not given.values[name] then check_default(name, spec, problems) end
    end
  end
  relate(all, values, given, problems)
  problems:raise()
  -- As Worktree:checkout takes it.
  if all.submodules and (values.no_submodules or #values.submodules == 0) then
    values.submodules = not values.no_submodules
  end
  return values
end
