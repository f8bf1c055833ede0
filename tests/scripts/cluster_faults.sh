#!/bin/sh
# Faults of Slurm in mid-run: the answer stays right, each run of the test counts once, and no job is left behind.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/on_slurm.sh"
# What is left of a killed daemon, such as a node that is drained, would hinder the next one.
another() { stop_cluster; start_cluster; anew; }

# slurmctld is killed, and is back after a while. Jobs go on meanwhile, and new ones are submitted later.
pause=12
start_search
wait_until running 3
sleep 6 # slurmctld has saved the jobs
echo 1 >pause
kill_part slurmctld
wait_until grep -q "Slurm accepts no jobs now: Batch job submission failed: Unable to contact" err
sleep 15
restart_part slurmctld
ended 0
right

# A node dies with its jobs: they run on another one.
another
pause=3
start_search
wait_until running 3
node=$(squeue -h -t R -o %N | head -n 1)
kill_part "$node"
wait_until has_lines runs 4
ended 0
right
noted "Slurm: a job ended without a result (NODE_FAIL) on $node; submitting it again"

# A node is drained: what runs there ends, and the rest runs elsewhere. And a job is cancelled from outside.
another
start_search
wait_until running 1
node=$(squeue -h -t R -o %N | head -n 1)
scontrol update NodeName="$node" State=DRAIN Reason=test
wait_until has_lines runs 4
wait_until running 3
sleep 1 # into a run
scancel "$(squeue -h -r -t R -o %i | head -n 1)"
ended 0
right
[ "$(tail -n 6 runs | grep -c "$node")" = 0 ] || fail "it ran on $node, which is drained"
grep -Eq "Slurm: a job (was ended|ended without a result \(CANCELLED\)) on node.; submitting it again in 5 s" err ||
  fail "nothing says that a job was cancelled"
scontrol update NodeName="$node" State=RESUME

# A test that takes more memory than its job may is killed, run again, and skipped in the end.
anew
cat >eats.sh <<'SH'
[ $N != 5 ] || exec python3 -c "import time; eaten = b'x' * (600 << 20); time.sleep(30)"
exec sh test.sh
SH
pause=0.2
echo "$pause" >pause
expect 0 --quiet numbers.lua --of 12 --runtime slurm --slurm=--mem=200 --test "sh eats.sh" --metric "speed: {number}" \
  --min-effect 15% --json
answer "answer.changes[1].first_bad == '8' and #answer.changes == 1 and answer.skipped == 1"
said "skipped 5 (could not be tested): no result from Slurm after 5 tries"
grep -q "exceeded memory limit" "$cluster"/node?.log || fail "Slurm killed nothing for its memory"

# Jobs that run past their time limit are not run again, and say so.
anew
pause=300
exits 3 on_slurm --time 1m
said "no result from Slurm after 1 try: ran past its time limit on node"
counted 0

# Others preempt three of ten jobs, and more.
anew
pause=4
start_search --partition low --orphan-after 1h
others=0
while kill -0 "$pid" 2>/dev/null; do
  [ $others -ge 6 ] || sbatch -p high --exclusive --array=1-4 -o /dev/null --wrap "sleep 1" >>others
  others=$((others + 1))
  sleep 3
done
ended 0
answer "answer.changes[1].first_bad == '8' and #answer.changes == 1 and answer.skipped == 0"
preempted=$(grep -c PREEMPTED "$cluster/jobcomp.txt") || fail "nothing was preempted"
# A job may be preempted when its test has ended and its result is not there yet.
again=$(($(lines_in runs) - $(ask_store 'SELECT count(*) AS n FROM trials WHERE status = "ok"')))
[ $again -ge 0 ] && [ $again -le "$preempted" ] || fail "$again runs of the test are no trials, of $preempted preempted jobs"
[ "$preempted" -ge 3 ] || fail "only $preempted jobs were preempted"
echo "$preempted jobs were preempted; nothing lost"
