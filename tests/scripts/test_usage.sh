#!/bin/sh
# --metric @cpu and @peak_memory, and usage = true, in containers of docker and podman: one for each run, and one that
# is kept; with an entrypoint and another user than root. How a command may end: test_usage_program.sh.
. "$(dirname "$0")/lib.sh"
start_daemons
busybox=$(command -v busybox) || skip "busybox is not installed"
loop='i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'

# What the image's user may write to is /tmp alone. SIZE is what a test needs.
mkdir -p root/bin root/tmp
chmod 1777 root/tmp
cp "$busybox" root/bin/busybox
for applet in sh dd sleep id true; do ln -s busybox root/bin/$applet; done
executable root/enter 'echo entered; exec "$@"'
import() { # NAME CHANGE...
  name=$1; shift
  tar -C root -c . | $runtime import "$@" - "usage-$name" >/dev/null 2>&1
}

cat >runs.lua <<'LUA'
local opt = reg.options { "runtime", loop = { "shell", type = "string", required = true } }
local function options(more)
  local o = { runtime = opt.runtime, image = "usage-plain", network = "none", pull = "never", usage = true }
  for name, value in pairs(more) do o[name] = value end
  return o
end
local function run(more) return reg.container.run(options(more)) end
local function shell(line) return { "sh", "-c", line } end
local function is(what, found) assert(found, what) end

-- The same loop takes about as long in a container as on the host.
local host = reg.process.run { cmd = { "busybox", "sh", "-c", opt.loop } }
local function as_on_host(what, inside)
  local ratio = (inside.user_s + inside.sys_s) / (host.user_s + host.sys_s)
  is(what .. ": CPU time, ratio " .. ratio, inside.ok and ratio > 0.3 and ratio < 3)
end
local function touch(megabytes)
  return { "dd", "if=/dev/zero", "of=/dev/null", "bs=" .. megabytes .. "M", "count=1" }
end
local function has_touched(what, inside, megabytes)
  local found = inside.peak_bytes / 2^20
  is(what .. ": MB " .. found, inside.ok and found >= megabytes and found < megabytes + 10)
end

as_on_host("one run", run { cmd = shell(opt.loop) })
as_on_host("as a user", run { cmd = shell(opt.loop), user = "12345" })
as_on_host("as process 1", run { cmd = shell(opt.loop), init = false })
has_touched("200", run { cmd = touch(200) }, 200)

-- How it ends and what it says is its own.
local failed = run { cmd = shell "echo out; echo err >&2; exit 3" }
is("code 3", failed.code == 3 and failed.stdout == "out\n" and failed.stderr == "err\n" and failed.peak_bytes > 0)
local out_of_time = run { cmd = { "sleep", "1000" }, timeout_s = 1 }
is("time-out", out_of_time.timed_out and out_of_time.wall_s < 500)
local orphans = run { cmd = shell "sh -c 'sleep 0.1 &'; sleep 0.3; exit 5", init = false }
is("orphans of process 1", orphans.code == 5 and orphans.peak_bytes > 0)

-- Never 0: false where nothing was written, nil where nothing was asked for.
local lost = run { cmd = shell "kill -KILL $PPID; sleep 0.1" }
is("killed with what measures it", lost.user_s == false and lost.sys_s == false and lost.peak_bytes == false)
local plain = run { cmd = { "true" }, usage = false }
is("not asked", plain.ok and plain.user_s == nil and plain.peak_bytes == nil)

-- The image's entrypoint and user are as without it.
local entered = run { image = "usage-entry", cmd = { "id", "-u" } }
is("entrypoint", entered.stdout == "entered\n1000\n" and entered.peak_bytes > 0)
local other = run { image = "usage-entry", cmd = { "-c", "echo mine" }, entrypoint = "sh" }
is("another entrypoint", other.stdout == "mine\n")
is("no entrypoint", run({ image = "usage-entry", cmd = { "id", "-u" }, entrypoint = "" }).stdout == "1000\n")

for _, image in ipairs { "usage-plain", "usage-entry" } do
  local box <close> = reg.container.start(options { image = image })
  as_on_host("kept", box:exec { cmd = shell(opt.loop), usage = true })
  has_touched("kept 60", box:exec { cmd = touch(60), usage = true }, 60)
  has_touched("kept 20", box:exec { cmd = touch(20), usage = true }, 20)
  is("kept, killed", box:exec({ cmd = shell "kill -KILL $PPID; sleep 0.1", usage = true }).peak_bytes == false)
  is("kept, not asked", box:exec({ cmd = { "true" } }).peak_bytes == nil)
  local late = box:exec { cmd = { "sleep", "1000" }, timeout_s = 1, usage = true }
  is("kept, time-out", late.timed_out and late.wall_s < 500)
  is("kept, after it", box:exec({ cmd = shell "exit 6", usage = true }).code == 6)
end
local box <close> = reg.container.start(options { usage = false })
local ok, why = pcall(box.exec, box, { cmd = { "true" }, usage = true })
is("started without", not ok and why.kind == "usage" and why.hint:find "usage = true to reg.container.start")
LUA

# ab mounts its folder, and one with the daemon's socket is refused.
mkdir work
ab() { # EXIT-CODE OPTIONS... A B
  code=$1; shift
  within work "$code" ab --runtime $runtime --network none --pull never --json "$@"
}

# What a night needs: 24 MB up to the 2nd, 64 MB from the 3rd on.
mkdir night
echo 'dd if=/dev/zero of=/dev/null bs=$SIZE count=1' >night/test.sh

runtimes_here
for runtime in $runtimes; do
  import plain
  import entry --change 'ENTRYPOINT ["/enter"]' --change 'USER 1000'
  expect 0 runs.lua --runtime $runtime --loop "$loop"
  [ "$(ls -A .regengine/usage | sed "s/-[0-9a-f]*$//")" = regengine-usage ] || fail "$runtime: left behind: $(ls -A .regengine/usage)"

  ab 0 --image usage-entry --metric @cpu --budget 8 --store $runtime-cpu.db "$loop" "$loop; $loop; $loop; $loop"
  answer "answer.regression and answer.b / answer.a > 2 and answer.b / answer.a < 8"
  said "CPU time"
  ab 1 --image usage-plain --metric @cpu --budget 2 --store $runtime-lost.db 'kill -KILL $PPID; sleep 0.1; true' true
  noted "killed by signal 9"

  for day in 01 02 03 04; do
    case $day in 01 | 02) size=24M ;; *) size=64M ;; esac
    import "night:2024-03-$day" --change 'ENTRYPOINT ["/enter"]' --change 'USER 1000' --change "ENV SIZE=$size"
  done
  expect 0 nightly --runtime $runtime --image 'usage-night:{date}' --from 2024-03-01 --to 2024-03-04 --network none \
    --pull never --test night/test.sh --metric @peak_memory --store $runtime-nights.db --every --json
  answer "#answer.changes == 1 and answer.changes[1].first_bad == '2024-03-03' and answer.changes[1].before > 24 * 2^20"
  "$engine" -e "for _, t in ipairs(reg.store.open('$runtime-nights.db'):trials {}) do
    assert(t.peak_bytes > 24 * 2^20 and t.user_s + t.sys_s > 0) end" || fail "$runtime: the costs of the trials"
  $runtime rmi -f usage-plain usage-entry usage-night:2024-03-01 usage-night:2024-03-02 usage-night:2024-03-03 \
    usage-night:2024-03-04 >/dev/null
done
[ -n "$runtimes" ] || skip "neither docker nor podman can be used here"

# A docker elsewhere does not see the folder, and says so before anything runs.
if [ -n "${REGENGINE_TEST_DOCKER:-}" ]; then
  runtime=docker
  import plain
  cat >elsewhere.lua <<'LUA'
reg.container.run { image = "usage-plain", cmd = { "true" }, usage = true, network = "none", runtime = "docker" }
LUA
  mkdir hidden
  unshare -m sh -c "mount -t tmpfs none hidden && cd hidden && exec '$engine' ../elsewhere.lua" 2>err &&
    fail "it is not there"
  complained "bind source path does not exist: $folder/hidden/.regengine/usage"
  noted "mount the folder there at the same path"
fi
