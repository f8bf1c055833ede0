#!/bin/sh
# tests/bench/bench_gpu.sh REGENGINE: lock -> kill -9 -> reset against the fake driver, and what a lock costs there. The
# times are the engine's and its guardian's alone: a real driver adds its own.
set -eu
. "$(dirname "$0")/common.sh"
export XDG_STATE_HOME="$folder/state" REGENGINE_NVML="$(dirname "$engine")/fakes/nvml.so" REGENGINE_FAKE_NVML="$folder/nvml"
uuid=GPU-$(cat /proc/sys/kernel/random/uuid)
trap 'rm -rf "$folder" /run/lock/regengine-"$uuid".lock /tmp/regengine-"$uuid".lock' EXIT
echo "gpu0.uuid=$uuid" >nvml
cat >hold.lua <<'END'
local clocks <close> = reg.gpu.lock { sm = "80%", required = true }
reg.fs.write("ready", "")
reg.sleep(1000)
END

: >killed.times
round=0
while [ $round -le 20 ]; do
  rm -f nvml.log ready
  setsid "$engine" --quiet hold.lua >/dev/null 2>&1 &
  until [ -e ready ]; do sleep 0.005; done
  killed=$(date +%s%N)
  kill -9 -$!
  until grep -q Reset nvml.log; do sleep 0.005; done
  [ $round -eq 0 ] || awk -v killed="$killed" '/Reset/ { print ($1 - killed) / 1000 }' nvml.log >>killed.times
  wait $! 2>/dev/null || true
  round=$((round + 1))
done
number "gpu lock: kill -9 -> reset (fake driver)" ms "$(median <killed.times) / 1000" \
  "worst $(($(sort -n killed.times | tail -n 1 | cut -d . -f 1) / 1000)) ms   goal <= 100 ms"

cat >cost.lua <<'END'
for _ = 1, 20 do
  local clocks <close> = reg.gpu.lock { sm = "80%", required = true }
end
END
number "gpu lock: lock and restore, with its guardian" ms "$(milliseconds "$engine" --quiet cost.lua) / 1000 / 20"

# The watch of a trial: processor time for each GPU and second, above that of an engine that only waits. The fake reads a
# file at each call, so that a real driver may take less or more.
cat >watch.lua <<'END'
reg.gpu.list()
local monitor <close> = WATCH and reg.gpu.monitor { device = "all", period_s = 0.2 } or nil
reg.sleep(10)
END
printf '%s\n' "gpu0.uuid=$uuid" gpus=8 >nvml
cpu_ms() { # WATCH: of one engine in milliseconds
  { echo "local WATCH = $1"; cat watch.lua; } >one.lua
  sh -c '"$0" --quiet one.lua; times' "$engine" | awk 'NR == 2 { for (i = 1; i <= 2; ++i) { split($i, t, "m"); s += t[1] * 60 + t[2] } print s * 1000 }'
}
number "gpu watch: CPU time for each GPU and second (fake driver)" ms "($(cpu_ms true) - $(cpu_ms false)) / 80"
