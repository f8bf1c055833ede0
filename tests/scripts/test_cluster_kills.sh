#!/bin/sh
# The engine of a search on Slurm is killed, stopped, or finds its folder full: no run of the test is lost or counted twice,
# and no job is left behind. REGENGINE_TEST_KILLS (10) says how often it is killed, REGENGINE_TEST_SEED at which moments.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/on_slurm.sh"
kills=${REGENGINE_TEST_KILLS:-10} seed=${REGENGINE_TEST_SEED:-$$}

# kill -9 at random moments; a search that ends before all kills is begun anew.
pause=0.5
killed=0 searches=0
while [ $killed -lt "$kills" ]; do
  anew
  searches=$((searches + 1))
  while start_search; do
    sleep "$(awk -v seed=$((seed + killed)) 'BEGIN { srand(seed); print 0.1 + 3.9 * rand() }')"
    kill -9 "$pid" 2>/dev/null || break
    wait "$pid" 2>/dev/null || true
    killed=$((killed + 1))
    [ $killed -lt "$kills" ] || start_search
    [ $killed -lt "$kills" ] || break
  done
  ended 0
  right
done
echo "$killed kills in $searches searches, seed $seed: nothing lost"

# What is cancelled while no engine waits for it is run again.
anew
pause=8
start_search
wait_until running 4
sleep 1 # into the runs
kill_when true
scancel $(squeue -h -o %i)
wait_until eval '! queued'
pause=0.2
start_search
ended 0
right

# An engine that is stopped by a signal leaves its jobs, and the same command takes them over.
anew
pause=4
start_search
wait_until running 4
interrupt_when has_lines runs 0
noted "4 jobs on Slurm: not cancelled. The same command takes over; without one, jobs end after 2 h"
running 4 || fail "the jobs were cancelled"
start_search
ended 0
right

# At a terminal it asks.
terminal() { # ANSWER
  echo 8 >pause
  TERM=xterm python3 -B "$source_root/tests/scripts/asked.py" "$engine" "$1" numbers.lua --of 12 --runtime slurm \
    --test "sh test.sh" --metric "speed: {number}" >out 2>&1 &
  pid=$!
  wait_until running 4
  sleep 1.5
  pkill -INT -P "$pid"
  ended 130
  said "Cancel 4 jobs on Slurm? [y/N]"
}
anew
terminal n
said "4 jobs on Slurm: not cancelled"
running 4 || fail "the jobs were cancelled"
terminal y
wait_until eval '! queued'
[ -z "$(find "$jobs/jobs" "$jobs/results" "$jobs/rounds" -mindepth 1)" ] || fail "files of cancelled jobs are left"

# A script that fails cancels its jobs.
cat >fails.lua <<'LUA'
local opt = reg.options { "cluster", runtime = { "Slurm", type = "string", choices = { "slurm" } } }
return reg.answer(reg.sweep({ "a", "b", "c" }, { into = opt.store, every = true, measure = function(subject, trial)
  trial:run { shell = "sleep " .. (subject == "a" and 1 or 300) }
  error { kind = "usage", message = "the script is wrong" }
end }))
LUA
says 2 "the script is wrong" --quiet fails.lua --runtime slurm --parallel 3
wait_until eval '! queued'

# A second engine on the same store is told who holds it, and leaves its jobs alone.
anew
pause=1
start_search
wait_until running 1
on_slurm >out2 2>err2 && fail "two engines shared a store"
grep -q "results.db is in use by pid $pid on " err2 || fail "the second engine does not say who holds the store"
ended 0
right

# The folder is full for a while, or can only be read: what runs meanwhile is run again.
hinder() { cat /dev/zero >.regengine/filler 2>/dev/null || true; }
help() { rm .regengine/filler; }
anew
umask 022
mkdir -p .regengine
if mount -t tmpfs -o size=40m tmpfs .regengine 2>/dev/null; then
  stop_with_folder() { umount -l "$folder/.regengine"; stop_cluster; }
  at_end=stop_with_folder
  for fault in "No space left on device" "[Rr]ead-\?only"; do
    rm -rf .regengine/* runs
    pause=2
    start_search
    wait_until has_lines runs 3
    wait_until running 1
    hinder
    # The engine itself may be the first to find it: then it ends, and the same command goes on.
    wait_until grep -q "submitting it again in 5 s\|$fault" err
    help
    if grep -q "$fault" err; then
      noted "Finished work is kept"
      wait "$pid" || true
      start_search
    fi
    ended 0
    answer "answer.changes[1].first_bad == '8' and #answer.changes == 1 and answer.skipped == 0"
    counted "$(lines_in runs)"
    # Busy while a job that began on the new mount writes.
    hinder() { mount --bind .regengine .regengine && wait_until mount -o remount,bind,ro .regengine; }
    help() { umount .regengine; }
  done
  umount .regengine
  at_end=stop_cluster
else
  echo "no small disk can be made here (needs root)"
fi

# Nobody comes back: the jobs end themselves.
anew
pause=100
start_search --orphan-after 5s
kill_when running 4
sleep 5
wait_until eval '! running 1'
[ ! -e runs ] || fail "an orphan went on to its end"
