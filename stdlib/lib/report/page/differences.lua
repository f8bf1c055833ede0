-- What else differs between the last good and the first bad subject: in their trials, the subjects themselves, and
-- their images.

local differences = {}

local NOT_SHOWN = { id = true, label = true, short = true, subject = true, message = true, author = true,
  author_date = true, date = true, email = true, time = true, at = true, index = true, repo = true }
local IMAGE_PARTS = { { "commits", "commit of " }, { "env", "image env " }, { "labels", "image label " } }

local function is_plain(value) return type(value) ~= "table" and type(value) ~= "nil" end

-- A list of plain values, such as a command, is one value.
local function flat(value, name, into)
  if is_plain(value) then
    into[name] = tostring(value)
  elseif type(value) == "table" and #value > 0 and is_plain(value[1]) then
    local parts = {}
    for i, part in ipairs(value) do parts[i] = is_plain(part) and tostring(part) or "..." end
    into[name] = table.concat(parts, " ")
  elseif type(value) == "table" then
    for key, inner in pairs(value) do
      flat(inner, name == "" and tostring(key) or name .. " " .. tostring(key), into)
    end
  end
end

-- What a trial was run with, and the facts of its subject.
local function facts_of(trial, subject)
  local facts = {}
  if trial then
    flat(trial.env, "env", facts)
    flat(trial.command, "command", facts)
    flat(trial.config, "configuration", facts)
    local digest = trial.info.image_digest
    facts["image digest"] = type(digest) == "string" and digest:gsub("^(sha256:%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x)%x*$",
      "%1") or nil
    for _, measure in ipairs(type(trial.info.quiet) == "table" and trial.info.quiet or {}) do
      if type(measure) == "table" then
        local name = "quiet: " .. tostring(measure.measure)
        facts[name] = tostring(measure.state) .. (measure.now and ", " .. tostring(measure.now) or "")
      end
    end
    local gpu = trial.info.gpu
    if type(gpu) == "table" then
      facts["GPU clocks"] = gpu.locked and "locked" or "not locked"
      for _, one in ipairs(type(gpu.gpus) == "table" and gpu.gpus or {}) do
        if type(one) == "table" then
          facts["GPU " .. tostring(one.index)] = type(one.name) == "string" and one.name or nil
        end
      end
    end
  end
  for name, value in pairs(type(subject) == "table" and subject.facts or {}) do
    if not NOT_SHOWN[name] then facts[facts[name] and "subject's " .. name or name] = value end
  end
  return facts
end

local function compare(good, bad)
  local names, rows = {}, {}
  for name in pairs(good) do names[name] = true end
  for name in pairs(bad) do names[name] = true end
  for name in pairs(names) do
    if good[name] ~= bad[name] then rows[#rows + 1] = { name = name, good = good[name], bad = bad[name] } end
  end
  table.sort(rows, function(a, b) return a.name < b.name end)
  return rows
end

local function trial_of(stage, id)
  local found
  for _, trial in ipairs(stage.trials) do
    if trial.subject == id and (trial.status == "ok" or not found) then found = trial end
  end
  return found
end

-- What the runtime says of an image, and the commits in it; nil if the image is no longer on this machine.
local function image_facts(image, runtime)
  local here, facts = pcall(reg.container.inspect, image, { runtime = runtime })
  if not here then return nil end
  local told, commits = pcall(reg.container.commits, image, { runtime = runtime })
  facts.commits = {}
  for name, checkout in pairs(told and commits or {}) do facts.commits[name] = checkout.commit end
  return facts
end

-- What differs between the two images, as rows; nil if one of them is not on this machine.
local function compare_images(lo, hi, runtime)
  local good = image_facts(lo, runtime)
  local bad, rows = good and image_facts(hi, runtime), {}
  for _, part in ipairs(bad and IMAGE_PARTS or {}) do
    for _, row in ipairs(compare(good[part[1]], bad[part[1]])) do
      row.name = part[2] .. row.name
      rows[#rows + 1] = row
    end
  end
  return bad and rows
end

--- { rows = { { name =, good =, bad = } }, compared = whether both sides have a trial, images_missing = whether the
--- images could not be compared because one is not on this machine }.
function differences.of(change, stage)
  local good, bad = trial_of(stage, change.last_good), trial_of(stage, change.first_bad)
  local rows, lo, hi = compare(facts_of(good, change.lo), facts_of(bad, change.hi)), change.lo, change.hi
  local runtime, missing = stage.options.runtime, false
  local are_images = type(lo) == "table" and type(hi) == "table" and lo.image and hi.image and lo.image ~= hi.image
  if are_images and runtime ~= "local" then
    local of_images = compare_images(lo.image, hi.image, type(runtime) == "string" and runtime or nil)
    missing = not of_images
    table.move(of_images or {}, 1, #(of_images or {}), #rows + 1, rows)
  end
  return { rows = rows, compared = good ~= nil and bad ~= nil, images_missing = missing }
end

return differences
