-- How much of a slowdown that moves with another Python moves with one of its packages: each end runs with that package
-- of the other one, from a folder of links that comes first in PYTHONPATH.
--
-- It is an effect within the Python's, like that of lib/why/choices: it stands at the package's finding in the level
-- environment, and is told as "of this".

local placed = require "lib/why/placed"
local swap = require "lib/why/swap"

local MOST <const> = 3  -- packages: the likeliest come first, and pairs cost time

-- Links all that the package of this name installed into the folder, and prints the release of Python.
local LINK <const> = [[
import importlib.metadata as metadata, os, sys
package = metadata.distribution(sys.argv[1])
tops = {file.parts[0] for file in package.files or [] if file.parts[0] not in ("..", "__pycache__")}
for top in tops: os.symlink(os.path.abspath(package.locate_file(top)), os.path.join(sys.argv[2], top))
print(*sys.version_info[:2], len(tops))
]]

local packages = {}

-- Makes the folder with the package of an end. Returns the release of its Python.
local function link(one, name, folder)
  local call = {}
  for key, value in pairs(one.call) do call[key] = value end
  call.shell = core.shell_words { one.parts.python, "-c", LINK, name, folder }
  call.env = {}
  for _, given in ipairs { one.call.env or {}, one.parts.env } do
    for variable, value in pairs(given) do call.env[variable] = value end
  end
  core.new_output(folder)
  local run = placed.execute(call)
  local release, count = run.stdout:match "^(%d+ %d+) (%d+)\n"
  if not run.ok or count == "0" then
    core.fail("failed_trial", string.format("%s does not say which files %s has", one.name, name))
  end
  return release
end

-- The end with the package in this folder, of the end `from`.
local function with(one, from, name, folder)
  local path = one.parts.env.PYTHONPATH
  local first = { name = from.name, parts = { env = { PYTHONPATH = folder .. (path and ":" .. path or "") } } }
  local mixed = swap.exchanged(one, { kind = "variable", name = "PYTHONPATH" }, first)
  mixed.name = string.format("%s with %s of %s", one.name, name, from.name)
  return mixed
end

local function effect(name, both, slowdown, run, folder)
  local folders, releases = {}, {}
  for i, one in ipairs(both) do
    folders[i] = string.format("%s/%s-%s", folder, name, one.name)
    releases[i] = link(one, name, folders[i])
  end
  if releases[1] ~= releases[2] then
    core.fail("failed_trial", "the ends run different releases of Python")
  end
  local a, b = both[1], both[2]
  return swap.moved(run({ a, with(a, b, name, folders[2]), with(b, a, name, folders[1]), b }, swap.ROUNDS, name),
    slowdown)
end

--- Gives the findings of the level environment the effect of their package, and returns why others have none.
--- `folder`: for the links, removed at the end; `run` as of swap.shares.
function packages.attach(findings, both, slowdown, run, folder)
  local whys, count = {}, 0
  folder = reg.fs.absolute(folder)
  core.new_output(folder)
  for _, finding in ipairs(findings) do
    local name = finding.package
    if name and finding.before and finding.after and count < MOST then
      count = count + 1
      local found, why = swap.attempt(name, effect, name, both, slowdown, run, folder)
      whys[#whys + 1] = why
      for key, value in pairs(found or {}) do finding[key] = value end
      finding.name = found and name
    end
  end
  core.drop_output(folder)
  return whys
end

--- Whether most of the slowdown moves with the Python, whose packages can be exchanged.
function packages.apply(swaps, both)
  local first = swaps[1]
  local by_python = first ~= nil and first.kind == "python" and first.share >= 0.5
  return by_python and not both[1].call.image and not both[2].call.image
end

return packages
