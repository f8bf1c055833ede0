-- What is recorded of tracing and compiling: by the hook in a command's Python processes (lib/jit/hook), and in logs of
-- JAX and torch, as their releases write them.

local hook = require "lib/jit/hook"
local instrumented = require "lib/instrumented"
local some = require("lib/report/numbers").some
local values = require "lib/values"
local sort_by = values.sort_by

local record = {}

-- "jit(f)" is f. "jit_f" is the name of a module.
local function plain(name) return name:match "^p?jit%((.+)%)$" or name:match "^pmap%((.+)%)$" or name end

-- What makes an event of a name and of how long something took.
local function timed(kind, outermost)
  return function(name, took)
    return { kind = kind, name = plain(name), s = tonumber(took) or 0, outermost = outermost }
  end
end

local TOOK <const> = " in ([%d.e-]+) sec"

-- How a message begins, the pattern of what follows, and what makes an event { kind =, name =, ... } of its captures.
local FORMS <const> = {
  { "Finished tracing + transforming ", "^(.-) for %l+" .. TOOK, timed "traced" },
  { "Finished tracing ", "^(.-) for %l+" .. TOOK, timed("traced", true) },  -- of 0.10 and newer
  { "Finished jaxpr to MLIR module conversion ", "^(.-)" .. TOOK, timed "lowered" },
  { "Finished XLA compilation of ", "^(.-)" .. TOOK, timed "compiled" },
  { "Persistent compilation cache hit for '", "^(.-)'", function(name)
    return { kind = "cached", name = name:gsub("^jit_", "") }
  end },
  { "TRACING CACHE MISS at ", "^(%S*)(.*)", function(at, rest)
    return { kind = "missed", at = at ~= "" and at:gsub(":$", "") or nil, why = rest:match "\n%s*(.+)" }
  end },
  { "Recompiling function ", "^(.-) in (%S+)", function(name, at)
    return { kind = "recompiled", name = name, at = at }
  end },
}

-- What a line of a log says, or a message of several lines; nil for other lines.
local function event_of(line)
  for _, form in ipairs(FORMS) do
    local _, stop = line:find(form[1], 1, true)
    local parts = stop and { line:match(form[2], stop + 1) } or {}
    if #parts > 0 then return form[3](table.unpack(parts)) end
  end
end

local function events_of(text)
  local events, last = {}, nil
  for line in text:gmatch "[^\r\n]+" do
    local event = event_of(line)
    -- A message goes on in the next line: JAX explains a miss there, and torch names the guard that failed.
    local more = not event and (line:match "^%s+(%S.*)$" or line:match "__recompiles%]%s+(%S.*)$"
      or line:match "__recompiles: %[%u+%]%s+(%S.*)$")
    if event then
      events[#events + 1], last = event, event
    elseif more and last and (last.kind == "missed" or last.kind == "recompiled") then
      local why = more:gsub("^%- ", "")
      if not why:find "^triggered by" then last.why = last.why and last.why .. "\n" .. why or why end
    else
      last = nil
    end
  end
  return events
end

-- The run that is counted, with its rows by their keys.
local Counts = {}
Counts.__index = Counts

-- The row of this key in a list, which becomes `new` if there is none.
function Counts:row(list, key, new)
  local rows = self.rows[list] or {}
  self.rows[list] = rows
  if not rows[key] then rows[key], list[#list + 1] = new, new end
  return rows[key]
end

function Counts:problem(text) self:row(self.run.problems, text, text) end

function Counts:function_of(name, at)
  return self:row(self.run.functions, name .. "\0" .. (at or ""), { name = name, at = at, traces = 0, sites = {} })
end

function Counts:ran(event)
  local row = self:function_of(event.ran, event.at)
  row.traces = row.traces + 1
  local site = self:row(row.sites, event.from, { at = event.from, count = 0 })
  site.count = site.count + 1
end

-- Adds what a line of a log says. `hooked`: the bodies themselves were counted.
function Counts:logged(event, hooked)
  local run, kind = self.run, event.kind
  if kind == "missed" then return table.insert(run.misses, { at = event.at, why = event.why }) end
  if kind == "recompiled" then
    local row = self:row(run.recompiled, event.name .. "\0" .. event.at,
      { name = event.name, at = event.at, count = 0, why = {} })
    row.count, row.why[#row.why + 1] = row.count + 1, event.why
    return
  end
  local row = self:row(run.compiled, event.name,
    { name = event.name, count = 0, cached = 0, trace_s = 0, lower_s = 0, compile_s = 0 })
  if kind == "traced" then row.trace_s = row.trace_s + event.s end
  if kind == "lowered" then row.lower_s = row.lower_s + event.s end
  if kind == "compiled" then row.count, row.compile_s = row.count + 1, row.compile_s + event.s end
  if kind == "cached" then row.cached = row.cached + 1 end
  if kind ~= "traced" or hooked then return end
  local traced = self:function_of(event.name)
  traced.traces = traced.traces + 1
  if event.outermost then self:problem "jax 0.10 and newer log only the outermost function that is traced" end
end

-- What one process wrote. A last line that was cut off is none.
function Counts:process(text, path)
  self.run.processes = self.run.processes + 1
  for line in text:gmatch "([^\n]*)\n" do
    local ok, event = pcall(reg.json.decode, line)
    if not ok or type(event) ~= "table" then
      self:problem("not an event: " .. path)
    elseif event.jax then
      self:row(self.run.jax, event.jax, event.jax)
    elseif type(event.variables) == "table" then
      for name, value in pairs(event.variables) do self.run.variables[name] = value end
    elseif event.jit then
      self:function_of(event.jit, event.at)
    elseif event.ran then
      self:ran(event)
    elseif event.log then
      local logged = event_of(event.log)
      if logged then self:logged(logged, true) end
    elseif event.problem then
      self:problem(event.problem)
    end
  end
end

-- What a persistent cache had was not compiled.
function Counts:finish()
  for _, row in ipairs(self.run.compiled) do row.count = math.max(0, row.count - row.cached) end
  sort_by(self.run.functions, function(row) return -row.traces, row.name, row.at or "" end)
  for _, row in ipairs(self.run.functions) do sort_by(row.sites, function(site) return site.at end) end
  sort_by(self.run.compiled, function(row) return -(row.trace_s + row.lower_s + row.compile_s), row.name end)
  return self.run
end

--- Of a log, or of a folder with the files of the hook's processes.
function record.read(path)
  local counts = setmetatable({ rows = {}, run = { processes = 0, jax = {}, functions = {}, compiled = {}, misses = {},
    recompiled = {}, problems = {}, variables = {} } }, Counts)
  if core.is_regular_file(path) then
    for _, event in ipairs(events_of(reg.fs.read(path))) do counts:logged(event, false) end
    return counts:finish()
  end
  for _, name in ipairs(reg.fs.list(path)) do
    local file = path .. "/" .. name
    if name:find "%.jsonl$" and core.is_regular_file(file) then counts:process(reg.fs.read(file), file) end
  end
  local of_torch = path .. "/torch.log"
  counts.run.recompiles_logged = core.is_regular_file(of_torch)
  for _, event in ipairs(counts.run.recompiles_logged and events_of(reg.fs.read(of_torch)) or {}) do
    if event.kind == "recompiled" then counts:logged(event, true) end
  end
  return counts:finish()
end

-- The hook is the first sitecustomize on PYTHONPATH.
local SHELL <const> = 'export REGENGINE_JIT="$0" PYTHONPATH="$0/hook${PYTHONPATH:+:$PYTHONPATH}";'
  .. ' case ${TORCH_LOGS:-} in *recompiles*) { true >"$0/torch.log"; } 2>/dev/null ;; esac;'
local EXPLAINS <const> = ' export REGENGINE_JIT_EXPLAINS=1 JAX_EXPLAIN_CACHE_MISSES=1;'

--- What execute(call) returns, with `jit`. `folder` exists; what the processes write there stays. `explain`: JAX says
--- why it traces again.
function record.into(call, folder, execute, explain)
  reg.fs.mkdir(folder .. "/hook")
  reg.fs.write(folder .. "/hook/sitecustomize.py", hook)
  local shell = explain and SHELL .. EXPLAINS or SHELL
  local run = instrumented.run(call, { folder = folder, inside = "/regengine-jit", shell = shell }, execute)
  if run.dry then return run end
  local of_torch = folder .. "/torch.log"  -- where the command has TORCH_LOGS=recompiles
  if core.is_regular_file(of_torch) then reg.fs.write(of_torch, run.stderr) end
  run.jit = record.read(folder)
  return run
end

-- This field of all rows of the name, as a sum; nil without one. "f" is also Model.f and make.<locals>.f.
local function total(rows, name, field)
  local own = values.map(rows, function(row)
    return (row.name == name or row.name:match "[^.]+$" == name) and row[field] or nil
  end)
  return #own > 0 and values.sum(own) or nil
end

--- Executions of the body, summed over the functions of this name; nil if the run has none.
function record.traces(run, name) return total(run.functions, name, "traces") end

--- Compilations by XLA; 0 for a function that was only traced, as part of another. nil if the run has none.
function record.compiles(run, name)
  local compiled, again = total(run.compiled, name:match "[^.]+$", "count"), total(run.recompiled, name, "count")
  return (compiled or again or record.traces(run, name)) and (compiled or 0) + (again or 0) or nil
end

--- Why a run has no function of this name.
function record.why_not(run, name)
  if #run.functions == 0 and #run.compiled == 0 and #run.recompiled == 0 then
    return run.processes == 0 and "no process of the command imported jax with PYTHONPATH in effect (python -I and -E "
      .. "ignore it)" or "nothing was traced or compiled"
  end
  local names = values.map(run.functions, function(row) return row.name end)
  return ("no function '%s' was compiled; functions: %s"):format(name, some(names, 8, ", "))
end

return record
