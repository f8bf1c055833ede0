-- Ordinary work of permitted programs in the sandbox, and who runs outside it.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"

local sh, SECRET = attacks.sh, sandboxed.SECRET
local versions = sandboxed.versions()
local newest = versions[#versions]

-- Each is a line of shell that must print "done". `needs`: a program that not every machine has.
local WORK = {
  { "pipes and sort", [[printf 'b\na\n' | sort | head -n 1 | grep -q a && echo done]] },
  { "a here-document", "cat >mine <<END\nx\nEND\ncat mine && echo done" },
  { "temporary files", [[f=$(mktemp) && echo x >"$f" && d=$(mktemp -d) && mv "$f" "$d" && rm -r "$d" && echo done]] },
  { "a script with #!", [[printf '#!/bin/sh\necho done\n' >mine && chmod +x mine && ./mine]] },
  { "moves between folders", [[mkdir -p a b && echo x >a/x && mv a/x b/x && mv b a/ && cat a/b/x && echo done]] },
  { "links", [[echo x >x && ln x y && ln -s x z && cat y z && echo done]] },
  { "modes and times", [[echo x >x && chmod 600 x && touch -d 2024-01-01 x && echo done]] },
  { "the devices", [[echo x >/dev/null && head -c 8 /dev/urandom >x && head -c 8 /dev/zero >y && echo done]] },
  { "the standard streams by name", [[echo done >/dev/stdout; echo x >/dev/stderr; cat /dev/stdin </dev/null]] },
  { "a home of its own", [[test "$HOME" = "$PWD/.regengine/home" && echo x >~/.mine && mkdir -p "$XDG_CACHE_HOME" &&
    test "${CUDA_CACHE_PATH#"$HOME"}" != "$CUDA_CACHE_PATH" && echo done]] },
  { "users and hosts", [[id -un >/dev/null && ls -l /usr >/dev/null && getent hosts localhost >/dev/null && echo done]] },
  { "the machine's facts", [[cat /proc/cpuinfo /proc/self/status /proc/meminfo >/dev/null &&
    ls /sys/devices/system/cpu >/dev/null && echo done]] },
  { "programs in the background, and signals", [[sleep 100 & kill $! && wait; echo done]] },
  { "shared memory", [[f=/dev/shm/regengine-$$ && echo x >$f && rm $f && echo done]] },
  { "a build", [[printf 'int main(void) { return 0; }' >a.c && printf 'a: a.c\n\tcc -o a a.c\n' >Makefile &&
    make >/dev/null && ./a && echo done]], needs = "make cc" },
  { "git", [[git init -q r && cd r && echo x >x && git add x && git -c user.name=a -c user.email=a@b commit -qm one &&
    git gc -q && git clone -q . ../s && git log --oneline >/dev/null && echo done]], needs = "git" },
  { "tar", [[mkdir a && echo x >a/x && tar cf - a | (mkdir b && cd b && tar xf -) && cat b/a/x && echo done]],
    needs = "tar" },
  { "perl", [[perl -MFile::Temp=tempfile -e '($f) = tempfile(); print $f "x"; print "done"']], needs = "perl" },
  { "Python", [[/usr/bin/python3 -c 'import tempfile, multiprocessing, subprocess
with tempfile.TemporaryFile() as f: f.write(b"x")
lock = multiprocessing.Lock()
print(subprocess.check_output(["echo", "done"]).decode())']], needs = "/usr/bin/python3" },
}

for _, version in ipairs(versions) do
  for _, one in ipairs(WORK) do
    test(("%s, Landlock version %d"):format(one[1], version), function()
      for program in (one.needs or ""):gmatch "%S+" do test.needs(program) end
      -- Below version 2 programs run outside the sandbox, in the home of their user.
      if version < 2 and one[1] == "a home of its own" then return end
      sandboxed.fresh()
      local said = sandboxed.line(one[2], version)
      test.has(said, "done")
    end)
  end
end

if newest < 2 then test("the sandbox", function() test.skip "this kernel has no Landlock of version 2" end) end
local function held(what, check)
  if newest >= 2 then
    test(what, function()
      sandboxed.fresh()
      check(reg.fs.absolute "outside")
    end)
  end
end
local function reads(said) return said:find(SECRET, 1, true) ~= nil end

held("what is declared and permitted is in reach", function(outside)
  local read = [[cat "$OUT/secret.txt"]]
  test.truthy(reads(sandboxed.line(read, nil, ("--allow process=sh --allow 'files=%s/*:ro'"):format(outside))))
  test.truthy(not reads(sandboxed.line(read, nil, ("--allow process=sh --allow 'files=%s/sub/*:ro'"):format(outside))))
  local write = [[echo x >"$OUT/sub/new" && echo done]]
  test.truthy(not sandboxed.line(write, nil, ("--allow process=sh --allow 'files=%s/*:ro'"):format(outside)):find "done")
  test.truthy(sandboxed.line(write, nil, ("--allow process=sh --allow 'files=%s/*'"):format(outside)):find "done")
end)

held("a program outside the workspace that is permitted by its path runs, and reaches no more", function(outside)
  reg.fs.write("outside/tool", "#!/bin/sh\necho ran; cat \"$OUT/secret.txt\"\n")
  sh "chmod +x outside/tool"
  local said = sandboxed.script([[local r = reg.process.run { cmd = { "../outside/tool" } } print(r.stdout, r.stderr)]],
    "--allow process=" .. outside .. "/tool")
  test.truthy(said:find("ran", 1, true) and not reads(said), said)
  sh "ln -s ../outside/tool ws/tool"
  said = sandboxed.script([[local r = reg.process.run { cmd = { "./tool" } } print(r.stdout)]], "--allow process=./tool")
  test.has(said, "ran")
  reg.fs.write("outside/tool", "#!" .. outside .. "/interpreter\n")
  sh "cp /bin/sh outside/interpreter && chmod +x outside/tool"
  said = sandboxed.script([[reg.process.run { cmd = { "../outside/tool" } }]], "--allow process=" .. outside .. "/tool")
  test.has(said, "in the sandbox it cannot reach the interpreter of its #! line")
end)

held("who is trusted, shipped or permitted to run unboxed runs outside the sandbox", function()
  local line = [[cat "$OUT/secret.txt"; test "$HOME" = "$ANN" && test -n "$HF_TOKEN" && echo own]]
  for _, options in ipairs { "--trust", "--allow unboxed=sh", "--allow 'unboxed=*' --allow process=sh" } do
    local said = sandboxed.line(line, nil, options)
    test.truthy(reads(said) and said:find("own", 1, true), options .. said)
  end
  local declared = [[reg.needs { unboxed = "sh" } print(reg.process.run { shell = "cat link" }.stdout)]]
  local said, code = sandboxed.script(declared, "--allow process=sh")
  test.truthy(code ~= 0 and said:find("not permitted: unboxed=sh", 1, true) and not reads(said), said)
  test.has(said, "--allow unboxed=sh")
end)

held("the commands of images that are folders run in the sandbox", function()
  local image = [[local r = reg.container.run { runtime = "local", image = "sub", shell = "echo ran; cat $OUT/secret.txt" }
    print(r.stdout, r.stderr)]]
  local said = sandboxed.script(image, "--allow process=sh")
  test.truthy(said:find("ran", 1, true) and not reads(said), said)
end)

held("a mounted folder is in reach at both its paths", function()
  local code = [[local here = reg.fs.absolute "."
    local r = reg.process.run { shell = "echo x >../sub/new && cat new", cwd = "other",
      mounts = { [here .. "/other"] = here .. "/sub" } } print(r.stdout, r.stderr)]]
  sh "mkdir ws/other"
  local said = sandboxed.script(code, "--allow process=sh")
  if said:find("refuses mounts", 1, true) then test.skip "this machine refuses mounts in a namespace" end
  test.has(said, "x\n")
end)

held("whether its programs ran in the sandbox is part of a trial's key", function()
  local sweep = [[local series = reg.sweep({ "a", "b" }, { title = "sweep", into = "r.db", every = true, exact = true,
    measure = function(subject, trial) return #trial:run({ shell = "echo " .. subject }).stdout end })
    print(series.reused .. " reused, " .. series.runs .. " runs")]]
  for _, one in ipairs { { "process=sh", "0 reused, 2 runs" }, { "process=sh", "2 reused, 0 runs" },
    { "unboxed=sh", "0 reused, 2 runs" }, { "unboxed=sh", "2 reused, 0 runs" } } do
    local said = sandboxed.script(sweep, "--quiet --allow " .. one[1])
    test.truthy(said:find(one[2], 1, true), one[1] .. ": " .. said)
  end
end)

held("a temporary folder is removed with its command, whatever is in it", function()
  local said = sandboxed.line [[mkdir "$TMPDIR/a" && echo x >"$TMPDIR/a/b" && echo "at $TMPDIR."]]
  local folder = said:match "at (%S+)%."
  test.truthy(folder and folder:find("regengine", 1, true), said)
  test.truthy(not reg.fs.exists(folder), folder)
end)

held("a workspace whose .regengine leads elsewhere gives no home there", function()
  sh "ln -s ../outside ws/.regengine"
  local said = sandboxed.line [[echo x >~/.mine && echo done]]
  test.truthy(not said:find "done" and not reg.fs.exists "outside/home", said)
end)

return test.finish()
