-- The runs of both ends before a search: what they are and what is missing. Of a session or a minimization it uses
-- `asked`, the runs so far, `ends`, the places of both ends, `asking`, and build_at(place).

local ends = {}

--- The numbers of a place's build, and whether a run of it failed.
function ends.numbers(session, place)
  local values, failed, build = {}, false, session:build_at(place)
  for _, entry in ipairs(session.asked) do
    if session:build_at(entry.place or entry.subset) == build then
      values[#values + 1], failed = entry.value, failed or not entry.value
    end
  end
  return values, failed
end

--- The next of up to `most` runs of each end, in alternation, as requests; none, and false, where one failed, or where
--- not is_usable(values) of an end.
function ends.round(session, most, reason, is_usable)
  local round, fewest = {}, most
  for _, place in ipairs(session.ends) do
    local values, failed = ends.numbers(session, place)
    if failed or is_usable and not is_usable(values) then return {}, false end
    if #values < fewest then round, fewest = {}, #values end
    if #values == fewest and fewest < most and #round < (session.asking.parallel or 1) then
      round[#round + 1] = { place = place, reason = #values == 0 and "first_look" or reason, lo = place, hi = place,
        p = 0 }
    end
  end
  return round, true
end

return ends
