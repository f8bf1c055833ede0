#!/bin/sh
# reg.trace.run with image=: the library and its folder are mounted, in docker and podman, also where the library cannot
# load.
. "$(dirname "$0")/lib.sh"
start_daemons
fakes=$REGENGINE_FAKES

# An image with this machine's C library and nothing of the engine's; one with no C library at all.
mkdir -p glibc/bin glibc/tmp none/bin
for file in $(ldd "$fakes/cuda_program" | grep -o '/[^ ]*') /lib/*-linux-gnu/libdl.so.2 \
    /lib/*-linux-gnu/libpthread.so.0; do
  mkdir -p "glibc$(dirname "$file")"
  cp -L "$file" "glibc$file"
done
busybox=$(command -v busybox) || skip "busybox is not installed"
cp "$busybox" glibc/bin/busybox
for name in sh sleep; do ln -s busybox glibc/bin/$name; done
cp "$busybox" none/bin/busybox
mkdir box
echo 'kernel gemm 1000 3000' >box/records

cat >traced.lua <<'LUA'
local opt = reg.options { "runtime", fakes = { "folder", type = "string", required = true } }
local function run(image, cmd, user)
  return reg.trace.run { image = image, runtime = opt.runtime, network = "none", pull = "never", cmd = cmd, user = user,
    mounts = { [opt.fakes] = "/fakes:ro", box = "/box" }, workdir = "/box",
    env = { REGENGINE_CUPTI = "/fakes/cupti.so", REGENGINE_FAKE_CUPTI = "/box/records" } }
end
local good = run("traced-glibc", { "/fakes/cuda_program", "init", "play", "say", "inside" })
print("glibc", good.code, good.stdout, good.trace.ok, good.trace.kernels and good.trace.kernels[1].name, good.trace.why)
local user = run("traced-glibc", { "/fakes/cuda_program", "init", "play" }, "12345")
print("user", user.code, user.trace.ok, user.trace.why)
local none = run("traced-none", { "/bin/busybox", "echo", "inside" })
print("none", none.code, none.stdout, none.trace.ok, none.trace.why)
local readable = run("traced-glibc", { "/bin/busybox", "sh", "-c", "echo x >> /opt/regengine/libregengine_inject.so" })
print("read-only", readable.code ~= 0)
LUA

# A suite keeps its container, and traces each experiment in it once more: two of them, so that one does not read the
# other's. The daemons' sockets are in this folder, which a container must not have.
mkdir work
cat >work/boxed.lua <<LUA
return { name = "boxed", workloads = { "small", "large" }, metric = "took {number}", network = "none", workdir = "/box",
  mounts = { ["$fakes"] = "/fakes:ro", ["$folder/box"] = "/box" },
  command = function(c)
    return { "/bin/busybox", "sh", "-c", "/fakes/cuda_program init play && echo took 1" }
  end,
  env = function(c) return { REGENGINE_CUPTI = "/fakes/cupti.so", REGENGINE_FAKE_CUPTI = "/box/" .. c.workload } end }
LUA
echo 'kernel a 1000 3000' >box/small
echo 'kernel b 1000 9000' >box/large
cat >work/profiled.lua <<'LUA'
local store <close> = reg.store.open "profiled/suite.db"
for _, row in ipairs(store:query [[SELECT trial, metric, value FROM results WHERE metric LIKE 'kernel_s%' ORDER BY metric]]) do
  print(string.format("%s %.0f ns", row.metric, row.value * 1e9))
end
for _, one in ipairs(store:trials {}) do
  if one.kind == "profile" then print(one.status, one.message, reg.trace.read(one.folder .. "/TRACE").ok) end
end
LUA

# A bisection keeps its container, too.
numbered repo 3 'echo "kernel a 1000 $((number < 3 ? 3000 : 9000))" >records'

runtimes_here
for runtime in $runtimes; do
  for image in glibc none; do tar -C $image -c . | $runtime import - traced-$image >/dev/null; done
  expect 0 traced.lua --runtime $runtime --fakes "$fakes"
  tr '\n' ' ' <out >line
  holds line 'glibc	0	inside 	true	gemm	nil' 'user	0	true	nil' 'read-only	true' \
    "none	0	inside 	false	no CUDA was initialized in the command, or the image's C library cannot load"
  cd work
  rm -rf profiled temporary
  mkdir temporary
  TMPDIR=$PWD/temporary expect 0 suite.lua --suite boxed.lua --image traced-glibc --runtime $runtime --pull never \
    --output-dirname profiled --profile
  [ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
  says 0 'kernel_s:a 2000 ns' profiled.lua
  said 'kernel_s:b 8000 ns' 'ok		true'
  cd ..
  rm -rf bisect.db*
  REGENGINE_LIBCUDA="$fakes/cuda.so" expect 0 bisect --repo repo --good c1 --bad c3 --image traced-glibc \
    --runtime $runtime --pull never --network none --mount "$fakes:/fakes:ro" --env REGENGINE_CUPTI=/fakes/cupti.so \
    --env REGENGINE_FAKE_CUPTI=records --test "/fakes/cuda_program init play" --metric @gpu_time --budget 12 \
    --store bisect.db
  said "GPU time 2.00 -> 8.00 us" "commit 3"
  for image in glibc none; do $runtime rmi -f traced-$image >/dev/null; done
done
[ -n "$runtimes" ] || skip "neither docker nor podman can be used here"
