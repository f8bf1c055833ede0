-- The attributes behind an instruction's operands: ", kind=kLoop, calls=%fused, backend_config={...}". Values nest, and
-- hold quoted strings with any character in them.

local attributes = {}

-- They say where the program came from, or are ids: not what it does.
local DROPPED = { metadata = true, origin = true, original_value = true, channel_id = true, id = true,
                  stack_frame_id = true }

-- The position after the string whose opening quote is before `at`.
local function after_string(text, at)
  while true do
    local found = text:find('["\\]', at)
    if not found then return #text + 1 end
    if text:sub(found, found) == '"' then return found + 1 end
    at = found + 2
  end
end

-- The position after the value at `at`: of the comma that ends it, or the end of the text.
local function after_value(text, at)
  local depth = 0
  while true do
    local found, char = text:match('()([,"{}()%[%]])', at)
    if not found then return #text + 1 end
    at = found + 1
    if char == '"' then
      at = after_string(text, at)
    elseif char == "," then
      if depth == 0 then return found end
    elseif char == "{" or char == "(" or char == "[" then
      depth = depth + 1
    else
      depth = depth - 1
      if depth < 0 then return found end
    end
  end
end

--- The attributes of `text` from position `from` on, in their order, as { name, value } pairs.
function attributes.split(text, from)
  local list = {}
  while true do
    local name, at = text:match("^,%s*([%w_%-]+)=()", from)
    if not name then return list end
    from = after_value(text, at)
    if not DROPPED[name] then list[#list + 1] = { name, text:sub(at, from - 1) } end
  end
end

-- The attributes that name computations.
local CALLED = { calls = true, to_apply = true, condition = true, body = true, branch_computations = true,
                 true_computation = true, false_computation = true, called_computations = true, select = true,
                 scatter = true, comparator = true }

--- Whether the attribute of that name names computations.
function attributes.names_computations(name) return CALLED[name] or false end

--- The names in a value such as "%body" or "{%one, %two}".
function attributes.names(value)
  local names = {}
  for name in value:gmatch "[^%s,{}%%]+" do names[#names + 1] = name end
  return names
end

return attributes
