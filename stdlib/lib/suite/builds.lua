-- The builds of a suite: one for each image, revision and build command among its configurations. All stay open until
-- the suite ends, so that processes of two builds can alternate.

local build = require "lib/suite/build"
local definition = require "lib/suite/definition"

local resolve = definition.resolve

local Builds = {}
Builds.__index = Builds

--- `d`: the suite; `o`: options of the run, which override the suite; `folder`: the results folder.
function Builds.new(d, o, folder)
  return setmetatable({ d = d, o = o, folder = folder, all = {}, by_key = {} }, Builds)
end

-- What the suite builds a configuration with; nil for nothing.
local function build_command(d, c)
  local command = resolve(d.build, c)
  if command == nil or (type(command) == "string" or type(command) == "table") and #command > 0 then return command end
  core.fail("usage", "suite: the build of " .. definition.id(d, c) .. " is " .. reg.inspect(command),
    "Return a list of strings, a shell command line, or nil.")
end

--- The build of a configuration, opened on first use.
function Builds:get(c)
  local d, o = self.d, self.o
  local image, rev = o.image or resolve(d.image, c), o.rev or resolve(d.rev, c)
  local command = build_command(d, c)
  local key = reg.store.key { image = image, rev = rev, build = command }
  local opened = self.by_key[key]
  if opened then return opened end
  local suffix = #self.all == 0 and "" or "-" .. #self.all + 1
  local all = { repo = o.repo or d.repo, rev = rev, patch = o.patch, build = command, image = image,
    timeout = o.timeout, options = o.options, tree = self.folder .. "/worktree" .. suffix,
    log = self.folder .. "/BUILD" .. suffix, traced = o.profile and not d.profile }
  for _, name in ipairs(definition.CONTAINER) do all[name] = d[name] end
  opened = build.open(all, self.folder)
  self.by_key[key] = opened
  table.insert(self.all, opened)
  return opened
end

function Builds:close()
  for _, one in ipairs(self.all) do one:close() end
end
Builds.__close = Builds.close

return Builds
