-- How long runs, builds and pulls take, as those of earlier trials and of this sweep did.

local count = require("lib/report/numbers").count
local median = require "lib/median"

local SAME = { "repo", "image", "test", "commands" }  -- the options that say what is run
local MOST = 200                                      -- trials that it looks back
local OWN = 3                                         -- own trials from which on only these count
local LEAST_S = 0.5                                   -- a shorter build or pull had nothing to do

local Times = {}
Times.__index = Times

local function is_same(one, other)
  return reg.json.encode { one } == reg.json.encode { other }
end

-- The investigations of the same repository, image and test; those of the same script where it has no such option.
local function alike(store, asked)
  local ids, any = {}, false
  for _, name in ipairs(SAME) do any = any or asked[name] ~= nil end
  for _, row in ipairs(store:query "SELECT id, script, options FROM investigations") do
    local readable, options = pcall(reg.json.decode, row.options)
    local same = readable and (any or row.script == core.settings().title)
    for _, name in ipairs(same and SAME or {}) do same = same and is_same(options[name], asked[name]) end
    if same then ids[#ids + 1] = math.tointeger(row.id) end
  end
  return ids
end

local function add(lists, row)
  local build_s, prepare_s = row.build_s or 0, row.prepare_s or 0
  -- In older stores, a build may have been outside of its trial.
  table.insert(lists.runs, math.max(row.s - build_s, row.wall_s or 0))
  if build_s >= LEAST_S then table.insert(lists.builds, build_s) end
  if prepare_s >= LEAST_S then table.insert(lists.pulls, prepare_s) end
end

local function typical(list) return median(table.move(list, math.max(1, #list - MOST + 1), #list, 1, {})) end

local function lists() return { runs = {}, builds = {}, pulls = {} } end

--- Those of earlier trials in `store`, nil for none, of subjects of this kind. `options`: of the script, which say what
--- it is that runs.
function Times.new(store, kind, options)
  local self = setmetatable({ earlier = lists(), own = lists() }, Times)
  local ids = store and alike(store, options or {}) or {}
  if #ids == 0 then return self end
  local rows = store:query([[SELECT t.ended - t.started AS s, t.wall_s, json_extract(t.info, '$.build_s') AS build_s,
    json_extract(t.info, '$.prepare_s') AS prepare_s FROM trials t JOIN subjects s ON s.id = t.subject
    WHERE t.status = 'ok' AND t.ended IS NOT NULL AND s.kind = ? AND t.investigation IN (]]
    .. table.concat(ids, ", ") .. ") ORDER BY t.id DESC LIMIT " .. MOST, kind or "")
  for _, row in ipairs(rows) do add(self.earlier, row) end
  return self
end

--- Adds a trial of this sweep, which took that long with what came before it.
function Times:add(trial, seconds)
  if trial.status ~= "ok" then return end
  local prepare_s = trial.info.prepare_s
  add(self.own, { s = seconds - (prepare_s or 0), wall_s = trial.wall_s, build_s = trial.info.build_s,
    prepare_s = prepare_s })
end

--- How many earlier trials there are.
function Times:known() return #self.earlier.runs end

--- What `runs` more runs take, as parts { n =, name =, each = seconds }: as many of them build or pull as did before.
--- nil where nothing tells.
function Times:parts(runs)
  local from = #self.own.runs >= OWN and self.own or self.earlier
  if #from.runs == 0 then from = self.own end
  if #from.runs == 0 then return nil end
  local parts = { { n = runs, name = "run", each = typical(from.runs) } }
  for _, name in ipairs { "build", "pull" } do
    local list = from[name .. "s"]
    local n = math.ceil(runs * #list / #from.runs)
    if n > 0 then parts[#parts + 1] = { n = n, name = name, each = typical(list) } end
  end
  return parts
end

--- How long that takes, in seconds; nil where nothing tells.
function Times:seconds(runs)
  local sum
  for _, part in ipairs(self:parts(runs) or {}) do sum = (sum or 0) + part.n * part.each end
  return sum
end

local function span(seconds)
  return seconds < 60 and string.format("%.2g s", seconds) or reg.time.words(seconds)
end

--- "13 runs of 12 s, about 7 builds of 30 s".
function Times:words(runs)
  local list = {}
  for i, part in ipairs(self:parts(runs) or {}) do
    list[i] = string.format("%s%s of %s", part.name ~= "run" and "about " or "", count(part.n, part.name),
      span(part.each))
  end
  return table.concat(list, ", ")
end

return Times
