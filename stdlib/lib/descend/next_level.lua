-- The next step down of a descent.

local Level = require "lib/descend/level"
local choose = require "lib/descend/choose"
local found = require "lib/pins/found"
local pins_of = require "lib/pins/commit"

local function is_held(held, pin)
  for _, one in ipairs(held) do
    if found.plain(one.name) == found.plain(pin.name) then return true end
  end
  return false
end

--- The next level down from what is held; nil if its last commit bumps nothing that is not held. `wanted`: the name of
--- the pin, where it is given. `folder`: of the worktrees, unless those of the search.
return function(held, repositories, wanted, folder)
  local last, pins = held.last, {}
  for _, pin in ipairs(pins_of(last.repo, last.commit)) do
    if not is_held(held, pin) then pins[#pins + 1] = pin end
  end
  if #pins == 0 and last.pin then return nil end
  local pin = choose.pin(pins, repositories, wanted, last.name .. " " .. last.commit.short)
  local repo, name = repositories:open(pin)
  local level = Level.new(held, pin, repo, name, folder)
  repositories:remember(name)
  return level
end
