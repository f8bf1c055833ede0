#!/bin/sh
# --runtime slurm as its users meet it: a search on four nodes, what the store says of it, options that cannot work.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/on_slurm.sh"

# A search, its answer, and where each trial ran.
start_search
ended 0
right
says 0 "speed fell by" list
says 0 "first bad   8" show --json
answer "answer.changes[1].last_good == '7' and answer.runs == $(lines_in runs)"
"$engine" -e 'local nodes, n = {}, 0
  for _, trial in ipairs(reg.store.open(".regengine/results.db"):trials {}) do
    assert(trial.info.node.name == trial.info.machine.host and trial.info.node.cpu, trial.id)
    nodes[trial.info.node.name], n = true, n + 1
  end
  for name in pairs(nodes) do print(name) end' >nodes
sort nodes >stored
cut -d ' ' -f 2 runs | sort -u >seen
cmp -s stored seen || fail "the store names $(tr '\n' ' ' <stored), and the test ran on $(tr '\n' ' ' <seen)"

# The costs of a run and its output come back, and what it gets is what was asked for.
cat >costs.lua <<'END_OF_LUA'
local opt = reg.options { "cluster", runtime = { "Slurm", type = "string", choices = { "slurm" } } }
return reg.answer(reg.sweep({ "a" }, { into = opt.store, measure = function(_, trial)
  local run = trial:run { shell = 'echo "$WHAT"; echo err >&2; i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done',
    env = { WHAT = "it's $HOME" } }
  assert(run.stdout == "it's $HOME\n" and run.stderr == "err\n" and run.code == 0)
  assert(run.user_s > 0.02 and run.peak_bytes > 100000 and run.wall_s >= run.user_s * 0.9)
  return 1
end }))
END_OF_LUA
says 3 "1 run" --quiet costs.lua --runtime slurm --store costs.db
grep -qx err costs.db.out/a-1/OUT || fail "the output is not with the trial"

# The same command again has all trials; a dry run submits nothing and writes nothing.
runs_nothing exits 0 on_slurm
anew
on_slurm --dry-run >out 2>err || fail "a dry run fails"
said "12 subjects, 1 to 12"
[ ! -e .regengine ] && [ ! -e runs ] && ! queued || fail "a dry run did something"

# What cannot work ends at once, with one line, and leaves no trial behind.
given search '--quiet numbers.lua --runtime slurm --test "sh test.sh" --metric "speed: {number}"'
slurm() { tells search "$@"; } # EXIT-CODE TEXT OPTIONS...
slurm 1 "no node of the partition is up" --partition nowhere
slurm 1 "Slurm does not accept the jobs: Batch job submission failed: Requested node configuration is not available" \
  --gres gpu:99
slurm 1 "Slurm does not accept the jobs: Batch job submission failed: Invalid feature specification" --constraint nowhere
slurm 1 "Slurm does not accept the jobs: unrecognized option '--nonsense'" --slurm --nonsense
slurm 1 "Slurm will not start the jobs: JobHeldUser" --slurm --hold
slurm 1 "Slurm will not start the jobs: PartitionNodeLimit" --nodes 9
scontrol update PartitionName=two State=DOWN
slurm 1 "Slurm will not start the jobs: PartitionDown" --partition two
scontrol update PartitionName=two State=UP
slurm 2 "--runtime slurm and --hosts exclude each other" --hosts host1
slurm 2 "@gpu_memory is measured on this machine only" --metric @gpu_memory
wait_until eval '! queued'
[ ! -e runs ] || fail "something ran"
counted 0
says 2 "--partition, --gres and --slurm need --runtime slurm" numbers.lua --test true --partition work
echo 'reg.options { "container" }' >here.lua
says 2 "--runtime slurm: this script runs on this machine only" here.lua --runtime slurm
mkdir empty
PATH=$folder/empty "$engine" --quiet numbers.lua --runtime slurm --test true --metric @wall >out 2>err &&
  fail "without sbatch it goes on"
complained "--runtime slurm: this machine has no sbatch"
kill_part slurmctld
slurm 1 "Slurm does not answer"
