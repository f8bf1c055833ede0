#!/bin/sh
# tests/scripts/test_gpu_lease.sh REGENGINE: trials at the same time have GPUs of their own, also beside another engine and
# another user; with the fake driver (tests/support/fakes/nvml), on the host and with a script in place of docker.
. "$(dirname "$0")/lib.sh"
fake_gpus
export REGENGINE_SYSFS="$folder/machine"

# GPUs of UUIDs that no other test has, each near a CPU.
gpus() { # COUNT [LINE...]
  { echo "gpus=$1"; for i in 0 1 2 3; do echo "gpu$i.uuid=$made-$i"; done; } >new
  shift
  for line; do echo "$line" >>new; done
  mv new nvml
}
for i in 1 2 3 4; do
  mkdir -p "machine/sys/bus/pci/devices/0000:0$i:00.0"
  echo 0 >"machine/sys/bus/pci/devices/0000:0$i:00.0/local_cpulist"
done
for day in 1 2 3 4 5 6; do mkdir -p images/2024-03-0$day; done
cat >test.sh <<'SH'
echo "start $CUDA_VISIBLE_DEVICES $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)" >>../log
[ -z "${HOLD:-}" ] || { touch ../held; while [ -e ../hold ]; do sleep 0.05; done; }
sleep 0.2
echo "end $CUDA_VISIBLE_DEVICES" >>../log
echo "MLUPS: 100"
SH
given nightly 'nightly --runtime local --image "$folder/images/{date}" --from 2024-03-01 --to 2024-03-06 \
  --test test.sh --metric "MLUPS: {number}" --every --json' 'rm -f images/log'
# Fails if two tests had one GPU at the same time, or if a test had another number of GPUs.
never_shared() { # GPUS-OF-EACH
  awk -v each="$1" '{
    n = split($2, gpus, ",")
    if (n != each) exit 1
    for (i = 1; i <= n; ++i) { if ($1 == "start" && used[gpus[i]]++) exit 1; if ($1 == "end") --used[gpus[i]] }
  }' images/log || { cat images/log; fail "GPUs were shared, or not $1 of them"; }
}

# --- One GPU a trial, with the CPU near it; or two.
gpus 4
nightly 0 --parallel 3 --gpus all
never_shared 1
[ "$(cut -d' ' -f2 images/log | sort -u | wc -l)" -ge 3 ] || fail "three trials at a time did not use three GPUs"
grep -q "^start $made-[0-9] 0\$" images/log || { cat images/log; fail "the tests did not run on the CPU near their GPU"; }
rm -r .regengine/results.db*
nightly 0 --parallel 2 --gpus all --gpus-per-trial 2
never_shared 2
[ "$("$engine" -e 'print(#reg.store.open(".regengine/results.db"):trials()[1].info.leased)')" = 2 ] || fail "no record of the GPUs"

# --- Which GPU it was makes no difference, and how many do.
rm -r .regengine/results.db*
answers nightly 0 "answer.runs > 0" --parallel 2 --gpus 0,1
answers nightly 0 "answer.runs == 0" --parallel 2 --gpus "$made-2,$made-3"
answers nightly 0 "answer.runs == 0" --gpus 3 --gpus-per-trial 1
answers nightly 0 "answer.runs > 0" --gpus all --gpus-per-trial 2
never_shared 2
answers nightly 0 "answer.runs > 0" --gpus all

# --- Another model does, too. (Another driver: test_identity.sh.)
gpus 4 gpu2.name=Other gpu3.name=Other
answers nightly 0 "answer.runs == 0" --parallel 2 --gpus 0,1
answers nightly 0 "answer.runs > 0" --parallel 2 --gpus 2,3
gpus 4

# --- Instances of a GPU (MIG) are shared out like GPUs, by index or UUID.
mig=MIG-${made#GPU-}
gpus 1 gpu0.mig=1 "gpu0.instances=$mig-a $mig-b"
rm -r .regengine/results.db*
nightly 0 --parallel 2 --gpus 0:0,0:1
never_shared 1
[ "$(cut -d' ' -f2 images/log | sort -u | tr '\n' ' ')" = "$mig-a $mig-b " ] || { cat images/log; fail "not both instances"; }
answers nightly 0 "answer.runs == 0" --parallel 2 --gpus "$mig-a,$mig-b"
answers nightly 0 "answer.runs == 0" --parallel 2 --gpus all
gpus 4

# --- What can never be is refused before anything runs.
refused() { # MESSAGE HINT OPTIONS...
  message=$1 hint=$2; shift 2
  tells nightly 2 "$message" "$@"
  noted "$hint"
  [ ! -e images/log ] || fail "something ran"
}
refused "--parallel 5 needs 5 GPUs, and --gpus all has 4" "Pass --parallel 4." --parallel 5 --gpus all
refused "--parallel 2 needs 2 GPUs, and --gpus 1 has 1" "Leave out --parallel" --parallel 2 --gpus 1
refused "--parallel 3 --gpus-per-trial 2 needs 6 GPUs, and --gpus all has 4" "Pass --parallel 2." \
  --parallel 3 --gpus all --gpus-per-trial 2
refused "--gpus-per-trial 3 needs 3 GPUs, and --gpus 0,1 has 2" "Pass --gpus-per-trial 2." --gpus 0,1 --gpus-per-trial 3
refused "--gpus 0,7: no such GPU: 7" "Choose from 0 to 3." --gpus 0,7
refused "--gpus-per-trial needs --gpus" "--help" --gpus-per-trial 1
refused "--env CUDA_VISIBLE_DEVICES: each trial gets GPUs of its own" "Leave it out" --gpus all --parallel 2 \
  --env CUDA_VISIBLE_DEVICES=0
gpus 4 gpu3.name=Other
refused "--gpus all: GPUs of different models: 0,1,2 Fake GPU; 3 Other" "Pass GPUs of one model, such as --gpus 0,1,2." \
  --parallel 2 --gpus all
gpus 4 rc.nvmlInit_v2=9
refused "cannot share out the GPUs of --gpus all: " "modprobe nvidia" --parallel 2 --gpus all
gpus 4

# --- Two engines, whose stores are different, and the first is killed: the second says who has the GPU, and then has it.
hold() { # OPTIONS...: $pid holds GPUs
  touch images/hold
  rm -f images/held
  HOLD=1 "$engine" nightly --runtime local --image "$folder/images/{date}" --from 2024-03-01 --to 2024-03-02 \
    --test test.sh --metric 'MLUPS: {number}' --store other.db "$@" >/dev/null 2>other.err &
  pid=$!
  wait_until [ -e images/held ]
}
hold --gpus 0,1
nightly 0 --parallel 2 --gpus 2,3 --store free.db  # the others are free
"$engine" nightly --runtime local --image "$folder/images/{date}" --from 2024-03-01 --to 2024-03-06 --test test.sh \
  --metric 'MLUPS: {number}' --every --gpus 0,1 --parallel 2 --store waits.db >out2 2>err2 &
waits=$!
wait_until grep -q "^waiting for a free GPU of 0, 1: regengine, pid $pid of user $(id -un), uses GPU 0, 1\$" err2
kill -9 "$pid"
wait $waits || { cat err2; fail "the GPUs of a killed engine are not free"; }
[ "$(grep -c "^waiting" err2)" = 1 ] || { cat err2; fail "not one line for the wait"; }
pid=

# --- Another user meets the same lock files, and a link or a folder in their place is refused.
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
  chmod a+rx "$folder"
  cat >as_nobody <<SH
cd /
export HOME=/nonexistent XDG_STATE_HOME= REGENGINE_NVML=$REGENGINE_NVML REGENGINE_FAKE_NVML=$REGENGINE_FAKE_NVML
exec $engine -e 'local lease <close> = reg.gpu.lease { gpus = 0, timeout_s = 0 } print(lease.gpus[1].uuid)'
SH
  if setpriv --reuid=nobody --clear-groups sh -c "test -x $engine && test -r $REGENGINE_NVML" 2>/dev/null; then
    other_user() { setpriv --reuid=nobody --clear-groups sh as_nobody >out 2>err; }
    hold --gpus 0
    ! other_user || fail "another user leased a GPU that is in use"
    noted "cannot lease GPU 0: regengine, pid $pid of user root, uses GPU 0"
    rm images/hold
    wait "$pid" || true
    pid=
    other_user || fail "another user cannot lease a free GPU"
    forget_gpus "${made#GPU-}"
    other_user || fail "another user cannot make the lock files"
    expect 0 -e 'reg.gpu.lease { gpus = 0, timeout_s = 0 }'
  fi
fi
lock=$(ls /run/lock/regengine-"$made"-0-lease.lock /tmp/regengine-"$made"-0-lease.lock 2>/dev/null || true)
echo precious >mine
for link in "ln -s" ln; do
  rm "$lock"
  $link "$folder/mine" "$lock" 2>/dev/null || continue # on another file system
  says 1 "not a plain file: $lock" -e 'reg.gpu.lease { gpus = 0, timeout_s = 0 }'
done
rm -f "$lock"
[ "$(cat mine)" = precious ] || fail "it wrote where a link led"
mkdir "$lock"
says 1 "no access to $lock" -e 'reg.gpu.lease { gpus = 0, timeout_s = 0 }'
rmdir "$lock"

# --- A suite, one process at a time: on a GPU that is free.
cat >suite.lua <<'LUA'
return { name = "one", workloads = { "a" }, command = function() return 'echo "$CUDA_VISIBLE_DEVICES" >>visible' end }
LUA
suite() { expect 0 suite --suite suite.lua --repeat 2 --warmup 0 --gpus-per-trial 1 "$@"; }
suite --gpus 1,2
said "2 processes were run"
suite --gpus 3
said "0 processes were run"
[ "$(sort -u visible)" = "$made-1" ] || { cat visible; fail "the suite's GPU"; }

# --- The containers of a strategy: one of its own for each trial, or one that is kept.
fake_docker <<'SH'
  inspect) echo "{\"Running\":$([ -e kept ] && echo true || echo false),\"ExitCode\":0,\"StartedAt\":\"2024-03-01T00:00:00Z\",\"Pid\":1}" ;;
  exec) echo "MLUPS: 100" ;;
  run)
    case "$*" in *--detach*) echo container; exit ;; esac
    sleep 0.2
    echo "MLUPS: 100" ;;
SH
expect 0 nightly --runtime docker --image 'localhost/app:{date}' --from 2024-03-01 --to 2024-03-04 --test test.sh \
  --metric 'MLUPS: {number}' --every --parallel 2 --gpus all --store docker.db
[ "$(grep -c "^run .*--cpuset-cpus 0 .*--gpus \"device=$made-[01]\"" calls)" = "$(grep -c '^run ' calls)" ] ||
  { cat calls; fail "the containers have other GPUs"; }
grep '^run ' calls | grep -o 'device=[^"]*' | sort -u | wc -l | grep -qx 2 || fail "two containers at a time, one GPU"
numbered repo 2
touch kept
given kept 'bisect --repo repo --good c1 --bad c2 --runtime docker --image localhost/app:1 --test ./bench \
  --metric "MLUPS: {number}" --store docker.db --json --gpus-per-trial 1' 'rm -f calls'
answers kept 0 "answer.runs > 0" --gpus all
grep -q "^run --detach .*--cpuset-cpus 0 .*--gpus \"device=$made-0\"" calls || { cat calls; fail "the kept container"; }
answers kept 0 "answer.runs == 0" --gpus 3
grep -q "^run --detach .*--gpus \"device=$made-3\"" calls || { cat calls; fail "the kept container"; }

# --- A suite's records name the GPU that its processes had, and its driver.
printf '%s\n' gpus=3 driver=580.65.06 "gpu0.name=Quadro T400" "gpu1.name=NVIDIA H100" "gpu2.name=NVIDIA H100" >nvml
echo 'return { name = "one", workloads = { "a" }, command = "true" }' >one.lua
ran=0
record() { # TEXT OPTIONS...: what the record has of the accelerator
  text=$1; shift
  ran=$((ran + 1))
  expect 0 suite --suite one.lua --output-dirname records$ran --repeat 1 --warmup 0 "$@"
  "$engine" -e 'local r = reg.json.decode(reg.fs.read("'records$ran'/results.jsonl"))
    print(r.experiment.accelerator .. " " .. r.experiment.accelerator_model .. " " .. tostring(r.driver))' >out
  said "$text"
}
record 'cuda Quadro T400, NVIDIA H100 580.65.06'
record 'cuda NVIDIA H100 580.65.06' --gpus 1
record 'cuda NVIDIA H100 580.65.06' --gpus 1,2
export CUDA_VISIBLE_DEVICES=2,0
record 'cuda NVIDIA H100, Quadro T400 580.65.06'
record 'cuda NVIDIA H100 580.65.06' --gpus 1
# Without any, it is the processor's.
CUDA_VISIBLE_DEVICES=
record 'cpu '
grep -q 'nil$' out || fail "a driver of no GPU"
