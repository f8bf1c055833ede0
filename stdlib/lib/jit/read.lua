-- What was recorded of tracing and compiling: from the files that the hook's processes wrote, or from a log.

local log = require "lib/jit/log"

local read = {}

local function row_of(list, by_key, key, new)
  local row = by_key[key]
  if not row then
    row, by_key[key], list[#list + 1] = new, new, new
  end
  return row
end

local Counts = {}
Counts.__index = Counts

local function new()
  return setmetatable({ keys = { functions = {}, compiled = {}, sites = {}, recompiled = {}, times = {} },
    run = { processes = 0, jax = {}, functions = {}, compiled = {}, times = {}, misses = {}, recompiled = {},
      problems = {}, variables = {} } }, Counts)
end

function Counts:problem(text)
  for _, known in ipairs(self.run.problems) do
    if known == text then return end
  end
  table.insert(self.run.problems, text)
end

function Counts:function_of(name, at)
  return row_of(self.run.functions, self.keys.functions, name .. "\0" .. (at or ""),
    { name = name, at = at, traces = 0, sites = {} })
end

function Counts:ran(event)
  local row = self:function_of(event.ran, event.at)
  row.traces = row.traces + 1
  local site = row_of(row.sites, self.keys.sites, row.name .. "\0" .. row.at .. "\0" .. event.from,
    { at = event.from, count = 0 })
  site.count = site.count + 1
end

-- Adds what a line of a log says. `hooked`: the bodies themselves were counted.
function Counts:logged(event, hooked)
  local run, kind = self.run, event.kind
  if kind == "missed" then
    run.misses[#run.misses + 1] = { at = event.at, why = event.why }
  elseif kind == "recompiled" then
    local row = row_of(run.recompiled, self.keys.recompiled, event.name .. "\0" .. event.at,
      { name = event.name, at = event.at, count = 0, why = {} })
    row.count = row.count + 1
    row.why[#row.why + 1] = event.why
  else
    local row = row_of(run.compiled, self.keys.compiled, event.name,
      { name = event.name, count = 0, cached = 0, trace_s = 0, lower_s = 0, compile_s = 0 })
    if kind == "traced" then row.trace_s = row.trace_s + event.s end
    if kind == "lowered" then row.lower_s = row.lower_s + event.s end
    if kind == "compiled" then row.count, row.compile_s = row.count + 1, row.compile_s + event.s end
    if kind == "cached" then row.cached = row.cached + 1 end
    if kind == "traced" and not hooked then
      local traced = self:function_of(event.name)
      traced.traces = traced.traces + 1
      if event.outermost then self:problem "jax 0.10 and newer log only the outermost function that is traced" end
    end
  end
end

-- Releases before 0.2.27 log where a compilation begins, and not its end.
function Counts:log(events, hooked)
  local finished = false
  for _, event in ipairs(events) do finished = finished or event.kind == "compiled" end
  for _, event in ipairs(events) do
    if event.kind == "compiling" then
      if not finished then self:logged({ kind = "compiled", name = event.name, s = 0 }, hooked) end
    else
      self:logged(event, hooked)
    end
  end
end

function Counts:timed(event)
  local row = row_of(self.run.times, self.keys.times, event.event .. "\0" .. (event.fun or ""),
    { event = event.event, name = event.fun, count = 0, total_s = 0 })
  row.count, row.total_s = row.count + 1, row.total_s + event.s
end

-- What one process wrote. A last line that was cut off is none.
function Counts:process(text, path)
  self.run.processes = self.run.processes + 1
  local logged = {}
  for line in text:gmatch "([^\n]*)\n" do
    local ok, event = pcall(reg.json.decode, line)
    if not ok or type(event) ~= "table" then
      self:problem("not an event: " .. path)
    elseif event.jax then
      self.keys[event.jax] = self.keys[event.jax] or table.insert(self.run.jax, event.jax) or true
    elseif type(event.variables) == "table" then
      for name, value in pairs(event.variables) do self.run.variables[name] = value end
    elseif event.jit then
      self:function_of(event.jit, event.at)
    elseif event.ran then
      self:ran(event)
    elseif event.log then
      logged[#logged + 1] = log.event(event.log)
    elseif event.event then
      self:timed(event)
    elseif event.problem then
      self:problem(event.problem)
    end
  end
  self:log(logged, true)
end

-- What a persistent cache had was not compiled.
function Counts:finish()
  for _, row in ipairs(self.run.compiled) do row.count = math.max(0, row.count - row.cached) end
  table.sort(self.run.functions, function(a, b)
    if a.traces ~= b.traces then return a.traces > b.traces end
    return a.name < b.name or a.name == b.name and (a.at or "") < (b.at or "")
  end)
  for _, row in ipairs(self.run.functions) do table.sort(row.sites, function(a, b) return a.at < b.at end) end
  table.sort(self.run.compiled, function(a, b)
    local one, other = a.trace_s + a.lower_s + a.compile_s, b.trace_s + b.lower_s + b.compile_s
    return one > other or one == other and a.name < b.name
  end)
  return self.run
end

--- Of a folder with the files of the hook's processes.
function read.folder(folder)
  local counts = new()
  for _, name in ipairs(reg.fs.list(folder)) do
    local path = folder .. "/" .. name
    if name:find "%.jsonl$" and core.is_regular_file(path) then counts:process(reg.fs.read(path), path) end
  end
  local of_torch = folder .. "/torch.log"
  counts.run.recompiles_logged = core.is_regular_file(of_torch)
  for _, event in ipairs(counts.run.recompiles_logged and log.events(reg.fs.read(of_torch)) or {}) do
    if event.kind == "recompiled" then counts:logged(event, true) end
  end
  return counts:finish()
end

--- Of the text of a log.
function read.log(text)
  local counts = new()
  counts:log(log.events(text), false)
  return counts:finish()
end

return read
