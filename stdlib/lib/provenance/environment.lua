-- The machine, software and settings of an investigation, as rows of strings, for the page and the shared text.

local names = require "lib/report/names"
local read = require "lib/report/read"
local values = require "lib/values"

local find, grouped, map, sorted_names = values.find, values.grouped, values.map, values.sorted_names

local MOST_IMAGES = 10

local environment = {}

local function text(value) return type(value) == "boolean" and tostring(value) or read.text(value) end

local function moment(seconds) return type(seconds) == "number" and reg.time.format(math.floor(seconds)) or nil end

local function add_facts(add, facts)
  for _, name in ipairs(sorted_names(facts)) do
    add(name, facts[name])
    local versions = name == "versions" and read.list(facts[name]) or {}
    for _, part in ipairs(sorted_names(versions)) do
      -- Here 12.4.5.8 is a version; elsewhere it would be an address.
      add(part, versions[part], (text(versions[part]) or ""):match "^[%d.]+$" ~= nil)
    end
  end
end

local function add_gpus(add, facts)
  for _, gpu in ipairs(read.each(facts.gpus, read.list)) do
    local words = map({ "name", "driver", "cuda" }, function(name)
      return text(gpu[name]) and (name == "name" and "" or name .. " ") .. text(gpu[name])
    end)
    add("GPU", #words > 0 and table.concat(words, ", ") or nil)
  end
end

-- What the machine was doing, as the records of trials have it.
local SPREADS = { { "load average", "machine", "load_start" }, { "CPU temperature, C", "machine", "cpu_c" },
  { "SM clock under load, MHz", "gpu", "busy_sm_mhz" }, { "GPU temperature, C", "gpu", "temperature_c" },
  { "GPU power, W", "gpu", "power_w" } }

-- The lowest and the highest of a number over all trials; of one that has a median, of that.
local function spread(trials, of, name)
  local low, high
  for _, trial in ipairs(trials) do
    local x = read.list(trial.info[of])[name]
    x = read.number(type(x) == "table" and x.median or x)
    if x then low, high = math.min(low or x, x), math.max(high or x, x) end
  end
  return low and string.format(low == high and "%.4g" or "%.4g to %.4g", low, high)
end

local function add_quiet(add, trials)
  for _, trial in ipairs(trials) do
    for _, one in ipairs(read.list(trial.info.quiet)) do
      local measure = read.list(one)
      add("quiet", string.format("%s %s: %s%s", text(measure.measure) or "?", text(measure.wanted) or "",
        text(measure.state) or "?", measure.why and ", " .. tostring(measure.why) or ""))
    end
  end
end

local function add_images(add, trials)
  local images = grouped(trials, function(trial) return text(trial.info.image_digest) end)
  for i = 1, math.min(#images, MOST_IMAGES) do
    add("image of " .. images[i][1].subject, images[i][1].info.image_digest)
  end
  add("images", #images > MOST_IMAGES and #images - MOST_IMAGES .. " more" or nil)
end

local function add_variables(add, trials, mask)
  local first = {}
  for _, trial in ipairs(trials) do
    for name, value in pairs(trial.env) do first[name] = first[name] or text(value) end
  end
  for _, name in ipairs(sorted_names(first)) do add("variable", name .. "=" .. mask:value(name, first[name])) end
end

-- Includes the two ends: where it is run again, HEAD may be another commit.
local function add_commits(add, stage)
  local points = stage.answered and stage.found.points or {}
  local first, last = points[1], points[#points]
  if first and #first.id == 40 and #last.id == 40 then
    add("from", first.id)
    add("to", last.id)
  end
  for _, change in ipairs(stage.found.changes) do
    for _, side in ipairs { "last_good", "first_bad", "recovered_at" } do
      local id = text(change[side])
      add((side:gsub("_", " ")), id and #id >= 40 and id or nil)
    end
  end
end

--- Rows { name, value } of a stage (lib/report/stored.lua), each once.
function environment.rows(stage, mask, seed)
  local row, facts, trials, rows, seen = stage.row, stage.facts, stage.trials, {}, {}
  local function add(name, value, as_it_is)
    value = text(value)
    if not value or seen[name .. "\n" .. value] then return end
    seen[name .. "\n" .. value] = true
    rows[#rows + 1] = { mask:text(name), as_it_is and value or mask:text(value) }
  end
  local lua = text(read.list(facts.start).lua)
  add("engine", "regengine " .. tostring(row.engine) .. (lua and ", " .. lua or ""))
  add("host", text(row.host) and mask:host(row.host))
  add("kernel", row.kernel)
  add("CPU", row.cpu)
  add_gpus(add, facts)
  for _, one in ipairs(SPREADS) do add(one[1], spread(trials, one[2], one[3])) end
  local first = find(trials, function(trial) return type(trial.info.gpu) == "table" end)
  local gpu = first and first.info.gpu
  add("GPU clocks", gpu and (gpu.locked and "locked" or "not locked: " .. (text(gpu.why_not_locked) or "?")) or nil)
  add_facts(add, facts)
  add_quiet(add, trials)
  add_images(add, trials)
  add_commits(add, stage)
  if stage.with_output then add_variables(add, trials, mask) end
  add("seed of random numbers", seed)
  add("started", moment(row.started))
  add("ended", moment(row.ended))
  local by_status = values.sort_by(grouped(trials, function(trial) return trial.status end), function(same)
    return same[1].status
  end)
  local counted = map(by_status, function(same) return #same .. " " .. names.status(same[1].status) end)
  add("trials", #trials > 0 and #trials .. ": " .. table.concat(counted, ", ") or nil)
  return rows
end

return environment
