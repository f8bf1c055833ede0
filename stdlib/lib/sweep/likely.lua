-- Which subjects are likely to be measured after a round. The search itself says: it is asked what it would do if the
-- subjects turned out like those on either side of them.

local question = require "lib/sweep/question"

local MOST = 2   -- both sides of a step
local DEPTH = 2  -- rounds that are looked ahead: in the first look the next place does not depend on a number

-- The numbers of each build, by its first place: the last one of each.
local function levels_of(session)
  local levels, any = {}, session.passes and 0 or 1
  for _, entry in ipairs(session.asked) do
    if entry.value then levels[session.head[entry.place]], any = entry.value, entry.value end
  end
  return levels, any
end

-- Calls f(request) for what the search would ask for after `round` if all of it were like its neighbors on one side.
local function each_next(session, round, side, f)
  local search, levels, any = session:new_search(session.asking), levels_of(session)
  for _, entry in ipairs(session.asked) do question.tell(search, entry) end
  for _ = 1, DEPTH do
    for _, request in ipairs(round) do
      search:tell(request.place, levels[session.head[request[side]]] or any)
    end
    round = search:ask()
    for _, request in ipairs(round) do f(request) end
  end
end

--- Their places, the likeliest first. `session`: see lib/sweep/session.
return function(session, round)
  local places, seen = {}, {}
  local function add(request)
    local head = session.head[request.place]
    if not seen[head] and #places < MOST then places[#places + 1] = request.place end
    seen[head] = true
  end
  for _, request in ipairs(round) do seen[session.head[request.place]] = true end
  for _, entry in ipairs(session.asked) do seen[session.head[entry.place]] = true end
  local found = {}
  for i, side in ipairs { "lo", "hi" } do
    found[i] = {}
    each_next(session, round, side, function(request) table.insert(found[i], request) end)
  end
  for at = 1, math.max(#found[1], #found[2]) do  -- both sides in turn
    for _, list in ipairs(found) do
      if list[at] then add(list[at]) end
    end
  end
  return places
end
