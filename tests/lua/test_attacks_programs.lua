-- Permitted programs that attack what lies outside the workspace. Each attack succeeds where the kernel has no Landlock,
-- or one whose version does not hold it, and fails from that version on. No version up to 7 holds back chmod and touch
-- of a file by its path, UDP, and sockets that have a path.

local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"

local sh, SECRET = attacks.sh, sandboxed.SECRET
local AS_ROOT = sh "id -u" == "0\n"

local LEAST <const> = 2  -- below it programs run outside the sandbox

local UNTIL_GONE = [[while grep -q '^State:.S' "/proc/$VICTIM/status"; do sleep 0.01; done]]

-- Each is a line of shell that prints the secret, or changes something outside.
local ATTACKS = {
  ["reading a file"] = [[cat "$OUT/secret.txt"]],
  ["reading a file above"] = [[cat ../outside/secret.txt]],
  ["reading through a link that came with the workspace"] = [[cat link]],
  ["reading through a folder that is a link"] = [[cat linked/sub/secret.txt]],
  ["reading through a link of its own"] = [[ln -s "$OUT/secret.txt" mine && cat mine]],
  ["copying a file"] = [[cp "$OUT/secret.txt" mine && cat mine]],
  ["copying a folder"] = [[cp -r "$OUT/sub" mine && cat mine/secret.txt]],
  ["reading with an empty environment"] = [[env -i cat "$OUT/secret.txt"]],
  ["reading with a shell's own words"] = [[read -r line <"$OUT/secret.txt" && echo "$line"]],
  ["reading with dd"] = [[dd if="$OUT/secret.txt" 2>&1]],
  ["reading in another session"] = [[setsid -w cat "$OUT/secret.txt"]],
  ["a hard link to a file"] = [[ln "$OUT/secret.txt" mine && cat mine]],
  ["moving a file into the workspace"] = [[mv "$OUT/secret.txt" mine && cat mine]],
  ["moving a folder into the workspace"] = [[mv "$OUT/sub" mine && cat mine/secret.txt]],
  ["reading a key of the user"] = [[cat "$ANN/.ssh/id"]],
  ["reading through /proc/self/root"] = [[cat "/proc/self/root$OUT/secret.txt"]],
  ["reading through the engine's folder"] = [[cat "/proc/$PPID/cwd/../outside/secret.txt"]],
  ["reading through the engine's root"] = [[cat "/proc/$PPID/root$OUT/secret.txt"]],
  ["the engine's environment"] = [[tr '\0' '\n' <"/proc/$PPID/environ" | grep -q ^HF_TOKEN= && echo ]] .. SECRET,
  ["another program's environment"] = [[tr '\0' '\n' <"/proc/$VICTIM/environ" | grep -q HF_TOKEN= && echo ]] .. SECRET,
  ["the user's agent"] = [[test -n "$SSH_AUTH_SOCK" && echo ]] .. SECRET,
  ["the user's bus"] = [[test -n "$DBUS_SESSION_BUS_ADDRESS" && echo ]] .. SECRET,
  ["the user's tokens"] = [[test -n "$HF_TOKEN" && echo ]] .. SECRET,
  ["the user's settings"] = [[cat ~/.bashrc]],
  ["listing a folder"] = [[ls "$OUT" | grep -q secret && echo ]] .. SECRET,
  ["running a program"] = [["$OUT/evil"]],
  ["running a program by its interpreter"] = [[sh "$OUT/evil"]],
  ["writing a new file"] = [[touch "$OUT/REACHED"]],
  ["appending to a file"] = [[echo x >>"$OUT/secret.txt"]],
  ["writing through a link"] = [[echo x >link]],
  ["emptying a file"] = [[: >"$OUT/secret.txt"]],
  ["changing a file in place"] = [[sed -i s/secret/public/ "$OUT/secret.txt"]],
  ["copying over a file"] = [[cp found.lua "$OUT/secret.txt"]],
  ["moving over a file"] = [[echo x >mine && mv -f mine "$OUT/secret.txt"]],
  ["moving a folder out"] = [[mv sub "$OUT/new"]],
  ["a hard link out"] = [[ln found.lua "$OUT/REACHED"]],
  ["a link outside"] = [[ln -s / "$OUT/REACHED"]],
  ["a pipe outside"] = [[mkfifo "$OUT/REACHED"]],
  ["a folder outside"] = [[mkdir "$OUT/REACHED"]],
  ["removing a file"] = [[rm -f "$OUT/secret.txt"]],
  ["removing a folder"] = [[rm -rf "$OUT/sub"]],
  ["renaming a file in its folder"] = [[mv "$OUT/secret.txt" "$OUT/REACHED"]],
  ["exchanging a link while it is written"] = [[for i in 1 2 3 4 5 6 7 8 9; do
    ln -sfn found.lua turn; (echo x >>turn) & ln -sfn "$OUT/REACHED" turn; (echo x >>turn); wait; done]],
  ["writing into the user's home"] = [[echo x >>"$ANN/.bashrc" && touch "$OUT/REACHED" || touch "$ANN/REACHED"]],
  ["trusting itself"] = [[mkdir -p "$ANN/state/regengine" && echo '{"trust":"/"}' >"$ANN/state/regengine/trusted" && echo ]] .. SECRET,
  ["a temporary file where all can see it"] = [[f=/tmp/regengine-$$-x && echo x >$f && rm $f && echo ]] .. SECRET,
  ["a background program"] = [[(setsid sh -c 'touch "$OUT/REACHED"' &) ; sleep 0.3]],
  ["ending another program"] = { [[kill $VICTIM && ]] .. UNTIL_GONE, 6 },
  ["ending another program from another session"] = { [[setsid -w kill -HUP $VICTIM && ]] .. UNTIL_GONE, 6 },
  ["a program that runs as its owner"] = [[cp /bin/true mine && chmod u+s mine && test -u mine && echo ]] .. SECRET,
  ["installing one"] = [[install -m 4755 found.lua mine; test -u mine && echo ]] .. SECRET,
  ["unpacking one"] = [[cp found.lua mine && tar --mode=4755 -cf a.tar mine && rm mine && tar -xpf a.tar; test -u mine && echo ]] .. SECRET,
  ["opening and shortening a file"] = [[truncate -s 0 "$OUT/secret.txt"]],
}
if reg.process.run { shell = "command -v perl" }.ok then
  ATTACKS["shortening a file by its path"] = { [[perl -e 'truncate "$ENV{OUT}/secret.txt", 0']], 3 }
  ATTACKS["lengthening a file by its path"] = { [[perl -e 'truncate "$ENV{OUT}/secret.txt", 100']], 3 }
end
-- What root may do only where it has the capability, which it lacks in most containers.
local OF_ROOT = {
  ["reading passwords"] = [[cat /etc/shadow >/dev/null && echo ]] .. SECRET,
  ["making a device"] = [[mknod "$OUT/REACHED" c 1 3]],
  ["mounting a folder"] = [[unshare -m sh -c 'mount --bind "$OUT" sub && cat sub/secret.txt']],
  ["another root"] = [[chroot / cat "$OUT/secret.txt"]],
  ["loading code into the kernel"] = [[set -- $(grep ^CapEff /proc/self/status)
    [ $((0x$2 >> 16 & 1)) = 1 ] && echo ]] .. SECRET,
}

local function state_of_the_outside()
  return sh "find outside home -not -path '*/state*' | sort && find outside home -type f | sort | xargs cat"
end

-- Whether what `run` does gets at the secret, or changes something; and what it printed.
local function reaches(run, ...)
  sandboxed.fresh()
  local before = state_of_the_outside()
  local said = run(...)
  return said:find(SECRET, 1, true) ~= nil or state_of_the_outside() ~= before, said
end

local function attack(what, line, version, wanted)
  test(("%s, Landlock version %d"):format(what, version), function()
    local reached, said = reaches(sandboxed.line, line, version)
    test.equal(reached, wanted, said)
  end)
end

-- Attacks that must fail, one after another in one engine. If one of them succeeds, each runs alone.
local function held(lines, version)
  local parts = {}
  for _, line in pairs(lines) do
    parts[#parts + 1] = ("do local r = reg.process.run { shell = %q } print(r.stdout, r.stderr) end")
      :format("rm -rf mine turn a.tar\n" .. line)
  end
  local reached, said = reaches(sandboxed.script, table.concat(parts, "\n") .. " print 'came through'",
    "--allow process=sh", version)
  local all_failed = not reached and said:find("came through", 1, true)
  for what, line in pairs(lines) do
    if all_failed then test(what, function() end) else attack(what, line, version, false) end
  end
end

for _, version in ipairs(sandboxed.versions()) do
  local to_hold = {}
  for what, one in pairs(ATTACKS) do
    if version < (one[2] or LEAST) then attack(what, one[1] or one, version, true) else to_hold[what] = one[1] or one end
  end
  for what, line in pairs(AS_ROOT and version >= LEAST and OF_ROOT or {}) do to_hold[what] = line end
  held(to_hold, version)
end

-- What only looks like a permission of less.
local function refused(what, options, code, prepare)
  test(what, function()
    sandboxed.fresh()
    if prepare then sh("cd ws && " .. prepare) end
    local before = state_of_the_outside()
    local said = sandboxed.script(code, options)
    test.truthy(not said:find(SECRET, 1, true) and state_of_the_outside() == before, said)
  end)
end
local versions = sandboxed.versions()
if versions[#versions] >= LEAST then
  local cat = [[local r = reg.process.run { shell = "cat %s; echo x >%s" } print(r.stdout, r.stderr)]]
  local reach = cat:format("$OUT/secret.txt", "$OUT/made")
  refused("a program that is named like a variable", "--allow process=sh --allow 'process=FAST='", [[
    reg.process.run { shell = "mkdir bin && printf '#!/bin/sh\ncat $OUT/secret.txt' >bin/FAST= && chmod +x bin/FAST=" }
    print(pcall(reg.process.run, { cmd = { "bin/FAST=" } })) print(pcall(reg.process.run, { cmd = { "FAST=" } }))]])
  refused("a variable's value that becomes a right to read", "--allow process=sh",
    [[local r = reg.process.run { shell = "cat $OUT/secret.txt", env = { X_INJECTION64_PATH = "/" } } print(r.stdout, r.stderr)]])
  for _, files in ipairs { "'" .. reg.fs.absolute "ws" .. "/linked/*'", "linked/*",
    "'" .. reg.fs.absolute "ws" .. "/linked/secret.txt'" } do
    refused("a link among permitted files: " .. files, "--allow process=sh --allow files=" .. files, reach)
    refused("a link among declared files: " .. files, "--allow process=sh",
      ("reg.needs { files = %s }\n"):format(files:find "'" and files or "'" .. files .. "'") .. reach)
  end
  refused("hidden files of the home by a detour", "--allow process=sh --allow 'files=" .. reg.fs.absolute "ws" ..
    "/../home/*:ro'", [[local r = reg.process.run { shell = "cat $ANN/.ssh/id" } print(r.stdout, r.stderr)]])
  refused("what the user trusts", "--allow process=sh --allow 'files=" .. reg.fs.absolute "home/state" .. "/*'",
    [[reg.process.run { shell = "echo x >>$ANN/state/regengine/trusted; mkdir -p $ANN/state/regengine/new" }]],
    "mkdir -p ../home/state/regengine && touch ../home/state/regengine/trusted && chmod 600 ../home/state/regengine/trusted")
end

return test.finish()
