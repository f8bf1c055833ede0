-- reg.artifact: which compiled files differ between two ends, by what they do.

local test = require "harness"
local artifact = reg.artifact

local IDENTICAL = "the compiled program is identical: look at the host, the clocks or the data"

local function sh(line)
  local run = reg.process.run { shell = line }
  assert(run.ok, run.stderr)
  return run
end

local function needs(program)
  if not reg.process.run({ shell = "command -v " .. program }).ok then test.skip(program .. " is not installed") end
end

-- A program in a folder of its own, built with these flags.
reg.fs.write("p.c", [[
#include <stdio.h>
int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }
int main(int c, char** v) { (void)v; return f(c) > 99; }
]])
local function build(folder, flags)
  needs "cc"
  sh("mkdir -p " .. folder .. "/bin && cc " .. flags .. " p.c -o " .. folder .. "/bin/p")
  return artifact.collect { folder }
end

local function compared(a, b)
  local list, said = artifact.diff(a, b)
  local words = {}
  for i, finding in ipairs(list) do
    test.equal(finding.level, "artifact")
    words[i] = finding.what
  end
  return words, said
end

test("a program rebuilt with other flags differs", function()
  local a, b = build("o2", "-O2"), build("o0", "-O0")
  local words, said = compared(a, b)
  test.equal({ words, said }, { { "bin/p differs" }, "1 of 1 compiled files differ" })
  local finding = artifact.diff(a, b)[1]
  test.equal({ finding.before, finding.after }, { a.files["bin/p"].content, b.files["bin/p"].content })
end)

test("debug information, symbols and the build-id do not count", function()
  local a = build("plain", "-O2 -Wl,--build-id")
  local id = a.files["bin/p"].build_id
  test.truthy(id and #id >= 16, "it has a build-id")
  local b = build("debug", "-O2 -g -Wl,--build-id")
  test.truthy(a.files["bin/p"].sha256 ~= b.files["bin/p"].sha256, "the files differ")
  local words, said = compared(a, b)
  test.equal({ words, said }, { {}, IDENTICAL })
  needs "strip"
  sh "cp -r debug stripped && strip stripped/bin/p"
  test.equal({ compared(a, artifact.collect { "stripped" }) }, { {}, IDENTICAL })
end)

test("the same files twice are identical, wherever they are", function()
  reg.fs.mkdir "one/deep"
  reg.fs.write("one/deep/k.ptx", ".version 8.0")
  reg.fs.write("one/deep/note.txt", "not compiled")
  sh "cp -r one two && cp /bin/ls one/ls && cp /bin/ls two/ls"
  local a, b = artifact.collect { "one" }, artifact.collect { "two/" }
  test.equal({ a.files["deep/k.ptx"].sha256 ~= nil, a.files["deep/note.txt"] }, { true, nil })
  test.equal({ compared({ a, a }, { b, b }) }, { {}, IDENTICAL })
end)

test("a file that is named is hashed, whatever it is; new and missing ones are told", function()
  reg.fs.mkdir "left"
  reg.fs.mkdir "right"
  reg.fs.write("left/data", "1")
  reg.fs.write("right/data", "2")
  reg.fs.write("left/a.ptx", "a")
  reg.fs.write("right/b.cubin", "b")
  local words, said = compared(artifact.collect { "left/data", "left" }, artifact.collect { "right/data", "right" })
  test.equal({ words, said }, { { "a.ptx is gone", "b.cubin is new", "data differs" }, "3 of 3 compiled files differ" })
end)

test("files of one name are told apart, and many that differ are one finding", function()
  for i = 1, 12 do
    for _, side in ipairs { "x", "y" } do
      reg.fs.mkdir("many/" .. side .. i)
      reg.fs.write("many/" .. side .. i .. "/k.ptx", side .. i % 11)
    end
  end
  local function all(side)
    local paths = {}
    for i = 1, 12 do paths[i] = "many/" .. side .. i end
    return artifact.collect(paths)
  end
  test.equal({ all("x").files["k.ptx"] ~= nil, all("x").files["k.ptx (12)"] ~= nil }, { true, true })
  local words, said = compared(all "x", all "y")
  test.equal(#words, 1)
  test.truthy(words[1]:find "^12 of 12 files differ: k%.ptx, .*, and 7 more$", words[1])
  test.equal(said, "12 of 12 compiled files differ")
  test.equal({ compared({ all "x", all "y" }, { all "x", all "x" }) }, { {}, IDENTICAL }, "unstable within an end")
end)

test("a wheel counts by its content, not by the times of its files", function()
  needs "python3"
  reg.fs.write("wheel.py", [[
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as wheel:
    for name, text in (("x/lib.so", sys.argv[3]), ("x-1.dist-info/RECORD", "x/lib.so,,")):
        wheel.writestr(zipfile.ZipInfo(name, (int(sys.argv[2]), 1, 1, 0, 0, 0)), text)
]])
  sh "mkdir -p w1 w2 w3; python3 wheel.py w1/x.whl 2020 code; python3 wheel.py w2/x.whl 2021 code; python3 wheel.py w3/x.whl 2020 more"
  local a, b = artifact.collect { "w1" }, artifact.collect { "w2" }
  test.truthy(a.files["x.whl"].sha256 ~= b.files["x.whl"].sha256, "the archives differ")
  test.equal({ compared(a, b) }, { {}, IDENTICAL })
  test.equal(compared(a, artifact.collect { "w3" }), { "x.whl differs" })
end)

test("misuse", function()
  test.raises("takes a list of files and folders", function() artifact.collect {} end, "usage")
  test.raises("takes a list of files and folders", function() artifact.collect "x" end, "usage")
  test.raises("absent", function() artifact.collect { "absent" } end, "not_found")
  test.raises("unknown option 'image'", function() artifact.collect { "x", image = "i" } end, "usage")
  test.raises("takes what was collected", function() artifact.diff({}) end, "usage")
  reg.fs.mkdir "empty"
  test.equal(artifact.collect({ "empty" }).missing.files, "no compiled files were found")
end)

return test.finish()
