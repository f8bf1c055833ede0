#!/bin/bash
# tests/bench/bench_cluster.sh REGENGINE: trials on Slurm beside srun, beside sbatch and a wait for a file, and on four
# nodes beside one. Slurm starts a job of sbatch up to a second later, at the next turn of its scheduler: what the engine
# adds is the time between Slurm's own lines for the end of a job and for the next one, and between its start and its end.
set -eu
source_root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/common.sh"
[ "${REGENGINE_TEST_SLURM:-}" = 1 ] || { echo "SKIPPED: no Slurm here; run: tests/support/cluster run $0 $1"; exit 0; }
trap '"$source_root/tests/support/cluster" stop "$folder/cluster" 2>/dev/null; rm -rf "$folder"' EXIT
eval "$("$source_root/tests/support/cluster" start "$folder/cluster" 2>/dev/null)"

cat >trials.lua <<'LUA'
local opt = reg.options { "cluster", "timeout", runtime = { "Slurm", type = "string", choices = { "slurm" } },
  test = { "command", type = "command", required = true }, runs = { "subjects", type = "integer", default = 20 } }
local subjects = {}
for i = 1, opt.runs do subjects[i] = "s" .. i end
reg.sweep(subjects, { into = opt.store, every = true, budget = opt.runs, measure = function(_, trial)
  trial:run { shell = opt.test }
  return 1
end })
LUA
trials() { rm -rf .regengine; "$engine" --quiet trials.lua --runtime slurm "$@"; }
sequence() { trials --parallel 1 --test true; }
srun_sequence() { for _ in $(seq 20); do srun true; done; }
sbatch_sequence() {
  for _ in $(seq 20); do
    rm -f done
    sbatch --output=/dev/null --wrap "touch $folder/done"
    while [ ! -e done ]; do sleep 0.01; done
  done
}
compare "20 trials of true in a sequence | srun true" "-" 1 sequence srun_sequence
compare "20 trials of true in a sequence | sbatch, and wait for a file" "-" 1 sequence sbatch_sequence

log=$folder/cluster/slurmctld.log
begun=$(wc -l <"$log")
sequence
tail -n +$((begun + 1)) "$log" | awk '
  function seconds(t) { split(substr(t, 13), p, /[:\]]/); return p[1] * 3600 + p[2] * 60 + p[3] }
  /_slurm_rpc_submit_batch_job/ { if (ended) between += seconds($1) - ended; submitted = seconds($1); n++ }
  /Started|sched: Allocate/ { if (submitted) waited += seconds($1) - submitted; submitted = 0; started = seconds($1) }
  /_job_complete.*done/ { ended = seconds($1); ran += ended - started }
  END { printf "of each trial: %.0f ms in the queue of Slurm, %.0f ms in its job, %.0f ms between jobs\n",
        waited / n * 1000, ran / n * 1000, between / (n - 1) * 1000 }'

# Slurm looks for jobs to start once a second or so: an array of its own says what can be had.
four() { trials --runs 16 --slurm=--exclusive --test "sleep $seconds"; }
one() { trials --runs 16 --test "sleep $seconds" --parallel 1; }
array() {
  rm -f done.*
  sbatch --output=/dev/null --exclusive --array=1-16 --wrap "sleep $seconds; touch $folder/done.\$SLURM_ARRAY_TASK_ID"
  while [ "$(find . -name 'done.*' | wc -l)" -lt 16 ]; do sleep 0.02; done
}
for seconds in 1 8; do
  compare "16 trials of $seconds s on four nodes | one after the other" "<= 0.29" 1 four one
  compare "the same on four nodes | an array of 16 by sbatch" "-" 1 four array
done
