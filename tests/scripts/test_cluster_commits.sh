#!/bin/sh
# On Slurm: commits that are built in parallel, images by pyxis and enroot, odd nodes, and a strategy in a job of its own.
. "$(dirname "$0")/lib.sh"
[ "${REGENGINE_TEST_SLURM:-}" = 1 ] || skip "needs Slurm (tests/support/cluster)"
at_end="scancel --name regengine"

step() { echo "- $1"; }
none_left() { [ -z "$(squeue --noheader)" ]; }

numbered src 24 'echo "n=$number v=$((number < 15 ? 100 : 120))" >v.sh'
build='. ./v.sh; echo $v >built; echo $n $PWD >>'"$folder/builds"
test='. ./v.sh; [ $(cat built) = $v ] || exit 1; echo $n $SLURMD_NODENAME >>'"$folder/tests; echo \"time: \$v\""

step "four commits at a time, each built in worktrees of its own, once"
given search 'bisect --runtime slurm --repo src --good c1 --bad c24 --metric "time: {number}" --exact'
tells search 0 "commit 15" --build "$build" --test "$test"
[ "$(cut -d' ' -f1 builds | sort | uniq -d)" = "" ] || fail "a commit was built twice: $(cat builds)"
[ "$(cut -d' ' -f2 builds | sort -u | wc -l)" -ge 3 ] || fail "they were built in: $(cat builds)"
[ "$(cut -d' ' -f2 tests | sort -u | wc -l)" -ge 3 ] || fail "they were tested on: $(cat tests)"
wait_until none_left

step "an engine that is killed while commits are built: nothing of it is left"
rm -rf .regengine builds tests
set -- bisect --runtime slurm --repo src --good c1 --bad c24 --build "sleep 2; $build" --test "$test" \
  --metric 'time: {number}' --exact
launch "$@"
kill_when there builds
says 0 "commit 15" "$@"
wait_until none_left

step "an image is imported once, and builds and tests run in it"
rm -rf .regengine builds tests
export FAKE_PYXIS_LOG="$folder/log"
(
  PATH=$source_root/tests/support/fake_pyxis:$PATH
  tells search 0 "commit 15" --image nvcr.io/nvidia/jax:25.01 --env MODE=fast --mount "$folder/src:/src:ro" \
    --build "$build" --test "[ \$MODE = fast ] || exit 1; $test"
  tells search 2 "has no setting 'memory'" --image nvcr.io/nvidia/jax:25.01 --memory 1g --fresh --test true
  tells search 1 "404 Not Found" --image nvcr.io/nvidia/absent:1 --test true
)
[ "$(grep -c '^enroot import -o .*\.image\.part docker://nvcr.io#nvidia/jax:25.01$' log)" = 1 ] || fail "$(grep enroot log)"
grep -q "^srun --container-name=regengine-[0-9]* --quiet --container-image=$folder/.regengine/images/[0-9a-f]*-$(uname -m)\.image --no-container-mount-home \
--container-remap-root --container-mounts=$folder/.regengine/worktrees/[^,]*,$folder/src:/src:ro \
--container-workdir=$folder/.regengine/worktrees/" log || fail "$(head -n 5 log)"
# Each job has its own container, which is removed with it.
named=$(grep -o 'container-name=regengine-[0-9]*' log | cut -d = -f 2 | sort)
removed=$(sed -n 's/^enroot remove --force pyxis_//p' log | sort)
[ -n "$named" ] && [ "$named" = "$(echo "$named" | uniq)" ] || fail "$named"
[ "$named" = "$(echo "$removed" | grep -xF "$named")" ] || fail "left: $named, removed: $removed"
tells search 2 "runs no images" --image nvcr.io/nvidia/jax:25.01 --test true

step "of several ranks the first one counts"
rm -rf .regengine
search 0 --slurm=--overcommit --ntasks 2 --test '. ./v.sh; echo "time: $((v * (1 + SLURM_PROCID)))"'
said "commit 15" "100 -> 120"

step "a suite keeps its jobs beside its own store"
rm -rf .regengine
echo 'return { name = "own", workloads = { "a", "b" }, command = function() return "echo $SLURMD_NODENAME" end }' >suite.lua
says 0 "results: output/results.jsonl" suite --suite suite.lua --runtime slurm --repeat 2
grep -rq '^node[1-4]$' output/suite.db.out || fail "it ran here: $(ls output)"
[ -d output/suite.db.jobs ] && [ ! -e .regengine/results.db.jobs ] || fail "the jobs are in: $(ls output .regengine)"

step "the odd node is named"
speed='case $SLURMD_NODENAME in node3) echo "time: 156 ms" ;; *) echo "time: 10${SLURMD_NODENAME#node} ms" ;; esac'
says 4 "node3 is odd: time 156 ms, 52 % from the others, in 3 runs." nodes --runtime slurm --test "$speed" --metric 'time: {number} ms'
says 0 "The 4 nodes are alike within 2.0 %." nodes --runtime slurm --test 'echo time: 100 ms' --metric 'time: {number} ms'
says 4 "No node gave a number: exit code 1: broken." nodes --runtime slurm --test 'echo broken >&2; exit 1'
says 4 "node2: " nodes --runtime slurm --test '[ $SLURMD_NODENAME != node2 ]'
says 2 "nodes: needs a cluster" nodes --test true
says 2 "nodes: needs a cluster" -e 'reg.nodes { measure = print }'

step "a strategy in a job of its own goes on in another one before its time is up"
rm -rf .regengine tests
again="until grep -qs '^Submitted batch job' $folder/.regengine/submitted/*.log; do sleep 0.5; done" # at most 1 min
says 0 "its output: .regengine/submitted/" submit --partition work --time 3m bisect --runtime slurm --parallel 1 \
  --repo src --good c1 --bad c24 --build "$build" --test "$again; $test" --metric 'time: {number}' --exact
while [ -n "$(squeue --noheader --name regengine)" ]; do sleep 1; done
grep -q "commit 15" .regengine/submitted/*.log || fail "it has no answer: $(cat .regengine/submitted/*.log)"
grep -q "^Submitted batch job" .regengine/submitted/*.log || fail "the job did not submit itself again"
[ "$(cut -d' ' -f1 tests | sort | uniq -d)" = "" ] || fail "a commit was tested twice: $(cat tests)"
wait_until none_left

step "the command that goes on in a dependency runs in a job, too"
git init -q app
for i in 3 10 20; do
  echo "CORE_COMMIT = \"$(id_of src c$i)\"" >app/src.bzl
  commit app "app $i"
done
pinned="git -C $folder/src show \$(cut -d '\"' -f 2 src.bzl):v.sh >v.sh; . ./v.sh; echo \"time: \$v\""
expect 0 bisect --runtime slurm --gres gpu:1 --time 20m --repo app --good HEAD~2 --bad HEAD --test "$pinned" \
  --metric 'time: {number}' --exact
said "app 20"
next=$(sed -n 's/^ *regengine \(submit.lua .*\)/\1/p' out | sed "s|core=PATH|core=$folder/src|")
case $next in
  "submit.lua --slurm '--gres=gpu:1 --time=20' descend.lua --repo app --repo core=$folder/src "*) ;;
  *) fail "it is: $next" ;;
esac
eval "says 0 'its output:' $next"
while [ -n "$(squeue --noheader --name regengine)" ]; do sleep 1; done
grep -q "commit 15" "$(ls -t .regengine/submitted/*.log | head -n 1)" || fail "$(cat .regengine/submitted/*.log)"
says 1 "invalid partition" submit --partition nowhere bisect
says 1 "invalid partition" -e 'reg.submit({ "bisect" }, { partition = "nowhere" })'
