-- reg.python: environments of Python packages, each made once by uv, or by pip and venv where uv is missing.

local Lock = require "lib/python/lock"
local programs = require "lib/python/programs"
local tools = require "lib/python/tools"
local values = require "lib/values"

local FOLDER <const> = ".regengine/environments"
local KEEP <const> = 40
local flat, merged, usage = values.flat, values.merged, tools.usage

--- Makes environments, and knows what an index has.
--- ```lua
--- local python = reg.python.installer { python = "3.11", keep = 10 }
--- local lock, why = python:resolve { packages = { "numpy<2" }, at = "2024-03-01" }
--- print(lock and lock.versions.numpy or why, python:environment({ packages = { "numpy==1.26.4" } }).folder)
--- print(table.concat(python:changes("good.txt", "bad.txt").items, "\n"))
--- local releases, kind = python:subjects { packages = { "jax", "jaxlib" }, from = "0.4.30", to = "0.6.2" }
--- local opt = { test = "python bench.py", metric = "{number} ms" }
--- reg.answer(python:search(releases, opt, { kind = kind }))
--- python:close()
--- ```
---@class python.Installer
---@field python string path of the interpreter
---@field version string its version, "3.11.7"
---@field uv? string the program; nil where pip is used
---@field folder string absolute path of the environments
local Installer = {}
Installer.__index = Installer

-- The command that finds what meets the requirements: their text is its input.
local function compile_command(self, request)
  return flat { { self.uv, "pip", "compile", "-", "--no-header", "--no-annotate", "--format", "pylock.toml",
    "--only-binary", ":all:", "--python", self.python }, self.default and { "--default-index", self.default } or {},
    flat(self.index, function(page) return { "--index", page } end),
    request.at and { "--exclude-newer", request.at } or {}, request.pre and { "--prerelease", "allow" } or {} }
end

-- The same with pip: a report of what it would install.
local function report_command(self, request)
  return flat { { self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--dry-run",
    "--ignore-installed", "--only-binary", ":all:", "--report", "-" },
    flat(self.index, function(page) return { "--extra-index-url", page } end), request.pre and { "--pre" } or {},
    values.only(values.matches(request.text, "[^\n]+"), function(line) return not line:find "^%s*#" end) }
end

-- One try: a Lock; or nil and what an index that does not answer said; or { reason = why it cannot be met }.
local function resolve_once(self, request)
  local words = request.prefer and self.uv
    and { "sh", "-c", programs.PREFER, "sh", self.folder, request.prefer:saved("pylock.%s.toml", request.prefer.text) }
    or {}
  local cmd = (self.uv and compile_command or report_command)(self, request)
  local run = reg.process.run { shell = core.shell_words(flat { words, cmd }),
    stdin = request.text, keep_bytes = 64 << 20 }
  if run.ok then return Lock.read(self.uv and run.stdout or Lock.of_report(run.stdout, self.index), self) end
  if programs.is_outage(run.stderr) then return nil, programs.reason(run.stderr) end
  return { reason = programs.reason(run.stderr) }
end

---@class python.Request
---@field packages? string[] requirements: "numpy==1.26.4", "jax[cpu]", the address of a wheel
---@field requirements? string the text of a requirements file
---@field lock? string a file with packages and their versions, as Installer:changes takes it
---@field at? string a day: what was uploaded later does not exist; needs uv
---@field pre? boolean also pre-releases
---@field prefer? python.Lock versions to keep where they fit; needs uv

--- What meets the requirements, with the hash of each wheel; sources are not built. The same request gets the lock of
--- the first time, whatever was released since. Returns nil and the resolver's reason if nothing meets them. Raises
--- unavailable if the index does not answer, and usage for a day without uv.
---@param request python.Request
---@return python.Lock? lock
---@return string? reason
function Installer:resolve(request)
  if request.at and not self.uv then usage("a day needs uv", "Install it: pip install uv.") end
  request = merged(request)
  request.text = table.concat(request.packages or {}, "\n") .. "\n" .. (request.requirements or "")
    .. (request.lock and require("lib/python/pins").text(request.lock) or "")
  local id = core.sha256(table.concat({ self.version, self.uv and "uv" or "pip", request.text, request.at or "",
    request.pre and "pre" or "", request.prefer and request.prefer.key or "", request.seen or "",
    table.concat(self.pages, " ") }, "\0")):sub(1, 16)
  local known = self.folder .. "/locks/" .. id
  local make = self.folder .. "/make"
  reg.fs.mkdir(self.folder .. "/locks")
  if not reg.fs.exists(make) or reg.fs.read(make) ~= programs.MAKE then reg.fs.write(make, programs.MAKE) end
  if reg.fs.exists(known) then return Lock.read(reg.fs.read(known), self) end
  local lock = tools.patiently(self, function() return resolve_once(self, request) end)
  if lock.reason then return nil, lock.reason end
  lock:save()
  if not request.at or reg.time.parse(request.at:sub(1, 10)) + 86400 < reg.time.now() then
    reg.fs.write(known, lock.text)  -- a day that is not over may bring more
  end
  return lock
end

---@class python.Environment
---@field folder string absolute path
---@field lock python.Lock
---@field modules string[] what can be imported

--- Makes the environment of a request, or finds it. Raises failed_trial with the reason if nothing meets the request or
--- the index gave something else, and what Installer:resolve raises.
---@param request python.Request
---@return python.Environment environment
function Installer:environment(request)
  local lock, why = self:resolve(request)
  if not lock then core.fail("failed_trial", why) end
  lock:install()
  return { folder = lock.folder, lock = lock, modules = lock:modules() }
end

---@class python.Subject
---@field id string the version, the commit or the day
---@field lock? python.Lock
---@field failure? string why it has none: such a subject is skipped

---@class python.SubjectOptions
---@field packages? string[] the releases of the first one, with those of the others that go with it
---@field versions? string[] only these versions of it
---@field commits? git.Commit[] commits with wheels
---@field wheel? string where these are: an address with {commit} in it
---@field requirements? string text of a requirements file: the days on which it resolves to something else than before
---@field file? string the same as a file; with both, they are added up
---@field from? string a version or a day, as `to`
---@field to? string
---@field pre? boolean with pre-releases
---@field with? string[] further requirements
---@field prefer? python.Lock whose versions of all else are kept where they fit; that of the last release by default

--- Subjects for Installer:search, and what they are: "release", "day" or "commit". Raises
--- usage for a package that no index has and for a range without releases, and what Installer:resolve raises.
---@param options python.SubjectOptions
---@return python.Subject[] subjects
---@return string kind
function Installer:subjects(options) return require("lib/python/subjects").of(self, options) end

--- What differs between two environments, as items whose sets can be installed. `good` and `bad` are locks, or paths of
--- files that list packages with their versions: of pip freeze, pylock.toml, uv.lock, poetry.lock or conda list
--- --export. Raises usage if nothing differs, a file cannot be read, or an end cannot be installed.
---@param good string|python.Lock
---@param bad string|python.Lock
---@return python.Changes changes
function Installer:changes(good, bad) return require("lib/python/which").new(self, good, bad) end

--- Searches such subjects with reg.sweep: makes the environment of each one that is measured, and runs the test with
--- its python first on the PATH and its folder in ENVIRONMENT. `opt`: the options of a script, such as test, metric and
--- timeout; `more`: options of reg.sweep. Raises what reg.sweep raises.
---@param subjects python.Subject[]
---@param opt options.Values
---@param more sweep.Options
---@return sweep.Series series
function Installer:search(subjects, opt, more)
  return require("lib/python/subjects").search(self, subjects, opt, more)
end

--- Removes all environments but the `keep` that were used last, and what a killed process left.
function Installer:close()
  reg.process.run { shell = programs.PRUNE, env = { FOLDER = self.folder, KEEP = tostring(self.keep) } }
end

Installer.__close = Installer.close

--- Environments of Python packages as subjects: which release, which package, which day.
---@class reg.python
local python = {}

---@class python.Options
---@field python? string version ("3.11") or path of the interpreter; python3 by default
---@field index? string[] addresses of indexes that come before the one that uv or pip is configured to ask
---@field keep? integer environments to keep, those used last; 40 by default
---@field folder? string where they are; .regengine/environments by default

--- Who makes environments. Raises usage if Python is not there, or neither uv nor pip.
--- ```lua
--- local python <close> = reg.python.installer { python = "3.11" }
--- print(python.version, python.folder)
--- ```
---@param options? python.Options
---@return python.Installer installer
function python.installer(options)
  options = core.check_keys("python.installer", options or {}, { "python", "index", "keep", "folder" })
  reg.needs { files = (options.folder or FOLDER) .. "/*" }
  local uv = tools.uv()
  local found = tools.find_python(options.python, uv)
  if not uv and not found.pip then usage("neither uv nor pip is installed", "Install uv or python3-pip.") end
  local self = setmetatable({ python = found.path, version = found.version, pip = found.pip, uv = uv,
    folder = reg.fs.absolute(options.folder or FOLDER), keep = options.keep or KEEP }, Installer)
  tools.add_indexes(self, options.index or {})
  return self
end

return python
