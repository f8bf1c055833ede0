-- keep_images = N: between rounds, when nothing runs, removes images that regengine pulled for this folder. It keeps
-- the N used last and those that the search will need again: both ends, the sides of its changes, doubts and steps,
-- and what it measures next.

local SIDES = { "lo", "hi", "leave_lo", "leave_hi" }

local function image_of(subject) return type(subject) == "table" and subject.image or nil end

-- The images pulled so far, the one used last at the end.
local function used(session)
  local order, last = {}, {}
  for i, entry in ipairs(session.asked) do
    local image = image_of(session.subjects[entry.place])
    if image then last[image] = i end
  end
  for image in pairs(last) do order[#order + 1] = image end
  table.sort(order, function(a, b) return last[a] < last[b] end)
  return order
end

-- Calls f(place) for both sides of each step between neighbours among the measured places: a change that the search is
-- not sure of yet may be there.
local function each_step(session, f)
  local values, places, least = {}, {}, session.asking.min_effect or 0.01
  for _, entry in ipairs(session.asked) do
    if entry.value and not values[entry.place] then places[#places + 1] = entry.place end
    values[entry.place] = entry.value or values[entry.place]
  end
  table.sort(places)
  for i = 2, #places do
    local before, after = values[places[i - 1]], values[places[i]]
    if math.abs(after - before) > least * math.max(math.abs(before), math.abs(after)) then
      f(places[i - 1])
      f(places[i])
    end
  end
end

local function needed(session, round)
  local images, found = {}, session.search:answer()
  local function need(place)
    local image = image_of(session.subjects[place])
    if image then images[image] = true end
  end
  need(1)
  if session.good_end then need(session.good_end:place(session) or 1) end
  need(#session.subjects)
  each_step(session, need)
  for _, request in ipairs(round) do need(request.place) end
  for _, list in ipairs { found.changes, found.doubts } do
    for _, one in ipairs(list) do
      for _, side in ipairs(SIDES) do need(one[side]) end
    end
  end
  return images
end

-- Before both ends are, no side of a change is known.
local function ends_measured(session)
  local measured = {}
  for _, entry in ipairs(session.asked) do measured[entry.place] = true end
  return measured[1] and measured[#session.subjects]
end

--- `round`: what is measured next. session.keep_images is N.
return function(session, round)
  if not ends_measured(session) then return end
  local order = used(session)
  local surplus = #order - session.keep_images
  local keep = surplus > 0 and needed(session, round)
  for i = 1, surplus do
    local image = order[i]
    if not keep[image] then
      local ok, removed = pcall(reg.container.discard, image)
      if not ok then
        reg.log.warn("%s", removed.message)
      elseif removed then
        reg.log.info("removed the image %s", image)
      end
    end
  end
end
