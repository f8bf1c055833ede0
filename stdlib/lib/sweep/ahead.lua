-- overlap = true: while subjects are measured, prepares those that are likely to be next, such as pulling their images.
-- Builds are lib/sweep/builds.

local likely = require "lib/sweep/likely"

local Ahead = {}
Ahead.__index = Ahead

--- Has `prepared`, the subjects that were prepared ahead, by place.
function Ahead.new(session) return setmetatable({ session = session, prepared = {} }, Ahead) end

--- Starts to prepare what may follow `round`. What is under way and no longer likely is stopped.
function Ahead:begin(round)
  local session, wanted = self.session, {}
  for _, request in ipairs(round) do wanted[session.head[request.place]] = true end
  local places = likely(session, round)
  for _, place in ipairs(places) do wanted[session.head[place]] = true end
  if self.task and not self.task:done() then
    if wanted[self.busy_with] then return end
    self.task:cancel()
  end
  self.task = reg.spawn(function()
    for _, place in ipairs(places) do
      self.busy_with = session.head[place]
      if session:queue_of(place):prepare_ahead(session.subjects[place]) then
        self.prepared[place] = session.subjects[place]
      end
    end
  end)
end

--- Stops what is under way.
function Ahead:close()
  if self.task then self.task:cancel() end
end
Ahead.__close = Ahead.close

return Ahead
