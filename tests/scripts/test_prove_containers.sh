#!/bin/sh
# prove.lua, bisect.lua --prove and why.lua with --image: each version has its worktree in a container of its own, and
# is built and run there. Real docker.
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
in_docker() { # SCRIPT OPTIONS...
  expect 0 "$@" --json --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none
  none_left
}
none_left() { [ -z "$(docker ps --all --quiet --filter label=regengine.engine)" ] || fail "a container is left"; }
on_repo() {
  in_docker "$@" --repo repo --good c1 --bad c8 --mount "$PWD/marks:/marks" --build "$build" --metric '{number} us'
}

on_repo prove --commit c5 --test "$test" --dry-run
said "would run 4 versions in turn"
[ ! -e marks/builds ] || fail "a dry run built something"

on_repo prove --commit c5 --test "$test"
answer "answer.verdict == 'proved' and answer.commit == '$guilty' and answer.sides == 4"
answer "answer.revert.low < 1.05 and answer.revert.high > 0.95 and answer.apply.low < 1.05 and answer.apply.high > 0.95"
[ "$(sort -u marks/builds | wc -l)" = 4 ] && [ "$(lines_in marks/builds)" = 4 ] || fail "not one build each: $(cat marks/builds)"
[ "$(sort -u marks/runs)" = "$(sort -u marks/builds)" ] || fail "a version was tested where it was not built"
runs_in=marks/runs runs_nothing on_repo prove --commit c5 --test "$test"
answer "answer.verdict == 'proved' and answer.reused == answer.rounds"

# A search that goes on to prove what it found.
on_repo bisect --test "$test" --min-effect 5% --prove
answer "answer.changes[1].first_bad == '$guilty' and answer.proof.verdict == 'proved'"
[ -z "$(git -C repo status --porcelain)" ] || fail "the clone changed"

# --- why.lua. The build works in a container alone, and the test needs its variable.
slower steps
in_docker bisect --repo steps --good c1 --bad c4 --env STEPS=yes --metric 'step: {number}' --better lower \
  --store steps.db --build 'test -e /.dockerenv && cp program.in program && chmod +x program' \
  --test 'test "$STEPS" = yes && ./program'
why_differ --store steps.db
answer "answer.commands[1]:find('$(short steps c2)', 1, true) and answer.commands[2]:find('$(short steps c3)', 1, true)"
answer 'answer.slowdown.metric == "step"'

# A flag of a program in this folder.
executable program 'test -e /.dockerenv || exit 1; case "$FLAGS" in *--slow*) echo step: 12 ;; *) echo step: 10 ;; esac'
in_docker flags --store flags.db --good 'FLAGS=--a' --bad 'FLAGS=--a --slow' --test ./program \
  --metric 'step: {number}' --better lower
expect 0 why --store flags.db --json
answer 'answer.top.level == "swap" and answer.top.what == "FLAGS gained --slow" and answer.top.share > 0.8'
# A package that each test installs in another version is a finding, though both run in one image.
cat >installs.lua <<END
local function command(version, step)
  return { image = "$REGENGINE_TEST_IMAGE", network = "none", runtime = "docker", shell = "mkdir -p /usr/lib/python3/dist-packages/Num_py-"
    .. version .. ".dist-info; echo step: " .. step }
end
local found = reg.why { commands = { command("1.9", 10), command("2.0", 12) }, into = "installs.db", budget = 5,
  metric = "step: {number}", better = "lower" }
assert(found.levels[1].name == "environment" and #found.levels[1].findings == 1)
assert(found.levels[1].findings[1].what == "num-py 1.9 -> 2.0", found.levels[1].findings[1].what)
END
expect 0 installs.lua
none_left
