#!/bin/sh
# why.lua on commits and flags that bisect.lua and flags.lua tested in an image: it builds and runs them there again. Real
# docker.
. "$(dirname "$0")/lib.sh"
start_daemons
need_images docker

mkdir here # on its own: nothing is mounted beside the socket of a container engine
cd here
slower repo
good=$(git -C repo rev-parse --short=10 c2)
bad=$(git -C repo rev-parse --short=10 c3)

# The build works in a container alone, and the test needs its variable.
build='test -e /.dockerenv && cp program.in program && chmod +x program'
in_docker() { # SCRIPT OPTIONS...
  script=$1; shift
  expect 0 "$script" --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none --env STEPS=yes --build "$build" \
    --metric 'step: {number}' --better lower "$@"
}
in_docker bisect --repo repo --good c1 --bad c4 --test 'test "$STEPS" = yes && ./program'
why_differ
answer "answer.commands[1]:find('$good', 1, true) and answer.commands[2]:find('$bad', 1, true)"
answer 'answer.slowdown.metric == "step"'

# A flag of a program in this folder.
executable program 'test -e /.dockerenv || exit 1; case "$FLAGS" in *--slow*) echo step: 12 ;; *) echo step: 10 ;; esac'
expect 0 flags --store flags.db --runtime docker --image "$REGENGINE_TEST_IMAGE" --network none \
  --good 'FLAGS=--a' --bad 'FLAGS=--a --slow' --test ./program --metric 'step: {number}' --better lower
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

[ -z "$(docker ps --all --quiet --filter label=regengine.engine)" ] || fail "a container is left"
