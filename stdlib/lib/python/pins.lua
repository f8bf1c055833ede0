-- The packages that a file lists, each with its one version: pip freeze, pylock.toml, uv.lock, poetry.lock, conda list
-- --export, and the pip part of conda env export.

local Lock = require "lib/python/lock"
local values = require "lib/values"

local pins = {}

---@class python.Pin
---@field name string
---@field version string
---@field requirement string "numpy==1.26.4", or "tool @ URL"

local function cannot(path, why, hint)
  core.fail("usage", string.format("python: cannot read the packages of %s: %s", path, why),
    hint or "It takes pip freeze, pylock.toml, uv.lock, poetry.lock and conda list --export.")
end

local function add(list, path, name, version, requirement)
  name = values.plain_name(name)
  local known = list[name]
  if known and known.version ~= version then
    cannot(path, string.format("it has %s in two versions, %s and %s", name, known.version, version),
      "Export what this machine gets, such as by uv export --frozen > FILE.")
  end
  list[name] = { name = name, version = version, requirement = requirement or name .. "==" .. version }
end

-- Whether one of the wheels that a block names could run on Linux; true where it names none.
local function fits(block)
  return not block:find "[%w_.+%%-]%.whl" or block:find "any%.whl" or block:find "linux[%w_.+%%-]*%.whl"
end

local function of_toml(text, path)
  local list = {}
  for block in Lock.blocks(text) do
    local name, version = block:match '\nname = "([^"]+)"', block:match '\nversion = "([^"]+)"'
    local is_project = block:find '\nsource = { virtual' or block:find '\nsource = { editable'
      or block:find '\nsource = { directory'
    if not name then cannot(path, "a package has no name") end
    if version and not is_project and fits(block) then
      local url = block:match '\narchive = { url = "([^"]+)"' or block:match '\nsource = { url = "([^"]+)"'
      add(list, path, name, version, url and values.plain_name(name) .. " @ " .. url)
    end
  end
  return list
end

-- A line of a list of requirements or of conda: its pin, or false if it says nothing about a package; nil if it is
-- neither.
local function of_line(line)
  if line == "" or line:find "^[#@]" or line:find "^%-%-" or line:find "^%-[ie] " then return false end
  local name, url = line:match "^([%w_.-]+)%s*@%s*(%S+)"
  if name then return { name, url:match "([^/]+)$", values.plain_name(name) .. " @ " .. url } end
  local pinned, version = line:match "^([%w_.-]+)%[?[^%]=]*%]?%s*==%s*([%w_.!+-]+)"
  if pinned then return { pinned, version } end
  local of_conda, its_version, build = line:match "^([%w_.-]+)=([%w_.!+-]+)=([%w_.-]+)$"
  if of_conda then return build:find "^pypi" ~= nil and { of_conda, its_version } end
end

local function of_lines(text, path)
  local list, number = {}, 0
  local in_yaml = text:find "^name:" or text:find "\ndependencies:"
  for line in (text:gsub("\\\r?\n", " ") .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    local words = line:match "^%s*(.-)%s*$"
    if in_yaml then words = words:match "^%- (%S+==%S+)$" or "" end
    local pin = of_line(words)
    if pin == nil then
      cannot(path, string.format("line %d is not a package with a version: %s", number, words:sub(1, 60)))
    end
    if pin then add(list, path, table.unpack(pin)) end
  end
  return list
end

--- The packages of a file, by name. Raises usage for a file that is none of those, or lists no packages.
function pins.read(path)
  local text = reg.fs.read(path)
  local list = (text:find "%[%[packages?%]%]" and of_toml or of_lines)(text, path)
  if next(list) == nil then cannot(path, "it lists no packages") end
  return list
end

--- The same as the text of requirements.
function pins.text(path)
  local list = pins.read(path)
  return table.concat(values.map(values.sorted_names(list), function(name) return list[name].requirement end), "\n")
end

--- The packages of a lock, in the same way.
function pins.of_lock(lock)
  local list = {}
  for _, one in ipairs(lock.packages) do add(list, nil, one.name, one.version, one.requirement) end
  return list
end

--- The text of a requirements file for a resolver that does not know where it is: with those that it includes, and the
--- whole paths of constraints, each with the hash of its content.
function pins.requirements(path, seen)
  seen = values.merged(seen, { [reg.fs.absolute(path)] = true })
  local lines = {}
  for line in reg.fs.read(path):gmatch "[^\r\n]+" do
    local included = line:match "^%s*%-r%s*([^%s#]+)" or line:match "^%s*%-%-requirement[=%s]%s*([^%s#]+)"
    local constraints = line:match "^%s*%-c%s*([^%s#]+)" or line:match "^%s*%-%-constraint[=%s]%s*([^%s#]+)"
    local name = included or constraints  -- relative to the folder of this file
    local file = name and (name:sub(1, 1) == "/" and name or reg.fs.absolute((path:match "^(.*/)" or "./") .. name))
    if file and not reg.fs.exists(file) then
      core.fail("usage", "python: " .. path .. " names a file that does not exist: " .. file)
    end
    if constraints then
      lines[#lines + 1] = "-c " .. file .. "\n# " .. core.sha256(reg.fs.read(file))
    elseif not included then
      lines[#lines + 1] = line
    elseif not seen[file] then
      lines[#lines + 1] = pins.requirements(file, seen)
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

return pins
