-- The folders that XLA dumps into: made by running a command with XLA's flags for it, and read as modules.

local content = require "lib/hlo/content"
local instrumented = require "lib/instrumented"
local values = require "lib/values"

local dumps = {}

-- XLA splits its flags at spaces, except in quotes.
local function quoted(path) return path:find "%s" and "'" .. path .. "'" or path end

--- What execute(call) returns of the command with XLA's flags for dumps, with `hlo`: the modules as reg.hlo.read
--- returns them. `folder` exists; the dumps stay in it. `flag`: one more flag for XLA, or nil. Changes `call`. A warm
--- compilation cache would leave nothing to dump, so JAX's is off.
function dumps.into(call, folder, execute, flag)
  local shell = ('export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--xla_dump_to=$0 --xla_dump_hlo_as_text%s"'
    .. " JAX_ENABLE_COMPILATION_CACHE=false;"):format(flag and " " .. flag or "")
  local run = instrumented.run(call, { folder = folder, inside = "/regengine-hlo", shell = shell, word = quoted },
    execute)
  if not run.dry then run.hlo = dumps.read(folder) end
  return run
end

-- The endings of a file's name, and what the file is. A platform such as "cpu_" or "sm_10.0a_gpu_" may come before
-- them: [TIME.]module_0001.jit_f.sm_9.0_gpu_after_optimizations.txt.
local KINDS <const> = {
  { "after_optimizations-buffer-assignment.txt", "buffers" },
  { "after_optimizations.txt", "after" },
  { "before_optimizations.txt", "before" },
}

-- { time, number, module, kind, platform, place, pass, pipeline } of a file's name; nil for another file.
local function named(file)
  local time, number, rest = file:match "^([%d_.-]-)%.?module_(%d+)%.(.+)$"
  if not number then return nil end
  local made = { time = time, number = tonumber(number), file = file }
  for _, kind in ipairs(KINDS) do
    local ending = kind[1]
    if rest:sub(-#ending) == ending then
      rest = rest:sub(1, -#ending - 1)
      local platform = rest:match "%f[^%z%.](sm_%d+%.%d+%l?_gpu_)$" or rest:match "%f[^%z%.]([%l%d_]+_)$" or ""
      made.kind, made.module = kind[2], rest:sub(1, -#platform - 1):gsub("%.$", "")
      made.platform = platform ~= "" and platform:sub(1, -2) or nil
      return made
    end
  end
  -- A pass: 0003.simplification.after_algsimp.before_dce.txt
  local module, place, words = rest:match "^(.-)%.?%f[%d](%d%d%d%d+)%.(.+)%.txt$"
  if not place then return nil end
  made.kind, made.module, made.place = "pass", module, tonumber(place)
  made.pipeline, made.pass = (words .. ".before_"):match "^(.-)%.after_(.-)%.before_"
  made.pass = made.pass or words
  return made
end

-- The files of one module, as { number, time, module, platform, after, before, buffers, passes }.
local function group_of(files)
  local group = values.picked(files[1], { "number", "time", "module" })
  for _, file in ipairs(files) do
    if file.kind ~= "pass" then group[file.kind], group.platform = file.file, group.platform or file.platform end
  end
  local passes = values.only(files, function(file) return file.kind == "pass" end)
  group.passes = values.sort_by(passes, function(pass) return pass.place, pass.file end)
  return group
end

-- The files by module, in the order in which XLA compiled them.
local function groups_of(names)
  local files = values.map(names, named)
  -- XLA leaves out the module's name where the file's would be longer than 255 characters: of the only module with that
  -- number.
  local function number_of(file) return file.time .. "." .. file.number end
  for _, same in ipairs((values.grouped(files, number_of))) do
    local modules = values.set(values.map(same, function(file) return file.module ~= "" and file.module or nil end))
    local module = next(modules)
    for _, file in ipairs(module and not next(modules, module) and same or {}) do file.module = module end
  end
  local groups = values.grouped(files, function(file) return number_of(file) .. "." .. file.module end)
  return values.sort_by(values.map(groups, group_of), function(group) return group.time, group.number, group.module end)
end

-- The kinds of errors of a path that is not there, or cannot be read; one that is out of reach raises permission.
local UNREADABLE <const> = "usage not_found io unavailable"

-- The text of a file; nil and why not. A path that is out of reach raises.
local function text_of(path)
  if not core.is_regular_file(path) then return nil, "not a file: " .. path end
  local text, why = values.caught(UNREADABLE, reg.fs.read, path)
  return text, why and why.message
end

--- The module in a file; nil and why not. A path that is out of reach raises.
function dumps.module(path)
  local text, unread = text_of(path)
  if not text then return nil, unread end
  local module, why = content.module(text)
  if not module then return nil, why .. ": " .. path end
  module.path = path
  return module
end

-- The bytes that a program needs, out of lines such as "allocation 12: size 1152, preallocated-temp:"; nil for a text
-- without allocations.
local function buffers_of(text)
  local bytes, found = { total = 0, temporary = 0 }, false
  for size, words in text:gmatch "%f[^%z\n]allocation %d+: [^\n]-%f[%w]size (%d+)([^\n]*)" do
    bytes.total, found = bytes.total + tonumber(size), true
    if words:find("preallocated-temp", 1, true) then bytes.temporary = bytes.temporary + tonumber(size) end
  end
  return found and bytes or nil
end

-- Adds the module in a file; without one, why not.
local function add_module(read, path)
  local module, why = dumps.module(path)
  for _, problem in ipairs(module and module.problems or { why }) do
    table.insert(read.problems, module and problem .. ": " .. path or problem)
  end
  table.insert(read.modules, module)
  return module
end

local function add_group(read, folder, group)
  local function path_of(file) return file and folder .. "/" .. file end
  local module = (group.after or group.before) and add_module(read, path_of(group.after or group.before))
  if not module then return end
  module.number, module.platform, module.optimized = group.number, group.platform, group.after ~= nil
  module.before = path_of(group.before)
  module.passes = values.map(group.passes, function(pass)
    return { pass = pass.pass, pipeline = pass.pipeline, path = path_of(pass.file) }
  end)
  module.buffers = buffers_of(group.buffers and text_of(path_of(group.buffers)) or "")
end

--- { modules, problems } of a folder of dumps or of one file of HLO text, as reg.hlo.read returns it.
function dumps.read(path)
  local read = { modules = {}, problems = {} }
  local names = values.caught(UNREADABLE, reg.fs.list, path)
  if names then
    for _, group in ipairs(groups_of(names)) do add_group(read, path, group) end
    if #read.modules == 0 and #read.problems == 0 then read.problems[1] = "no HLO dumps as text: " .. path end
    return read
  end
  local module = add_module(read, path)
  if not module and not reg.fs.exists(path) then core.fail("not_found", "no such file or folder: " .. path) end
  if not module then core.fail("corrupt", read.problems[1]) end
  module.passes = {}
  return read
end

return dumps
