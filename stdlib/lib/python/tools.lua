-- The programs that environments are made with: the interpreter, uv or pip, and the indexes that these are told to ask.

local merged = require("lib/values").merged
local programs = require "lib/python/programs"

local MOST_BYTES <const> = 64 << 20

-- Variables that say which index uv asks.
local OF_UV <const> = { "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL" }
local FIRST_TRIES_S <const> = 6

local tools = {}

function tools.usage(message, hint) core.fail("usage", "python: " .. message, hint) end

--- Runs a command that only reads, also in a dry run. By the shell, as all else here: that is what a script with a test
--- may run. A program that is missing gives exit code 127.
function tools.read(words, more)
  return reg.process.run(merged({ shell = core.shell_words(words), keep_bytes = MOST_BYTES, reads = true }, more))
end

--- The program uv, unless REGENGINE_UV says another or, by "", none.
function tools.uv()
  local name = core.variables().REGENGINE_UV or "uv"
  return name ~= "" and tools.read({ name, "--version" }).ok and name or nil
end

local function interpreter(path)
  local run = tools.read { path, "-I", "-c", programs.INTERPRETER }
  local ok, facts = pcall(reg.json.decode, run.ok and run.stdout or "")
  return ok and type(facts) == "table" and facts or nil
end

--- Python 3.11, 3.11.7 or a path; without one what python3 is.
function tools.find_python(wanted, uv)
  local is_version = wanted and wanted:find "^%d+%.%d+[%d.]*$"
  local found = interpreter(is_version and "python" .. wanted:match "^%d+%.%d+" or wanted or "python3")
  if found and is_version and (found.version .. "."):sub(1, #wanted + 1) ~= wanted .. "." then found = nil end
  if not found and is_version and uv then
    local run = tools.read { uv, "python", "find", "--no-project", "--no-python-downloads", wanted }
    found = run.ok and interpreter((run.stdout:gsub("%s+$", "")))
  end
  if found then return found end
  tools.usage("Python " .. (wanted or "3") .. " was not found",
    is_version and uv and "Install it, such as by uv python install " .. wanted .. ", or pass another one."
      or "Install it, or pass a version or a path.")
end

-- The index that uv asks, as its user configured it, or with `plain` as it comes.
local function index_of_uv(self, plain)
  local words = { self.uv, "pip", "compile", "-", "-q", "--no-header", "--emit-index-url", "--python", self.python }
  if plain then table.insert(words, "--no-config") end
  local run = tools.read(words, plain and { unset = OF_UV })
  return run.ok and run.stdout:match "%-%-index%-url (%S+)" or nil
end

--- Which indexes have the packages: those of `given` before the one that uv or pip is configured to ask. uv does not
--- know what pip is told.
function tools.add_indexes(self, given)
  local told = self.pip and tools.read { self.python, "-m", "pip", "config", "list", "--disable-pip-version-check" }
  local text = "\n" .. (told and told.ok and told.stdout or "")
  local of_pip = text:match("\n:env:%.index%-url='([^'\n]+)'") or text:match "\ninstall%.index%-url='([^'\n]+)'"
    or text:match "\nglobal%.index%-url='([^'\n]+)'"  -- nil unless somebody told it
  if self.uv then
    local configured, plain = index_of_uv(self), index_of_uv(self, true)
    if configured == plain and of_pip then self.default = of_pip end
    self.pages = { self.default or configured }
  else
    local code = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    local run = not of_pip and tools.read { self.python, "-I", "-c", code }
    self.pages = { of_pip or run and run.ok and run.stdout:match "%S+" }
  end
  for i, page in ipairs(given) do
    if not page:find "^https?://%S+$" then
      tools.usage("not the address of an index: '" .. page .. "'", "Pass one that begins with https:// or http://.")
    end
    table.insert(self.pages, i, page)
  end
  self.index = given
  if #self.pages == 0 then tools.usage("no index of packages is configured", "Pass --index URL.") end
end

--- Calls f, which returns a result, or nil and what the index said, until it answers; raises unavailable where it does
--- not within --retry-for. One that never answered this installer may be a wrong one, and has a few seconds.
function tools.patiently(installer, f)
  local given = core.options and core.options.retry_for
  local left = math.min(given and reg.time.seconds(given) or 0, installer.answered and math.huge or FIRST_TRIES_S)
  local wait = 2
  while true do
    local result, why = f()
    if result then
      installer.answered = true
      return result
    end
    if left <= 0 then
      core.fail("unavailable", "the index of Python packages does not answer: " .. (why:match "[^\n]*"),
        "Run the same command again when it does: it continues where it stopped.")
    end
    wait = math.min(wait, left)
    reg.log.warn("the index does not answer (%s); trying again in %d s", why:match "[^\n]*", wait)
    reg.sleep(wait)
    left, wait = left - wait, math.min(wait * 2, 60)
  end
end

return tools
