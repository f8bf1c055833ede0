-- reg.store: C++ keeps the file; this lists investigations, writes trials as lines of JSON and reads such lines.

local json = reg.json
local PIECE = 1 << 20  -- bytes that are written at a time

---@class (partial) store.Store
local Store = core.classes["store.Store"]

--- Every investigation, oldest first: id, name, script, script_sha256, options, engine, host, kernel, cpu, started,
--- ended and verdict. Options and verdict are JSON text, times are Unix seconds.
---@return table[] investigations
function Store:investigations()
  return self:query [[SELECT id, name, script, script_sha256, options, engine, host, kernel, cpu, started, ended,
    verdict FROM investigations ORDER BY id]]
end

-- What the lines say of the investigation of each trial. An imported trial keeps the one it came from.
local function investigations(store)
  local all = {}
  local function parsed(text)
    local ok, value = pcall(json.decode, text)
    return ok and value or json.null  -- damaged
  end
  for _, row in ipairs(store:query [[SELECT id, name, script, script_sha256, options, engine, host, kernel, cpu, facts
    FROM investigations]]) do
    local id = row.id
    row.id, row.options, row.facts = nil, parsed(row.options), parsed(row.facts)
    -- Texts of modules and files start the script again; its trials do not need them.
    if type(row.facts) == "table" then row.facts.start = nil end
    all[id] = row.name == "imported" and row.facts or row
  end
  return all
end

---@class store.ExportOptions
---@field investigation? integer only this one

--- Writes every finished trial as one self-contained line of JSON. Returns how many.
---@param path string
---@param options? store.ExportOptions
---@return integer count
function Store:export(path, options)
  core.check_keys("store.Store.export", options or {}, { "investigation" })
  local of, count, lines, size, write = investigations(self), 0, {}, 0, reg.fs.write
  local function flush()
    write(path, table.concat(lines))
    lines, size, write = {}, 0, reg.fs.append
  end
  self:trials(options, function(trial)
    if trial.status == "running" then return end
    trial.investigation, trial.metrics = of[trial.investigation], trial.samples
    trial.id, trial.folder, trial.samples = nil, nil, nil
    lines[#lines + 1] = json.encode(trial) .. "\n"
    count, size = count + 1, size + #lines[#lines]
    if size > PIECE then flush() end
  end)
  flush()
  return count
end

-- Adds the trial of a line; whether it was new.
local function add(store, line)
  line = type(line) == "table" and line or {}
  for key, value in pairs(line) do
    if value == json.null then line[key] = nil end
  end
  line.samples = line.metrics
  return core.store_add(store, line)
end

--- Imports trials from such a file. An invalid line is reported with its number, and the others are imported; a trial
--- that the store has already is counted as a duplicate.
---@param path string
---@return table result { imported =, duplicates =, bad = { { line =, message = }, ... } }
function Store:import(path)
  local result, number = { imported = 0, duplicates = 0, bad = {} }, 0
  for text, newline in reg.fs.read(path):gmatch "([^\n]*)(\n?)" do
    number = number + 1
    local parsed, found, ok = pcall(json.decode, text)
    if parsed then
      ok, found = pcall(add, self, found)
      if not ok and found.kind ~= "usage" then error(found, 0) end  -- the store's, not the line's
    end
    if ok then
      local what = found and "imported" or "duplicates"
      result[what] = result[what] + 1
    elseif text ~= "" then
      local cut = not parsed and newline == ""
      result.bad[#result.bad + 1] = { line = number,
        message = cut and "cut off in the middle (a killed writer); skipped" or found.message }
    end
  end
  return result
end

return core.nouns.store
