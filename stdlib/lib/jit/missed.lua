-- Why JAX traces a function once more, by what it says of a miss of its tracing cache with JAX_EXPLAIN_CACHE_MISSES=1
-- (0.4.24 and newer, whose words differ).

-- What is different: a type at a place in the arguments, a static argument, an option, or how it is called.
local FORMS <const> = {
  { "%* at ([^\n]-), now ([^\n]-) and before ([^\n]+)", "%s is %s, before %s" },  -- 0.6.2 and 0.10.2
  { "%* at ([^\n]-), seen ([^\n]-), but now given ([^\n]+)", "%s is %s, before %s", 1, 3, 2 },  -- 0.4.30
  { "%* (%S+) differs: now ([^\n]-) and before ([^\n]+)", "%s is %s, before %s" },
  { "never seen passing (%d+) positional args and (%d+) keyword args",
    "it is called with %s positional and %s keyword arguments for the first time" },
  { "different value of static args:%s*now ([^\n]-) and before ([^\n]+)", "a static argument is %s, before %s" },
}

local STATED <const> = {
  { "re%-defined repeatedly", "it is defined anew each time" },
  { "racing context doesn't match", "an option or context manager of JAX differs" },
}

-- Without what is only of use to developers of JAX.
local function plain(value)
  value = value:gsub("<class '[^']*'> with pytree metadata ", "")
  return (value:gsub(", so the pytree node metadata does not match", ""):gsub("%s+$", ""))
end

local function difference(why)
  for _, form in ipairs(FORMS) do
    local parts = { why:match(form[1]) }
    for i, part in ipairs(parts) do parts[i] = plain(part) end
    if #parts > 0 then
      local at = #form > 2 and { parts[form[3]], parts[form[4]], parts[form[5]] } or parts
      return form[2]:format(table.unpack(at))
    end
  end
  for _, one in ipairs(STATED) do
    if why:find(one[1]) then return one[2] end
  end
end

--- The last of the `misses` of a run that is of this function and says what was different, in words; nil without one.
--- `fun`: one of the run's functions.
return function(misses, fun)
  local name = fun.name:match "[^.]+$"
  for i = #misses, 1, -1 do
    local why = misses[i].why or ""
    local of, at = why:match "^for (%S+) defined at ([^\n]+)"
    if not of then of, at = why:match "^never seen function:%s*(%S+) id=%d+ defined at ([^\n]+)" end
    local said = of == name and at == fun.at and difference(why)
    if said then return said end
  end
end
