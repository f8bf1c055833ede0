-- What a function of a script does: its precompiled form (lua.org/source/5.4/ldump.c). A stripped dump still has the
-- lines of each function, so it is read, and hashed without them.

local HEADER = 4 + 1 + 1 + 6 + 3 + string.packsize "jn"
local SET_UPVALUE = 10  -- whose B is the upvalue

-- Nothing for a function of C, only false for one of the standard library. Else a hash, the list of the string
-- constants, and of each upvalue whether it is assigned.
return function(f)
  local dump = core.dump(f)
  if not dump then return dump end
  local at, kept, strings, assigned = 1, {}, {}, {}

  local function keep(size)
    at = at + size
    kept[#kept + 1] = dump:sub(at - size, at - 1)
    return kept[#kept]
  end

  -- Seven bits a byte, the highest first; the last byte has its top bit set.
  local function number(dropped)
    local from, value, byte = at, 0, 0
    while byte & 0x80 == 0 do
      byte = dump:byte(at)
      at, value = at + 1, value << 7 | byte & 0x7f
    end
    kept[#kept + 1] = not dropped and dump:sub(from, at - 1) or nil
    return value
  end

  local function text()
    local size = number()
    return size == 0 and "" or keep(size - 1)
  end

  local function constant()
    local kind = keep(1):byte()
    if kind == 0x03 or kind == 0x13 then keep(8) end            -- an integer, a real number
    if kind == 0x04 or kind == 0x14 then strings[#strings + 1] = text() end
  end

  local function read(assign)
    text()             -- the source, absent in a stripped dump
    number "dropped"       -- the first line and the last
    number "dropped"
    keep(3)            -- parameters, whether variadic, size of the stack
    local code = keep(number() * 4)
    for _ = 1, number() do constant() end
    local upvalues = keep(number() * 3)  -- in the stack, index, kind
    for i = 1, #code, 4 do
      local instruction = string.unpack("I4", code, i)
      if instruction & 0x7f == SET_UPVALUE then assign(instruction >> 16 & 0xff) end
    end
    for _ = 1, number() do
      read(function(inner)  -- an upvalue of this function, unless it is a local variable of it
        local in_stack, index = upvalues:byte(inner * 3 + 1, inner * 3 + 2)
        if in_stack == 0 then assign(index) end
      end)
    end
    for _ = 1, 4 do number "dropped" end  -- debug information, empty in a stripped dump
  end

  keep(HEADER)
  for i = 1, keep(1):byte() do assigned[i] = false end
  read(function(upvalue) assigned[upvalue + 1] = true end)
  return core.sha256(table.concat(kept)), strings, assigned
end
