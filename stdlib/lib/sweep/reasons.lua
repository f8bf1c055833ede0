-- Why the search wanted a run, in words. `label(place)` names a place.

local WORDS = {
  first_look = function() return "first look" end,
  split = function(r, label)
    return string.format("splits %s..%s, where a change lies with p %.2f", label(r.lo), label(r.hi), r.p)
  end,
  ["repeat"] = function(r, label)
    return string.format("again: a change between %s and %s has p %.2f", label(r.lo), label(r.hi), r.p)
  end,
  confirm = function() return "again: a level beside a change was seen too few times" end,
  odd_one = function() return "again: a single run far from its neighbours" end,
  retry = function(r, label)
    return string.format("again: it crashed, and it lies between %s and %s, which differ", label(r.lo), label(r.hi))
  end,
}

return function(request, label) return WORDS[request.reason](request, label) end
