# A Slurm of this test's own, and a search that runs there. To be read after lib.sh.
[ "${REGENGINE_TEST_SLURM:-}" = 1 ] || skip "no Slurm here; start one: tests/support/cluster run COMMAND"
cluster=$folder/cluster jobs=.regengine/results.db.jobs
at_end=stop_cluster
stop_cluster() { "$source_root/tests/support/cluster" stop "$cluster" 2>/dev/null; }
start_cluster() { eval "$("$source_root/tests/support/cluster" start "$cluster" 2>cluster.log)"; }
start_cluster
kill_part() { "$source_root/tests/support/cluster" kill "$cluster" "$@"; }
restart_part() { "$source_root/tests/support/cluster" restart "$cluster" "$@"; }

# Twelve numbers, slower from 8 on. Each run takes $pause seconds and leaves a line in ./runs, with its node.
. "$source_root/tests/scripts/numbers.sh"
pause=0.2
cat >test.sh <<'SH'
sleep "$(cat pause)"; [ $? -lt 128 ] || exit  # cancelled
echo "$N $SLURMD_NODENAME" >>runs
digit=$(($(od -An -N1 -tu1 /dev/urandom) % 5))
case $N in [1-7]) echo "speed: 10$digit" ;; *) echo "speed: 7$digit" ;; esac
SH

# HOW OPTIONS...: the search, on Slurm, for half of the step: noise of 2 % now and then looks like a small change.
search_by() {
  how=$1; shift
  echo "$pause" >pause
  "$how" numbers.lua --of 12 --runtime slurm --test "sh test.sh" --metric "speed: {number}" --min-effect 15% "$@"
}
quietly() { "$engine" --quiet "$@"; }
on_slurm() { search_by quietly "$@"; }
start_search() { search_by launch --json "$@"; }  # in the background, as $pid

# N: so many jobs, at least.
running() { [ "$(squeue -h -t R | wc -l)" -ge "$1" ]; }
queued() { [ -n "$(squeue -h -t PD,R,CG)" ]; }

# The answer is the right one, each run of the test is one finished trial, and nothing is left.
right() {
  answer "answer.changes[1].first_bad == '8' and #answer.changes == 1 and answer.skipped == 0"
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
