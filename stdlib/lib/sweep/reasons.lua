-- Why the search wants a run, in words. `label(place)` names a place.

local percent = require("lib/report/numbers").confidence

local WORDS = {
  first_look = function() return "first look" end,
  split = function(r, label)
    return string.format("splits %s..%s, where the probability of a change is %s", label(r.lo), label(r.hi),
      percent(r.p))
  end,
  ["repeat"] = function(r, label)
    return string.format("repeated: the probability of a change between %s and %s is %s", label(r.lo), label(r.hi),
      percent(r.p))
  end,
  back = function() return "goes back to a good one" end,
  check = function() return "checks that it still measures the same" end,
  witness = function() return "checks whether it moved as the good end did" end,
  moved = function() return "repeated: the machine changed, and this is a side of a change" end,
  exact = function() return "repeated: checks whether the numbers have noise" end,
  works = function() return "checks that the test still works" end,
  confirm = function() return "repeated: a level next to a change has too few runs" end,
  chance = function() return "repeated: whether its result is chance" end,
  odd_one = function() return "repeated: a single run far from its neighbors" end,
  retry = function(r, label)
    return string.format("repeated: it crashed, and %s and %s around it differ", label(r.lo), label(r.hi))
  end,
  round = function() return "each is measured in turn" end,
  ends = function() return "compares the two ends" end,
  link = function() return "repeated: another machine ran it, so this shows how the machines compare" end,
}

return function(request, label) return WORDS[request.reason](request, label) end
