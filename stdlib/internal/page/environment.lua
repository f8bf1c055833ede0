-- The machine, the options and the script of an investigation.

local h = require "internal/page/markup"
local words = require "internal/page/words"

local function fact(name, value) return value and value ~= "" and { h.dt { name }, h.dd { value } } or nil end

local function named(name, value, mask) return name .. "=" .. mask:value(name, tostring(value)) end

local function option_words(options)
  local names, list = {}, {}
  for name, value in pairs(options) do
    if value ~= false then names[#names + 1] = name end
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = options[name]
    if type(value) == "table" then
      local parts = {}
      for j, part in ipairs(value) do parts[j] = tostring(part) end
      value = table.concat(parts, " ")
    end
    list[i] = value == true and "--" .. name:gsub("_", "-") or "--" .. name:gsub("_", "-") .. " " .. tostring(value)
    if value == "" then list[i] = nil end
  end
  local shown = {}
  for i = 1, #names do shown[#shown + 1] = list[i] end
  return table.concat(shown, "  ")
end

-- Values that a trial's info has, each once, as "A (30 trials), B (2)".
local function seen(stage, read)
  local count, order = {}, {}
  for _, trial in ipairs(stage.trials) do
    local ok, value = pcall(read, trial, stage.mask)
    if ok and value then
      if not count[value] then order[#order + 1] = value end
      count[value] = (count[value] or 0) + 1
    end
  end
  if #order == 0 then return nil end
  if #order == 1 then return order[1] end
  local parts = {}
  for i = 1, math.min(#order, 6) do parts[i] = string.format("%s (%s)", order[i], words.count(count[order[i]], "trial")) end
  return table.concat(parts, "; ") .. (#order > 6 and "; \u{2026}" or "")
end

local function gpus(trial)
  local names = {}
  for _, gpu in ipairs(trial.info.gpu.gpus) do names[#names + 1] = tostring(gpu.name) end
  return table.concat(names, ", ")
end

local function env(trial, mask)
  local list = {}
  for name, value in pairs(trial.env) do list[#list + 1] = named(tostring(name), value, mask) end
  table.sort(list)
  return #list > 0 and table.concat(list, " ") or nil
end

local function command(trial, mask)
  local list = {}
  for i, argv in ipairs(trial.command) do
    list[i] = type(argv) == "table" and (argv[1] == "sh" and argv[2] == "-c" and argv[3] or table.concat(argv, " ")) or tostring(argv)
  end
  return #list > 0 and mask:text(table.concat(list, "; ")) or nil
end

local function lock(trial)
  local gpu = trial.info.gpu
  return gpu.locked and "locked" or "not locked" .. (gpu.why_not_locked and ": " .. gpu.why_not_locked or "")
end

return function(stage, script)
  local row, facts, mask = stage.row, {}, stage.mask
  local names = {}
  for name in pairs(stage.facts) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value = stage.facts[name]
    if type(value) ~= "table" then facts[#facts + 1] = fact((name:gsub("_", " ")), mask:value(name, tostring(value))) end
  end
  return h.all { h.h2 { "Environment" }, h.dl { class = "facts",
    fact("host", mask:text(tostring(row.host))), fact("processor", row.cpu), fact("kernel", row.kernel), facts,
    fact("GPU", seen(stage, gpus)), fact("GPU clocks", seen(stage, lock)), fact("command", seen(stage, command)),
    fact("variables", seen(stage, env)), fact("started", words.moment(row.started)), fact("ended", words.moment(row.ended)),
    fact("regengine", row.engine), fact("script", mask:text(tostring(row.script))),
    fact("options", mask:text(option_words(stage.options))) },
    script ~= "" and h.details { class = "screen", h.summary { "The script, sha256 ", h.code { tostring(row.script_sha256):sub(1, 16) } },
      h.pre { mask:text(script) } } or nil }
end
