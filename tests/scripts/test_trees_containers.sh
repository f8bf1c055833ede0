#!/bin/sh
# With --image, two commits that are measured in turn both keep their builds: in a second container, which has the second
# worktree at the path of the first. Real docker.
. "$(dirname "$0")/lib.sh"
start_daemons
[ -n "${REGENGINE_TEST_DOCKER:-}" ] && [ -n "${REGENGINE_TEST_IMAGE:-}" ] || skip "no docker daemon or no registry can be started here"

mkdir here # on its own: nothing is mounted beside the socket of a container engine
cd here
numbered repo 8
mkdir marks
# A flaky test that is measured in turn on both sides of the culprit.
flaky='n=$(cat built); echo "$n $PWD" >>/marks/flaky; [ $n -lt 5 ] || [ $(($(grep -c . /marks/flaky) % 2)) = 0 ]'
expect 0 bisect --repo repo --json --good c1 --bad c8 --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none \
  --mount "$PWD/marks:/marks" --build 'sleep 2; echo >>/marks/builds; cp number built' --test "$flaky" --flaky
answer "answer.changes[1].first_bad == '$(id_of repo c5)' and answer.skipped == 0"
[ "$(lines_in marks/builds)" -le $(($(lines_in marks/flaky) / 2)) ] || fail "$(lines_in marks/builds) builds"
[ -e .regengine/worktrees/repo-????????-ahead/built ] || fail "both sides were built in one worktree"
[ "$(cut -d' ' -f2 marks/flaky | sort -u | wc -l)" = 1 ] || fail "the tests saw other paths"
[ -z "$(docker ps --all --quiet --filter label=regengine.engine)" ] || fail "a container is left"
echo "builds are kept in a second container"
