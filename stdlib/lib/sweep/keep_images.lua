-- keep_images = N: between rounds, removes images that regengine pulled for this folder, but for the N used last and
-- those that the search will need: both ends, the sides of its changes and doubts, and what it measures next.

local question = require "lib/sweep/question"
local values = require "lib/values"

local function image_of(session, place)
  local subject = session.subjects[place]
  return type(subject) == "table" and subject.image or nil
end

local function needed(session, round)
  local images, found = {}, session.search:answer()
  local function need(place) images[image_of(session, place) or ""] = true end
  need(1)
  if session.good_end then need(session.good_end:place(session) or 1) end
  need(#session.subjects)
  for _, request in ipairs(round) do need(request.place) end
  question.each_side(values.flat { found.changes, found.doubts }, need)
  return images
end

--- `round`: what is measured next. session.keep_images is N.
return function(session, round)
  local last, measured = {}, {}
  for i, entry in ipairs(session.asked) do
    last[image_of(session, entry.place) or ""], measured[entry.place] = i, true
  end
  -- Before both ends are measured, no side of a change is known.
  if not (measured[1] and measured[#session.subjects]) then return end
  last[""] = nil
  local order = values.sort_by(values.sorted_names(last), function(image) return last[image] end)
  local surplus = #order - session.keep_images
  local keep = surplus > 0 and needed(session, round)
  for i = 1, surplus do
    local image = order[i]
    if not keep[image] then
      local ok, removed = pcall(reg.container.discard, image)
      if not ok then reg.log.warn("%s", removed.message) end
      if ok and removed then reg.log.info("removed the image %s", image) end
    end
  end
end
