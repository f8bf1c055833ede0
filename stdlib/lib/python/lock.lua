-- A lock: packages with their versions and the hashes of their wheels, and the environment that is made from it. Equal
-- locks are one environment, and one subject. Its text is pylock.toml of uv, or a list of requirements for pip. uv
-- installs from such a list, too: it keeps the wheels of a pylock.toml apart from all others that it has in its cache.

local values = require "lib/values"
local merged, plain_name = values.merged, values.plain_name
local programs = require "lib/python/programs"
local tools = require "lib/python/tools"

---@class python.Package
---@field name string
---@field version string
---@field hash string of the wheel
---@field requirement? string "tool @ URL", if it came from an address of its own

---@class python.Lock
---@field key string of the interpreter's version, and of all versions and hashes
---@field packages python.Package[] sorted by name
---@field versions table<string, string> by name
---@field text string of the file
---@field folder string absolute path of its environment, which Installer:environment and Installer:search make
local Lock = {}
Lock.__index = Lock

-- The text of each package in TOML, after its "[[package]]" or "[[packages]]".
function Lock.blocks(text) return ("\n" .. text):gsub("\n%[%[packages?%]%]", "\1"):gmatch "\1([^\1]*)" end

-- Of uv, which writes a line for each key and the wheels that fit this machine.
local function of_pylock(text)
  local list = {}
  for block in Lock.blocks(text) do
    local files = block:match "\nwheels = ([^\n]*)" or block:match "\narchive = ([^\n]*)" or ""
    local hashes = values.sorted(values.matches(files, 'sha256 = "(%x+)"'))
    local name, url = block:match '\nname = "([^"]+)"', block:match '\narchive = { url = "([^"]+)"'
    list[#list + 1] = { name = name, version = block:match '\nversion = "([^"]+)"' or "0",
      hash = #hashes > 0 and table.concat(hashes, ",") or "none", requirement = url and name .. " @ " .. url }
  end
  return list
end

-- Of the lines that of_report writes.
local function of_lines(text)
  local list = {}
  for line in text:gmatch "[^\n]+" do
    local name, version, hash = line:match "^(%S+)==(%S+) %-%-hash=sha256:(%x+)"
    local url
    if not name then name, url, hash, version = line:match "^(%S+) @ (%S+) %-%-hash=sha256:(%x+) # (%S+)" end
    local requirement = url and name .. " @ " .. url
    list[#list + 1] = name and { name = name, version = version, hash = hash, requirement = requirement }
  end
  return list
end

-- The lines of pip for its report of what it would install. `index`: addresses that the requirements need.
function Lock.of_report(report, index)
  local lines = values.map(index, function(page) return "--extra-index-url " .. page end)
  for _, one in ipairs(reg.json.decode(report).install or {}) do
    local from, name, version = one.download_info or {}, plain_name(one.metadata.name), one.metadata.version
    local hash = ((from.archive_info or {}).hashes or {}).sha256 or ("0"):rep(64)
    lines[#lines + 1] = one.is_direct and string.format("%s @ %s --hash=sha256:%s # %s", name, from.url, hash, version)
      or string.format("%s==%s --hash=sha256:%s", name, version, hash)
  end
  return table.concat(lines, "\n") .. "\n"
end

local SHA256 <const> = "%f[%x]" .. ("%x"):rep(64) .. "%f[%X]"

-- The same of a lock of uv.
local function lines_of(self)
  local lines = { self.installer.default and "--index-url " .. self.installer.default }
  for _, page in ipairs(self.installer.index or {}) do lines[#lines + 1] = "--extra-index-url " .. page end
  for _, one in ipairs(self.packages) do
    local words = { one.requirement or one.name .. "==" .. one.version }
    for hash in one.hash:gmatch(SHA256) do words[#words + 1] = "--hash=sha256:" .. hash end
    lines[#lines + 1] = table.concat(words, " ")
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Reads a lock that `installer`, a python.Installer, resolved.
function Lock.read(text, installer)
  local packages = (text:find("lock-version", 1, true) and of_pylock or of_lines)(text)
  local self = setmetatable({ text = text, packages = packages, versions = {}, installer = installer }, Lock)
  table.sort(self.packages, function(a, b) return a.name < b.name end)
  local lines = { installer.version }
  for _, one in ipairs(self.packages) do
    self.versions[one.name] = one.version
    lines[#lines + 1] = table.concat({ one.name, one.version, one.hash }, " ")
  end
  self.wanted = table.concat(lines, "\n", 2) .. (#lines > 1 and "\n" or "")
  self.key = core.sha256(table.concat(lines, "\n")):sub(1, 16)
  self.folder = installer.folder .. "/" .. self.key
  return self
end

-- The path of a file of this lock, which it writes.
function Lock:saved(name, text)
  local path = self.installer.folder .. "/locks/" .. name:format(self.key)
  if not reg.fs.exists(path) then reg.fs.write(path, text) end
  return path
end

function Lock:save()
  self:saved("%s.packages", self.wanted)
  self:saved("%s.txt", self.text:find("lock-version", 1, true) and lines_of(self) or self.text)
end

-- The command that makes the environment.
local function call_of(self)
  local words = core.shell_words { self.installer.python, self.installer.uv or "" }
  return { shell = 'sh "${ENVIRONMENT%/*}/make" ' .. words, env = { ENVIRONMENT = self.folder } }
end

-- Makes the environment, unless it is complete. Raises failed_trial if a package cannot be installed, or is another
-- one than asked for, and unavailable if the index does not answer.
function Lock:install()
  local run = tools.patiently(self.installer, function()
    local run = reg.process.run(call_of(self))
    if run.ok or run.code ~= programs.OUTAGE then return run end
    return nil, programs.reason(run.stderr)
  end)
  if not run.ok then core.fail("failed_trial", "the environment cannot be made: " .. programs.reason(run.stderr)) end
end

-- The same in a trial, as the `build` of a sweep. Environments whose packages were built from the same commits are one
-- subject.
function Lock:build(trial)
  local call = merged(call_of(self), { artifact = { self.folder .. "/program" } })
  tools.patiently(self.installer, function()
    local ok, why = pcall(trial.build, trial, merged(call))
    if ok then return true end
    local message = type(why) == "table" and why.kind == "failed_trial" and why.message or ""
    local other = message:match "asked for [^\n]+"
    if other then error(reg.skip(other, "", "build_failed"), 0) end
    if not message:find("exit code " .. programs.OUTAGE, 1, true) then error(why, 0) end
    return nil, programs.reason(message)
  end)
end

--- The options of trial:test and reg.process.run for a shell command whose python is that of the environment, which
--- ENVIRONMENT names. The environment must be there.
--- ```lua
--- local old = reg.python.installer():environment { packages = { "numpy==1.26.4" } }
--- print(reg.process.run(old.lock:command("python -c 'import numpy; print(numpy.__version__)'")).stdout)
--- ```
---@param shell string
---@param timeout? string|number time limit, such as "10 min" or seconds
---@param env? table<string, string> further variables
---@return process.RunOptions options
function Lock:command(shell, timeout, env)
  return { shell = programs.ENTER .. shell, timeout_s = timeout, env = merged(env, { ENVIRONMENT = self.folder }) }
end

-- Where the packages of its environment are.
local function place_of(self)
  return self.folder .. "/lib/python" .. self.installer.version:match "^%d+%.%d+" .. "/site-packages/"
end

-- What an installed package says of itself; "" where it is not installed.
function Lock:metadata(name)
  for _, entry in ipairs(reg.fs.exists(self.folder) and reg.fs.list(place_of(self)) or {}) do
    local its = entry:match "^(.-)%-[^-]*%.dist%-info/?$"
    if its and plain_name(its) == name then
      return reg.fs.read(place_of(self) .. entry:gsub("/$", "") .. "/METADATA")
    end
  end
  return ""
end

-- What can be imported from it, sorted.
function Lock:modules()
  return values.sorted(values.map(reg.fs.list(place_of(self)), function(entry)
    local name = entry:match "^([%a_][%w_]*)/?$" or entry:match "^([%a_][%w_]*)%.py$"
      or entry:match "^([%a_][%w_]*)%..*%.so$"
    return name ~= "__pycache__" and name or nil
  end))
end

return Lock
