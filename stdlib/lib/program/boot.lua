-- The global `reg`: each name is the public module stdlib/<name>.lua, loaded at its first use, or else the noun of that
-- name. Modules below stdlib/lib are private: only the `require` of the standard library finds them. This file runs
-- first, in the environment of the standard library.

-- A script may set another function in their place.
local rawget, next, pairs, ipairs = rawget, next, pairs, ipairs

local loaded, private = {}, {}  -- `private` is apart: scripts see `loaded` through `reg`

local function module(cache, name)
  local run = rawget(cache, name) == nil and core.compile(name)
  if run then cache[name] = run() end
  return rawget(cache, name)
end

local function member(name)
  if not name:find "^[a-z_]+$" then return nil end
  if module(loaded, name) == nil then loaded[name] = core.nouns[name] end
  return rawget(loaded, name)
end

local function names()
  local all = {}
  for _, file in ipairs(core.embedded_names()) do table.insert(all, file:match "^stdlib/([a-z_]+)%.lua$") end
  for name in pairs(core.nouns) do
    if not core.embedded("stdlib/" .. name .. ".lua") then table.insert(all, name) end
  end
  table.sort(all)
  return all
end

function core.environment.require(name)
  local found
  if name:find "^lib/[a-z_/]+$" then found = module(private, name) else found = member(name) end
  if found == nil then core.fail("internal", "the standard library has no file " .. name .. ".lua") end
  return found
end

-- What is loaded is found without a call.
setmetatable(loaded, {
  __index = function(_, name)
    name = tostring(name)
    local found = member(name)
    if found == nil then core.fail("usage", "reg has no '" .. name .. "'" .. core.did_you_mean(name, names())) end
    return found
  end,
})

_G.reg = setmetatable({}, {
  __index = loaded,
  __metatable = "reg",
  __newindex = function(_, name)
    core.fail("usage", "reg is read-only", "Keep '" .. tostring(name) .. "' in a local variable.")
  end,
  __pairs = function()
    local all = {}
    for _, name in ipairs(names()) do all[name] = member(name) end
    return next, all, nil
  end,
})
