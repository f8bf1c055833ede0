-- reg.python: the files that list packages, locks, and the reasons of resolvers. tests/scripts/test_releases.sh and
-- test_packages.sh have real environments.

local test = require "harness"
local pins = reg.private "lib/python/pins"
local Lock = reg.private "lib/python/lock"
local programs = reg.private "lib/python/programs"

local function read(text)
  reg.fs.write("listed", text)
  local words, list = {}, pins.read "listed"
  for _, pin in pairs(list) do words[#words + 1] = pin.requirement end
  table.sort(words)
  return table.concat(words, " ")
end

test("each format lists its packages", function()
  test.equal(read "# a comment\nnumpy==1.26.4\nJax[cpu]==0.4.30 ; python_version > '3.8'\n-e git+x@1#egg=y\n",
    "jax==0.4.30 numpy==1.26.4")
  test.equal(read "numpy==1.26.4 \\\n    --hash=sha256:ab\nTool_x @ https://e.org/tool_x-1.0-py3-none-any.whl\n",
    "numpy==1.26.4 tool-x @ https://e.org/tool_x-1.0-py3-none-any.whl")
  test.equal(read '[[packages]]\nname = "six"\nversion = "1.16.0"\nwheels = [{ url = "u/six-1.16.0-py2.py3-none-any.whl" }]\n',
    "six==1.16.0")
  local function package(name, version, more)
    return ('[[package]]\nname = "%s"\nversion = "%s"\n%s\n\n'):format(name, version, more)
  end
  local uv = package("own", "0.1.0", 'source = { virtual = "." }')
    .. package("pywin32", "306", 'wheels = [\n    { url = "u/pywin32-306-cp311-cp311-win_amd64.whl" },\n]')
    .. package("numpy", "2.0.0", 'wheels = [\n    { url = "u/numpy-2.0.0-cp311-cp311-manylinux_2_17_x86_64.whl" },\n]')
  test.equal(read("version = 1\n\n" .. uv), "numpy==2.0.0")
  test.equal(read(package("idna", "3.7", 'files = [\n    {file = "idna-3.7-py3-none-any.whl"},\n]')), "idna==3.7")
  test.equal(read "# platform: linux-64\n_libgcc_mutex=0.1=main\njax=0.4.30=pypi_0\n", "jax==0.4.30")
  test.equal(read "name: env\ndependencies:\n  - python=3.11.7=h1\n  - pip:\n    - jax==0.4.30\n", "jax==0.4.30")
end)

test("a file that does not list packages with versions is refused in one line", function()
  test.refuses("usage", read, { { "line 1 is not a package with a version: numpy>=1.0", "numpy>=1.0\n" },
    { "it lists no packages", "# nothing\n" }, { "it has a in two versions, 1 and 2", "a==1\nA==2\n" } })
end)

test("equal versions with other wheels are another lock", function()
  local installer = { version = "3.11.7", folder = "/cache" }
  local function lock(hash) return Lock.read("six==1.16.0 --hash=sha256:" .. hash .. "\n", installer) end
  test.equal({ lock "aa".key, lock "aa".key ~= lock "ab".key }, { lock "aa".key, true })
  test.equal(lock "aa".versions, { six = "1.16.0" })
end)

test("a resolver's reason is one line, and an outage is told from a refusal", function()
  test.equal(programs.reason "error: No solution found\n  cause: Because a==9 is absent\n         and you want it.\n\nhint: x\n",
    "Because a==9 is absent and you want it.")
  test.equal(programs.reason "error: Request failed\n  cause: Failed to fetch: u\n  cause: Connection refused\n",
    "Failed to fetch: u: Connection refused")
  test.equal(programs.reason "warning: `tool-1.1-py3.whl` is missing an upload date, but\nerror: No solution\n  cause: b\n",
    "the index has no upload times for tool")
  test.equal(programs.reason "WARNING: w\nERROR: Could not find a version\nERROR: No matching distribution found for a==9\n",
    "No matching distribution found for a==9")
  test.equal(programs.is_outage "Failed to fetch: `u`\n  cause: HTTP status server error (503)", true)
  test.equal(programs.is_outage "Failed to fetch: `u`\n  cause: HTTP status client error (404 Not Found)", false)
end)

test("a requirements file includes others, and its constraints count by their content", function()
  reg.fs.mkdir "sub"
  reg.fs.write("sub/base.txt", "six\n-r top.txt\n")
  reg.fs.write("sub/limits.txt", "six<2\n")
  reg.fs.write("sub/top.txt", "# a comment\n-r base.txt\n--constraint limits.txt\nnumpy ; python_version > '3.8'\n")
  local text = pins.requirements "sub/top.txt"
  test.equal(text:gsub("\n# %x+\n", "\n"), "# a comment\nsix\n\n-c " .. reg.fs.absolute "sub/limits.txt" ..
    "\nnumpy ; python_version > '3.8'\n")
  reg.fs.write("sub/limits.txt", "six<3\n")
  test.equal(pins.requirements "sub/top.txt" ~= text, true)
  reg.fs.write("sub/base.txt", "-r gone.txt\n")
  test.raises("sub/base.txt names a file that does not exist", function() pins.requirements "sub/top.txt" end, "usage")
end)

return test.finish()
