#!/bin/sh
# Every example runs, and says what it is for. test_quickstart.sh runs quickstart.lua.
. "$(dirname "$0")/lib.sh"
examples=$source_root/examples
run() {  # PATTERN-OF-THE-OUTPUT EXAMPLE ARGUMENTS...
  text=$1 name=$2; shift 2
  expect 0 "$examples/$name" "$@"
  grep -q "$text" out || fail "$name does not say: $text"
}

for file in "$examples"/*.lua; do
  name=$(basename "$file")
  case $name in
    quickstart.lua | quickstart_repo.lua | programs.lua | optimizers.lua) ;;  # the last three are modules
    *) grep -v '^ *#' "$source_root/tests/scripts/test_examples.sh" | grep -qw "$name" || fail "$name has no test here" ;;
  esac
done

# Whether the levels' speeds tell is this machine's business: the verdict may be any.
"$engine" "$examples/levels.lua" --megabytes 1 --json >out 2>err || [ $? -eq 3 ] || fail "levels.lua"
tail -n 1 out | grep -q '"verdict"' || fail "levels.lua: no verdict"
run '27 runs in metric_report.csv' suite.lua --repeat 4 -k '^(gzip|hash|sed)$'
[ "$(grep -cE '^(slower|faster|same|ambiguous) ' out)" = 9 ] || fail "suite.lua compares not nine experiments"
run 'MB/s' results.lua
grep -q '"status":"ok"' trials.jsonl || fail "results.lua: no trial in trials.jsonl"
echo '{"model": {"model_name": "bert"}, "experiment": {"dynamo": "inductor"}, "metrics": {"total_time": [9, 8, 7, 0.25]}}' >suite.jsonl
run '^1 runs imported, 0 duplicates' results.lua --results suite.jsonl
grep -q '^inductor  *bert  *1  *0.25' out || fail "results.lua: no median"
run '^report: report.html' report.lua
grep -q '<h1>frames/s fell by' report.html || fail "report.lua: no verdict in report.html"
run '^turbo ' machine.lua
run '^awk [0-9.]* s, the shell [0-9.]* s, a noise of ' ab.lua  # whichever is faster here
if command -v gcc >/dev/null && command -v size >/dev/null; then run 'culprit     -f' flags.lua; fi
run '^two ranges, of 0' nvtx.lua
run '^at 613: ' search.lua
run '^environment: OMP_NUM_THREADS set to 1$' differences.lua
run 'not timed: no GPU\|GB/s' cuda.lua
run "^%.0f  FAIL 0.0013" verify.lua
run 'kilobytes left' plot.lua --megabytes 1
run 'side by side:	1000.0 2000.0 3000.0' commands.lua
git init -q -b main repo
GIT_COMMITTER_DATE=2024-03-01T00:00:00Z git -C repo -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one
day=2024-03-02
run "moved" timeline.lua --repo "r=repo" --from "$day" --to "$(date -u -d "$day + 2 days" +%Y-%m-%d)"
# No driver where the library is none, and the fake one: real hardware is not touched.
REGENGINE_NVML=/nonexistent/nvml.so run '^no GPU here: ' gpu.lua
REGENGINE_NVML=/nonexistent/nvml.so run '^no GPU here: ' lease.lua
printf 'gpu0.uuid=GPU-example-%s\n' "$$" >nvml
fake_driver
run 'locked at 1590 MHz' gpu.lua
run "^c: GPU-example-$$ near" lease.lua
forget_gpus GPU-example-$$
unset REGENGINE_NVML
# A command without CUDA, and one that the tests' program and CUPTI make up.
run '^not traced: no CUDA was initialized in the command' trace.lua
echo 'kernel gemm 1000 3000' >records
REGENGINE_CUPTI=$REGENGINE_FAKES/cupti.so REGENGINE_FAKE_CUPTI=$folder/records \
  run '0.0020 ms        1 x  gemm' trace.lua --command "$REGENGINE_FAKES/cuda_program init play"
