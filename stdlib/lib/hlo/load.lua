-- Modules from a folder of dumps, or from one file of HLO text.

local buffers = require "lib/hlo/buffers"
local files = require "lib/hlo/files"
local parse = require "lib/hlo/parse"

local load = {}

-- The module in a file; nil and why not. A path that is out of reach raises.
local function parsed(path)
  if not core.is_regular_file(path) then return nil, "not a file: " .. path end
  local ok, text = pcall(reg.fs.read, path)
  if not ok then
    if type(text) ~= "table" or text.kind == "permission" then error(text, 0) end
    return nil, text.message or tostring(text)
  end
  local module, why = parse(text)
  if not module then return nil, why .. ": " .. path end
  module.path = path
  return module
end

load.module = parsed

local function add_problems(problems, module)
  for _, problem in ipairs(module.problems) do problems[#problems + 1] = problem .. ": " .. module.path end
end

-- The passes of a module as XLA ran them, with the paths of their dumps.
local function passes_in(folder, group)
  local passes = {}
  for i, pass in ipairs(group.passes) do
    passes[i] = { pass = pass.pass, pipeline = pass.pipeline, path = folder .. "/" .. pass.file }
  end
  return passes
end

local function buffers_in(path)
  if not core.is_regular_file(path) then return nil end
  local ok, text = pcall(reg.fs.read, path)
  return ok and buffers(text) or nil
end

local function add_group(read, folder, group)
  local file = group.after or group.before
  if not file then return end
  local module, why = parsed(folder .. "/" .. file)
  if not module then
    read.problems[#read.problems + 1] = why
    return
  end
  add_problems(read.problems, module)
  module.number, module.platform, module.optimized = group.number, group.platform, group.after ~= nil
  module.before = group.before and folder .. "/" .. group.before
  module.proto = group.proto and folder .. "/" .. group.proto
  module.passes = passes_in(folder, group)
  if group.buffers then
    module.buffers = buffers_in(folder .. "/" .. group.buffers)
  end
  read.modules[#read.modules + 1] = module
end

--- { modules, problems } of a path, as reg.hlo.read returns it.
function load.read(path)
  local read = { modules = {}, problems = {} }
  local ok, names = pcall(reg.fs.list, path)
  if not ok then
    if type(names) ~= "table" or names.kind == "permission" then error(names, 0) end
    local module, why = parsed(path)
    if not module and not reg.fs.exists(path) then core.fail("not_found", "no such file or folder: " .. path) end
    if not module then core.fail("corrupt", why) end
    module.passes = {}
    add_problems(read.problems, module)
    read.modules[1] = module
    return read
  end
  local groups = files.modules(names)
  for _, group in ipairs(groups) do add_group(read, path, group) end
  if #read.modules == 0 and #read.problems == 0 then read.problems[1] = "no HLO dumps as text: " .. path end
  return read
end

return load
