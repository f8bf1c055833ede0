#!/bin/sh
# What an untrusted script gets from real docker and podman: the permitted image, this folder, nothing of the host.
. "$(dirname "$0")/lib.sh"
start_daemons
"$engine" trust --forget "$folder"  # here the scripts are from elsewhere
mkdir "$folder/here" "$folder/outside" "$folder/here/sub"
echo "the secret" >"$folder/outside/secret"
cd "$folder/here"
ln -s ../outside link

# EXIT-CODE OPTIONS...: runs ./found.lua as somebody else's.
foreign() { code=$1; shift; alone "$code" "$@" found.lua; }

# The same, which never gets the folder outside.
swapped() {
  foreign 0 --allow process=sh --allow "container=$bare"
  not_said "the secret"
}

# LUA-OPTIONS SHELL-LINE: found.lua runs that line in a container.
script() {
  cat >found.lua <<LUA
local run = reg.container.run { runtime = "$runtime", image = "$image", $1, cmd = { "sh", "-c", [[$2]] } }
print(run.stdout .. run.stderr)
return run.code
LUA
}

need_images
image=$REGENGINE_TEST_REGISTRY/regengine/busybox:1
bare=${image%:1}
for runtime in $runtimes; do
  echo "in $runtime:"

  # Not permitted: nothing is fetched.
  $runtime rmi -f "$image" >/dev/null 2>&1 || true
  script 'network = "none"' 'echo reached'
  foreign 1 && grep -qF "not permitted: container=$image" err || fail "no refusal"
  ! $runtime image inspect "$image" >/dev/null 2>&1 || fail "the image was fetched"

  # Permitted by its name without the tag: fetched and run, in its own namespaces, without the rights of --privileged.
  foreign 0 --allow "container=$bare" && grep -q reached out || fail "not reached"
  script 'network = "none"' \
    'sed -n "s/^CapEff://p" /proc/self/status; ls /run /var/run 2>/dev/null; ls /dev/sd* /dev/kmsg 2>/dev/null; true'
  foreign 0 --allow "container=$bare"
  capabilities=$(grep -o '[0-9a-f]\{16\}' out)
  [ $((0x$capabilities >> 21 & 1)) = 0 ] || fail "it may administrate the system"
  ! grep -q 'sock\|/dev/sd\|kmsg' out || fail "it has devices or sockets of the host"

  # This folder is part of it.
  script 'network = "none", mounts = { sub = "/x" }' 'echo inside >/x/made'
  foreign 0 --allow "container=$bare" && [ "$(cat sub/made)" = inside ] || fail "a mount of this folder"

  # Outside for reading: it is read, and a mount that could write is refused.
  script "network = \"none\", mounts = { link = \"/x:ro\" }" 'cat /x/secret; echo worse >/x/secret'
  foreign 1 --allow "container=$bare" --allow "files=$folder/outside:ro" && grep -q 'the secret' out || fail "not read"
  script "network = \"none\", mounts = { link = \"/x\" }" 'echo worse >/x/secret'
  foreign 1 --allow "container=$bare" --allow "files=$folder/outside:ro"
  [ "$(cat "$folder/outside/secret")" = "the secret" ] || fail "it wrote outside"
  foreign 0 --allow "container=$bare" --allow "files=$folder/outside"
  [ "$(cat "$folder/outside/secret")" = worse ] || fail "permitted, but not done"
  echo "the secret" >"$folder/outside/secret"

  # The host's network, where that is permitted; another container's never. What else is refused:
  # lua/test_attacks_permissions.lua.
  script 'network = "host"' 'echo reached'
  foreign 0 --allow 'container=*' --allow container=network=host && grep -q reached out || fail "permitted, but not done"
  script 'network = "container:other"' 'echo reached'
  foreign 1 --trust && grep -q "refused the network" err || fail "another container's network"

  # The engine's own socket under any name, trusted or not.
  if [ "$runtime" = docker ]; then
    socket=${DOCKER_HOST#unix://}
    ln -s "$socket" innocent
    ln "$socket" hard 2>/dev/null || cp -a "$socket" hard 2>/dev/null || true
    for path in "$socket" innocent hard "$(dirname "$socket")"; do
      [ -e "$path" ] || continue
      script "network = \"none\", mounts = { [\"$path\"] = \"/x\" }" 'echo reached'
      foreign 1 --trust && grep -q "refused to mount" err || fail "$path was mounted"
    done
    rm -f innocent hard
  fi

  # A kept container: permitted once, and its commands are held to the same.
  cat >found.lua <<LUA
local box <close> = reg.container.start { runtime = "$runtime", image = "$image", network = "none" }
print(box:exec { cmd = { "echo", "reached" } }.stdout)
print(pcall(box.exec, box, { cmd = { "true" }, workdir = "--privileged" }))
print(pcall(box.exec, box, { cmd = { "echo", "x" }, out = "../outside/new" }))
LUA
  foreign 0 --allow "container=$bare" && grep -q reached out || fail "a kept container"
  grep -q "begins with '-'" out && grep -q "not permitted: files=" out || fail "an exec got through"
  [ ! -e ../outside/new ] || fail "output went outside"

  # All of it from the sandbox of the script: what a command used, its output in a file, a restart, and looking.
  cat >found.lua <<LUA
local box <close> = reg.container.start { runtime = "$runtime", image = "$image", network = "none", usage = true }
local run = box:exec { cmd = { "sh", "-c", "echo filed; echo kept >/kept" }, out = "filed", usage = true }
assert(run.peak_bytes > 0, "not measured")
box:restart()
print(box:exec { cmd = { "cat", "/kept" } }.stdout, reg.fs.read "filed")
assert(reg.container.exists("$image", { runtime = "$runtime" }))
assert(reg.container.inspect("$image", { runtime = "$runtime" }).id ~= "")
local once = { runtime = "$runtime", image = "$image", network = "none", cmd = { "true" }, usage = true }
assert(reg.container.run(once).peak_bytes > 0, "not measured")
print(pcall(reg.container.run, { runtime = "$runtime", image = "$bare:none", cmd = { "true" } }))
LUA
  foreign 0 --allow "container=$bare" --allow files=filed
  grep -q "^kept" out && grep -q filed out && grep -q "none" out || fail "from the sandbox: $(cat out err)"
  echo "reg.container.start { runtime = '$runtime', image = '$image' }" >found.lua
  foreign 0 --dry-run --audit ../audit found.lua
  grep -q "recorded.*$runtime run --detach" ../audit || fail "the dry run does not record what it would start"

  # The script's process is killed: its container goes.
  cat >found.lua <<LUA
local box = reg.container.start { runtime = "$runtime", image = "$image", network = "none" }
reg.fs.write("name", box.name)
box:exec { cmd = { "sleep", "1000" } }
LUA
  rm -f name
  launch --allow "container=$bare" --allow files=name found.lua
  wait_until there name
  $runtime inspect "$(cat name)" >/dev/null || fail "the container to remove is missing"
  kill -9 "$(pgrep -P "$pid" -f -- --boxed)"
  wait "$pid" || true
  ! $runtime inspect "$(cat name)" >/dev/null 2>&1 || fail "the container is left"

  # The process outside, which started it, is killed: the guardian removes it.
  rm -f name
  launch --allow "container=$bare" --allow files=name found.lua
  kill_when there name
  gone() { ! $runtime inspect "$(cat name)" >/dev/null 2>&1; }
  wait_until gone
  no_journal() { [ -z "$(find "$XDG_STATE_HOME" -name '*.journal')" ]; }
  wait_until no_journal

  # A folder that is mounted is replaced by a link to one outside before the container is restarted, which looks the path
  # up again without a check of the engine.
  echo "from the folder" >sub/own
  # Without a racer the mount is what it was: of a folder and of a file, once and kept, for another user, restarted.
  cat >found.lua <<LUA
local spec = { runtime = "$runtime", image = "$image", network = "none", mounts = { sub = "/x", ["sub/own"] = "/f:ro" } }
local box <close> = reg.container.start(spec)
box:restart()
print(box:exec({ cmd = { "cat", "/x/own", "/f" }, usage = false }).stdout)
spec.cmd, spec.user, spec.usage, spec.workdir = { "sh", "-c", "cat own /f; exit 7" }, "1000", true, "/x"
local run = reg.container.run(spec)
print(run.stdout, run.code)
LUA
  swapped
  [ "$(grep -c "from the folder" out)" = 4 ] && grep -q "7$" out || fail "the mounts: $(cat out err)"

  # A kept container is restarted, which looks its mounts up again.
  cat >found.lua <<LUA
local box <close> = reg.container.start { runtime = "$runtime", image = "$image", network = "none",
  mounts = { sub = "/x" } }
reg.process.run { shell = "mv sub real; ln -s ../outside sub" }
print(pcall(box.restart, box))
local _, run = pcall(box.exec, box, { cmd = { "sh", "-c", "cat /x/secret; echo reached" } })
print(type(run) == "table" and run.stdout or run)
LUA
  swapped
  ! grep -q reached out || fail "$runtime: a command ran in the restarted container: $(cat out)"
  rm sub; mv real sub
done
