#!/bin/sh
# tests/scripts/test_complete_images.sh REGENGINE: the prompt completes the names of images on this machine,
# and a container engine that does not respond does not delay it.
. "$(dirname "$0")/lib.sh"

mkdir bin
cat >bin/podman <<'SH'
#!/bin/sh
echo "$*" >>asked
[ ! -e hang ] || { echo $$ >pid; exec sleep 600; }
printf 'quay.io/app:1\nquay.io/app:2\n<none>:<none>\nlocalhost/tool:latest\n'
SH
chmod +x bin/podman
export PATH="$folder/bin:$PATH"
export DOCKER_HOST=tcp://192.0.2.1:2375 # a daemon elsewhere is not asked: that would be the network
unset CONTAINER_HOST

"$source_root/tests/support/private_stdlib" library
cat >complete.lua <<'LUA'
local complete = reg.private "lib/prompt/complete"
for _, text in ipairs { "reg.container.run { image = '", "reg.container.pull 'quay.io/app:",
  "reg.container.exists('local" } do
  local part, names, suffix = complete(text)
  print(part .. ": " .. table.concat(names, " ") .. suffix)
end
LUA
expect 0 --stdlib library complete.lua
said ": localhost/tool:latest quay.io/app:1 quay.io/app:2'"
said "quay.io/app:: quay.io/app:1 quay.io/app:2'"
said "local: localhost/tool:latest'"
[ "$(cat asked)" = "images --format {{.Repository}}:{{.Tag}}" ] ||
  fail "asked more than once, or for more: $(cat asked)"
expect 0 --stdlib library --audit audit complete.lua
grep -q '"podman images' audit || fail "the question is not in the audit log"

touch hang
cat >patient.lua <<'LUA'
local complete = reg.private "lib/prompt/complete"
local function names() return table.concat(select(2, complete "reg.container.run { image = '"), " ") end
assert(names() == "", "the engine hangs, and there are names")
repeat assert(names() == "") until reg.fs.exists "pid"
LUA
expect 0 --stdlib library patient.lua
wait_until test -s pid
gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
wait_until gone

CONTAINER_HOST=ssh://elsewhere "$engine" --stdlib library complete.lua >out 2>err || fail "with a podman elsewhere"
said ": '"
echo "images: all as promised"
