-- The machine, software and settings of an investigation, as rows of strings, for the page and the shared text.

local sorted_names = require("lib/values").sorted_names
local status = require("lib/report/names").status

local MOST_IMAGES = 10

local environment = {}

local PLAIN = { string = true, number = true, boolean = true }

local function text(value) return PLAIN[type(value)] and tostring(value) or nil end

local function moment(seconds) return type(seconds) == "number" and reg.time.format(math.floor(seconds)) or nil end

local function count_words(counts)
  local words = {}
  for _, name in ipairs(sorted_names(counts)) do words[#words + 1] = counts[name] .. " " .. status(name) end
  return table.concat(words, ", ")
end

local function add_facts(rows, facts)
  for _, name in ipairs(sorted_names(facts)) do
    local value = facts[name]
    if text(value) then
      rows[#rows + 1] = { name, text(value) }
    elseif name == "versions" and type(value) == "table" then
      for _, part in ipairs(sorted_names(value)) do
        local version = text(value[part])
        -- Here 12.4.5.8 is a version; elsewhere it would be an address.
        if version then rows[#rows + 1] = { part, version, as_it_is = version:match "^[%d.]+$" ~= nil } end
      end
    end
  end
end

local function add_gpus(rows, facts)
  for _, gpu in ipairs(type(facts.gpus) == "table" and facts.gpus or {}) do
    local words = {}
    for _, name in ipairs(type(gpu) == "table" and { "name", "driver", "cuda" } or {}) do
      if text(gpu[name]) then
        words[#words + 1] = name == "name" and text(gpu[name]) or name .. " " .. text(gpu[name])
      end
    end
    if #words > 0 then rows[#rows + 1] = { "GPU", table.concat(words, ", ") } end
  end
end

-- The lowest and the highest of a number over all trials.
local function spread(trials, read)
  local low, high
  for _, trial in ipairs(trials) do
    local x = read(trial)
    if type(x) == "number" then low, high = math.min(low or x, x), math.max(high or x, x) end
  end
  if not low then return nil end
  return low == high and string.format("%.4g", low) or string.format("%.4g to %.4g", low, high)
end

local function gpu_number(name)
  return function(trial)
    local gpu = type(trial.info.gpu) == "table" and trial.info.gpu or {}
    local of = gpu[name]
    return type(of) == "table" and of.median or nil
  end
end

local function machine_number(name)
  return function(trial) return type(trial.info.machine) == "table" and trial.info.machine[name] or nil end
end

local SPREADS = { { "load average", machine_number "load_start" }, { "CPU temperature, C", machine_number "cpu_c" },
  { "SM clock under load, MHz", gpu_number "busy_sm_mhz" }, { "GPU temperature, C", gpu_number "temperature_c" },
  { "GPU power, W", gpu_number "power_w" } }

-- What the machine was doing.
local function add_spreads(rows, trials)
  for _, row in ipairs(SPREADS) do
    local found = spread(trials, row[2])
    if found then rows[#rows + 1] = { row[1], found } end
  end
end

local function add_clocks(rows, trials)
  for _, trial in ipairs(trials) do
    local gpu = trial.info.gpu
    if type(gpu) == "table" then
      rows[#rows + 1] = { "GPU clocks", gpu.locked and "locked" or "not locked: " .. (text(gpu.why_not_locked) or "?") }
      return
    end
  end
end

local function add_quiet(rows, trials)
  local seen = {}
  for _, trial in ipairs(trials) do
    for _, measure in ipairs(type(trial.info.quiet) == "table" and trial.info.quiet or {}) do
      local words = type(measure) == "table" and string.format("%s %s: %s", text(measure.measure) or "?",
        text(measure.wanted) or "", (text(measure.state) or "?")
        .. (measure.why and ", " .. tostring(measure.why) or ""))
      if words and not seen[words] then rows[#rows + 1] = { "quiet", words } end
      seen[words or ""] = true
    end
  end
end

local function add_images(rows, trials)
  local seen, count = {}, 0
  for _, trial in ipairs(trials) do
    local digest = text(trial.info.image_digest)
    if digest and not seen[digest] then
      seen[digest], count = true, count + 1
      if count <= MOST_IMAGES then rows[#rows + 1] = { "image of " .. trial.subject, digest } end
    end
  end
  if count > MOST_IMAGES then rows[#rows + 1] = { "images", (count - MOST_IMAGES) .. " more" } end
end

local function add_variables(rows, trials, mask)
  local seen = {}
  for _, trial in ipairs(trials) do
    for _, name in ipairs(sorted_names(trial.env)) do
      local value = text(trial.env[name])
      if value and not seen[name] then rows[#rows + 1] = { "variable", name .. "=" .. mask:value(name, value) } end
      seen[name] = true
    end
  end
end

-- Includes the two ends: where it is run again, HEAD may be another commit.
local function add_commits(rows, stage)
  local points = stage.answered and stage.found.points or {}
  local first, last = points[1], points[#points]
  if first and #first.id == 40 and #last.id == 40 then
    rows[#rows + 1] = { "from", first.id }
    rows[#rows + 1] = { "to", last.id }
  end
  for _, change in ipairs(stage.found.changes) do
    for _, side in ipairs { "last_good", "first_bad", "recovered_at" } do
      local id = text(change[side])
      if id and #id >= 40 then rows[#rows + 1] = { (side:gsub("_", " ")), id } end
    end
  end
end

--- Rows { name, value } of a stage (lib/report/stored.lua).
function environment.rows(stage, mask, seed)
  local row, counts = stage.row, {}
  for _, trial in ipairs(stage.trials) do counts[trial.status] = (counts[trial.status] or 0) + 1 end
  local start = type(stage.facts.start) == "table" and stage.facts.start or {}
  local rows = { { "engine", "regengine " .. tostring(row.engine)
    .. (text(start.lua) and ", " .. text(start.lua) or "") } }
  local function add(name, value) if text(value) then rows[#rows + 1] = { name, text(value) } end end
  add("host", text(row.host) and mask:host(row.host))
  add("kernel", row.kernel)
  add("CPU", row.cpu)
  add_gpus(rows, stage.facts)
  add_spreads(rows, stage.trials)
  add_clocks(rows, stage.trials)
  add_facts(rows, stage.facts)
  add_quiet(rows, stage.trials)
  add_images(rows, stage.trials)
  add_commits(rows, stage)
  if stage.with_output then add_variables(rows, stage.trials, mask) end
  add("seed of random numbers", seed)
  add("started", moment(row.started))
  add("ended", moment(row.ended))
  if #stage.trials > 0 then add("trials", #stage.trials .. ": " .. count_words(counts)) end
  for _, one in ipairs(rows) do
    one[1] = mask:text(one[1])
    if not one.as_it_is then one[2] = mask:text(one[2]) end
  end
  return rows
end

return environment
