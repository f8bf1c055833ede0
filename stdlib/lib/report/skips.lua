-- The subjects that have no number, in ranges of neighbors that failed alike, those among them that were only assumed
-- to.

local failure = require "lib/failure"

--- `points`: all points in the subjects' order. Returns a list of { first =, last = (points), count =, tried =,
--- status =, message =, before = }: status and message of the first point that was tried; `before`, the last point
--- before them that has a number.
return function(points)
  local ranges, current, upto, cause, before = {}, nil, nil, nil, nil
  for _, point in ipairs(points) do
    if point.status == "ok" then
      before = point
    else
      local own = failure.cause("", point.message)
      if not (current and point.index and point.index == upto + 1 and own == cause) then
        current, cause = { first = point, count = 0, tried = 0, before = before }, own
        ranges[#ranges + 1] = current
      end
      current.last, current.count, upto = point, current.count + 1, point.index
      if point.status ~= "assumed" then
        current.tried = current.tried + 1
        current.status, current.message = current.status or point.status, current.message or point.message
      end
    end
  end
  return ranges
end
