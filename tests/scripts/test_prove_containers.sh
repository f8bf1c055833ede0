#!/bin/sh
# prove.lua and bisect.lua --prove with --image: each version has its worktree in a container of its own. Real docker.
. "$(dirname "$0")/lib.sh"
start_daemons
need_images docker

mkdir here # on its own: nothing is mounted beside the socket of a container engine
cd here
mkdir marks
numbered repo 8 'rm number; echo $number >part$number; [ $number != 5 ] || echo 100 >loss'
guilty=$(id_of repo c5)

# The time of a version, with noise that depends on nothing but the number of the run.
build='echo "$PWD" >>/marks/builds; cat loss >built 2>/dev/null || echo 0 >built'
test='echo "$PWD" >>/marks/runs; i=$(wc -l </marks/runs)
  echo "$(($(cat built) * 1000 + 1000000 + (i * 7919 % 101 - 50) * 50)) us"'
in_docker() { # EXIT-CODE SCRIPT OPTIONS...
  code=$1 script=$2; shift 2
  expect "$code" "$script" --repo repo --json --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none \
    --mount "$PWD/marks:/marks" --build "$build" "$@"
  [ -z "$(docker ps --all --quiet --filter label=regengine.engine)" ] || fail "a container is left"
}

in_docker 0 prove --commit c5 --good c1 --bad c8 --test "$test" --metric '{number} us' --dry-run
said "would run 4 versions in turn"
[ ! -e marks/builds ] || fail "a dry run built something"

in_docker 0 prove --commit c5 --good c1 --bad c8 --test "$test" --metric '{number} us'
answer "answer.verdict == 'proved' and answer.commit == '$guilty' and answer.sides == 4"
answer "answer.revert.low < 1.05 and answer.revert.high > 0.95 and answer.apply.low < 1.05 and answer.apply.high > 0.95"
[ "$(sort -u marks/builds | wc -l)" = 4 ] && [ "$(lines_in marks/builds)" = 4 ] || fail "not one build each: $(cat marks/builds)"
[ "$(sort -u marks/runs)" = "$(sort -u marks/builds)" ] || fail "a version was tested where it was not built"
runs=$(lines_in marks/runs)
in_docker 0 prove --commit c5 --good c1 --bad c8 --test "$test" --metric '{number} us'
answer "answer.verdict == 'proved' and answer.reused == answer.rounds"
[ "$(lines_in marks/runs)" = "$runs" ] || fail "a second run measured again"

# A search that goes on to prove what it found.
in_docker 0 bisect --good c1 --bad c8 --test "$test" --metric '{number} us' --min-effect 5% --prove
answer "answer.changes[1].first_bad == '$guilty' and answer.proof.verdict == 'proved'"
[ -z "$(git -C repo status --porcelain)" ] || fail "the clone changed"
