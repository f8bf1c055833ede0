-- The places of a suite: one for each image and revision among its configurations. They are kept until the suite ends, so that the
-- processes of two builds can take turns.

local definition = require "lib/suite/definition"
local place = require "lib/suite/place"

local of = definition.of

local Places = {}
Places.__index = Places

--- `d`: the suite, `o`: the run's options, which go before it; `folder`: where results go.
function Places.new(d, o, folder) return setmetatable({ d = d, o = o, folder = folder, all = {}, by_key = {} }, Places) end

--- The place of a configuration; it is made when it is first asked for.
function Places:of(c)
  local d, o = self.d, self.o
  local image, rev = o.image or of(d.image, c), o.rev or of(d.rev, c)
  local key = (image or "") .. "\n" .. (rev or "")
  local known = self.by_key[key]
  if known then return known end
  local name = #self.all == 0 and "" or "-" .. #self.all + 1
  local new = place.open({ repo = o.repo or d.repo, rev = rev, patch = o.patch, build = d.build, image = image, runtime = o.runtime,
    gpus = o.gpus or d.gpus, network = d.network, mounts = d.mounts, memory = d.memory, shm_size = d.shm_size, timeout = o.timeout,
    tree = self.folder .. "/worktree" .. name, log = self.folder .. "/BUILD" .. name }, self.folder)
  self.by_key[key] = new
  table.insert(self.all, new)
  return new
end

function Places:close()
  for _, one in ipairs(self.all) do one:close() end
end
Places.__close = Places.close

return Places
