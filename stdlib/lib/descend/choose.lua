-- Which of the pins that a commit bumps to go on in.

local found = require "lib/pins/found"

local choose = {}

local function all_shown(pins)
  local list = {}
  for i, pin in ipairs(pins) do list[i] = found.shown(pin) end
  return table.concat(list, ", ")
end

--- What to pass for the repository of a pin: "xla=https://github.com/openxla/xla", or with PATH where no URL is known.
function choose.word(pin) return found.plain(pin.name) .. "=" .. (pin.url or "PATH") end

local function by_name(pins, wanted, who)
  for _, pin in ipairs(pins) do
    local names = { pin.name, pin.path, table.unpack(pin.aliases or {}) }
    for _, name in ipairs(names) do
      if found.plain(name) == found.plain(wanted) then return pin end
    end
  end
  core.fail("usage", string.format("%s bumps no pin '%s'; it bumps %s", who, wanted, all_shown(pins)),
    "Pass --pin with one of these names.")
end

--- One of the pins, of which some are in `repositories`: the one called `wanted`, or else the only one that is known.
--- `who`: the commit in words. Raises usage if it is not clear which.
function choose.pin(pins, repositories, wanted, who)
  local known = {}
  if #pins == 0 then
    core.fail("usage", who .. " bumps no submodule and no pinned commit or version",
      "Pass the commit that does: --commit REVISION.")
  end
  if wanted then pins = { by_name(pins, wanted, who) } end
  for _, pin in ipairs(pins) do
    if repositories:find(pin) then known[#known + 1] = pin end
  end
  if #known == 1 then return known[1] end
  if #known > 1 then
    core.fail("usage", string.format("%s bumps %d pins: %s", who, #known, all_shown(known)),
      "Choose one: --pin " .. known[1].name)
  end
  local words = {}
  for i, pin in ipairs(pins) do words[i] = "--repo " .. choose.word(pin) end
  core.fail("usage", string.format("%s bumps %s, but %s not known", who, all_shown(pins),
    #pins == 1 and "its repository is" or "the repositories are"),
    "Pass " .. table.concat(words, " or ") .. ".")
end

return choose
