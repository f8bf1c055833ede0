#!/bin/sh
# A folder that an untrusted script mounts is replaced by a link to a folder outside before the container is
# restarted, which looks the path up again without a check of the engine. Real docker and podman.
. "$(dirname "$0")/lib.sh"
start_daemons
"$engine" trust --forget "$folder"
mkdir "$folder/here" "$folder/outside" "$folder/here/sub"
echo "the secret" >"$folder/outside/secret"
cd "$folder/here"
echo "from the folder" >sub/own

foreign() {
  timeout 300 setsid -w "$engine" --allow process=sh \
    --allow "container=${image%:1}" found.lua >out 2>err </dev/null || fail "$(cat out err)"
  ! grep -q "the secret" out || fail "$runtime: the container got the folder outside: $(cat out)"
}

need_images
image=$REGENGINE_TEST_REGISTRY/regengine/busybox:1
for runtime in $runtimes; do
  $runtime pull -q "$image" >/dev/null

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
  foreign
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
  foreign
  ! grep -q reached out || fail "$runtime: a command ran in the restarted container: $(cat out)"
  rm sub; mv real sub
done
