-- What JAX and torch log about compiling, as their releases write it. A function's name is that of its compiled form
-- without "jit(...)" around it.

local log = {}

-- "jit(f)" and "jit_f", the name of a module, are f.
local function plain(name) return name:match "^p?jit%((.+)%)$" or name:match "^pmap%((.+)%)$" or name end

-- The name in "Compiling f (1234) for args", "Compiling f for with global shapes", "Compiling f with global shapes".
local function compiled_name(rest)
  local shortest
  for _, behind in ipairs { " %(%d+", " for ", " with global shapes" } do
    local name = rest:match("^(.-)" .. behind)
    if name and (not shortest or #name < #shortest) then shortest = name end
  end
  return shortest
end

local function seconds(text) return tonumber(text) or 0 end

-- Each takes a line from where the form begins.
local FORMS <const> = {
  { "Finished tracing ", function(line)
    local name, took = line:match "^Finished tracing %+ transforming (.-) for %l+ in ([%d.e-]+) sec"
    if name then return { kind = "traced", name = plain(name), s = seconds(took) } end
    -- From 0.10 on, of the outermost function only.
    name, took = line:match "^Finished tracing (.-) for %l+ in ([%d.e-]+) sec"
    if name then return { kind = "traced", name = plain(name), s = seconds(took), outermost = true } end
  end },
  { "Finished jaxpr to MLIR", function(line)
    local name, took = line:match "^Finished jaxpr to MLIR module conversion (.-) in ([%d.e-]+) sec"
    if name then return { kind = "lowered", name = plain(name), s = seconds(took) } end
  end },
  { "Finished XLA compilation of ", function(line)
    local name, took = line:match "^Finished XLA compilation of (.-) in ([%d.e-]+) sec"
    if name then return { kind = "compiled", name = plain(name), s = seconds(took) } end
  end },
  { "Compiling ", function(line)
    local name = compiled_name(line:sub(#"Compiling " + 1))
    if name then return { kind = "compiling", name = plain(name) } end
  end },
  { "Persistent compilation cache hit for ", function(line)
    local name = line:match "^Persistent compilation cache hit for '(.-)'"
    if name then return { kind = "cached", name = name:gsub("^jit_", "") } end
  end },
  { "TRACING CACHE MISS at ", function(line)
    local at = line:match "^TRACING CACHE MISS at (%S+)"
    return { kind = "missed", at = at and at:gsub(":$", ""), why = line:match "\n%s*(.+)" }
  end },
  { "Recompiling function ", function(line)
    local name, at = line:match "^Recompiling function (.-) in (%S+)"
    if name then return { kind = "recompiled", name = name, at = at } end
  end },
}

--- What a line of a log says, or a message of several lines: { kind =, name =, ... }; nil for other lines.
function log.event(line)
  for _, form in ipairs(FORMS) do
    local at = line:find(form[1], 1, true)
    if at then return form[2](line:sub(at)) end
  end
end

-- Where a message goes on in the next line: JAX explains a miss there, and torch names the guard that failed.
local function continues(line)
  return line:match "^%s+(%S.*)$" or line:match "__recompiles%]%s+(%S.*)$"
    or line:match "__recompiles: %[%u+%]%s+(%S.*)$"
end

--- The events of a whole log.
function log.events(text)
  local events, last = {}, nil
  for line in text:gmatch "[^\r\n]+" do
    local event = log.event(line)
    local more = not event and continues(line)
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

return log
