#!/bin/sh
# --overlap with --image: the commit that is likely next is built in a second container, which has the second worktree at
# the path of the first. Without --overlap it keeps the build of a commit that is measured again. Real docker.
. "$(dirname "$0")/lib.sh"
start_daemons
[ -n "${REGENGINE_TEST_DOCKER:-}" ] && [ -n "${REGENGINE_TEST_IMAGE:-}" ] || skip "no docker daemon or no registry can be started here"

mkdir here # on its own: nothing is mounted beside the socket of a container engine
cd here
numbered repo 8
mkdir marks
# The test of the first commit goes on once the last one is being built; commit 7, which the search does not need, never
# ends to be built.
build='echo >/marks/building-$(cat number); if [ $(cat number) = 7 ]; then sleep 100000; fi; cp number built'
test='echo $(cat number) $PWD >>/marks/tests; cmp number built || exit 125
  if [ $(cat number) = 1 ]; then until [ -e /marks/building-8 ]; do sleep 0.1; done; fi
  if [ $(cat number) = 6 ]; then until [ -e /marks/building-7 ]; do sleep 0.1; done; fi
  test $(cat built) -lt 5'
expect 0 bisect --repo repo --json --good c1 --bad c8 --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none \
  --mount "$PWD/marks:/marks" --build "$build" --test "$test" --overlap
answer "answer.changes[1].first_bad == '$(id_of repo c5)' and answer.skipped == 0"
[ "$(cut -d' ' -f2 marks/tests | sort -u)" = "$(echo "$PWD"/.regengine/worktrees/repo-????????)" ] ||
  fail "the tests saw other paths: $(cat marks/tests)"
[ -e .regengine/worktrees/repo-????????-ahead/built ] || fail "nothing was built in the second worktree"

# Without --overlap: a flaky test that is measured in turn on both sides of the culprit, whose builds both stay.
flaky='n=$(cat built); echo "$n $PWD" >>/marks/flaky; [ $n -lt 5 ] || [ $(($(grep -c . /marks/flaky) % 2)) = 0 ]'
rm -rf .regengine regengine.db*
expect 0 bisect --repo repo --json --good c1 --bad c8 --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none \
  --mount "$PWD/marks:/marks" --build 'sleep 2; echo >>/marks/builds; cp number built' --test "$flaky" --flaky
answer "answer.changes[1].first_bad == '$(id_of repo c5)' and answer.skipped == 0"
[ "$(lines_in marks/builds)" -le $(($(lines_in marks/flaky) / 2)) ] || fail "$(lines_in marks/builds) builds"
[ -e .regengine/worktrees/repo-????????-ahead/built ] || fail "both sides were built in one worktree"
[ "$(cut -d' ' -f2 marks/flaky | sort -u | wc -l)" = 1 ] || fail "the tests saw other paths"
[ -z "$(docker ps --all --quiet --filter label=regengine.engine)" ] || fail "a container is left"
echo "commits are built ahead in a second container"
