# A Slurm of this test's own, and a search that runs there. To be read after lib.sh.
[ "${REGENGINE_TEST_SLURM:-}" = 1 ] || skip "no Slurm here; start one: tests/support/cluster run COMMAND"
cluster=$folder/cluster jobs=.regengine/results.db.jobs
at_end=stop_cluster
stop_cluster() { "$source_root/tests/support/cluster" stop "$cluster" 2>/dev/null; }
start_cluster() { eval "$("$source_root/tests/support/cluster" start "$cluster" 2>cluster.log)"; }
start_cluster
kill_part() { "$source_root/tests/support/cluster" kill "$cluster" "$@"; }
restart_part() { "$source_root/tests/support/cluster" restart "$cluster" "$@"; }

# Twelve subjects, slower from s08 on. Each run takes $pause seconds and leaves a line in ./runs, with its node.
cat >own.lua <<'LUA'
local opt = reg.options { "cluster", "metric", "take", "drop", "timeout", "budget", "every", "direction", "min_effect",
  runtime = { "run the test on Slurm", type = "string", choices = { "slurm" } },
  test = { "command", type = "command", required = true } }
local subjects = {}
for i = 1, 12 do subjects[i] = { id = string.format("s%02d", i) } end
return reg.answer(reg.sweep(subjects, { title = "own", into = opt.store, metric = opt.metric, every = opt.every,
  budget = opt.budget, min_effect = opt.min_effect, config = { test = opt.test },
  measure = function(subject, trial)
    return trial:test({ shell = opt.test, env = { S = subject.id }, timeout_s = opt.timeout }, opt)
  end }))
LUA
pause=0.2
cat >test.sh <<'SH'
sleep "$(cat pause)"; [ $? -lt 128 ] || exit  # cancelled
echo "$S $SLURMD_NODENAME" >>runs
digit=$(($(od -An -N1 -tu1 /dev/urandom) % 5))
case $S in s0[1-7]) echo "speed: 10$digit" ;; *) echo "speed: 7$digit" ;; esac
SH

# HOW OPTIONS...: the search, on Slurm, for half of the step: noise of 2 % now and then looks like a small change.
search_by() {
  how=$1; shift
  echo "$pause" >pause
  "$how" own.lua --runtime slurm --test "sh test.sh" --metric "speed: {number}" --min-effect 15% "$@"
}
quietly() { "$engine" --quiet "$@"; }
on_slurm() { search_by quietly "$@"; }
start_search() { search_by launch --json "$@"; }  # in the background, as $pid

# N: so many runs, at least.
ran() { [ "$(lines_in runs)" -ge "$1" ]; }
running() { [ "$(squeue -h -t R | wc -l)" -ge "$1" ]; }
queued() { [ -n "$(squeue -h -t PD,R,CG)" ]; }

# The answer is the right one, each run of the test is one finished trial, and nothing is left.
right() {
  answer "answer.changes[1].first_bad == 's08' and #answer.changes == 1 and answer.skipped == 0"
  counted
}
counted() {
  finished=$(ask_store 'SELECT count(*) AS n FROM trials WHERE status = "ok"')
  # What an engine had begun before it was killed may be nothing that the search asks for afterward, which it says.
  unasked=$(sed -n 's/.* jobs cancelled: \([0-9]*\), results dropped: \([0-9]*\);.*/\1 + \2/p' err)
  runs=$(lines_in runs)
  if [ -n "${1:-}" ]; then
    [ "$runs" = "$1" ] || fail "$runs runs of the test, not $1"
  else
    [ "$runs" -ge "$finished" ] && [ "$runs" -le $((finished + ${unasked:-0})) ] ||
      fail "$runs runs of the test, $finished finished trials, not asked for: ${unasked:-0}"
  fi
  left=$(find "$jobs/jobs" "$jobs/results" "$jobs/rounds" -mindepth 1)
  [ -z "$left" ] || fail "files of jobs are left: $left"
  ! queued || fail "jobs are left: $(squeue)"
}
anew() { rm -rf .regengine runs; }
