-- Why the search wants a run, in words. `label(place)` names a place.

local WORDS = {
  first_look = function() return "first look" end,
  split = function(r, label)
    return string.format("splits %s..%s, which has a change with probability %.0f %%", label(r.lo), label(r.hi), 100 * r.p)
  end,
  ["repeat"] = function(r, label)
    return string.format("repeated: a change between %s and %s has probability %.0f %%", label(r.lo), label(r.hi), 100 * r.p)
  end,
  confirm = function() return "repeated: a level next to a change has too few runs" end,
  odd_one = function() return "repeated: a single run far from its neighbors" end,
  retry = function(r, label)
    return string.format("repeated: it crashed, and %s and %s around it differ", label(r.lo), label(r.hi))
  end,
}

return function(request, label) return WORDS[request.reason](request, label) end
