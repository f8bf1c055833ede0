#!/bin/sh
# tests/scripts/test_why_commits.sh REGENGINE: why.lua on the change that bisect.lua found, whose commits are built again, and
# on that of nightly.lua, whose images run again.
. "$(dirname "$0")/lib.sh"

slower repo

expect 0 bisect --repo repo --good c1 --bad c4 --build 'cp program.in program && chmod +x program' \
  --test ./program --metric 'step: {number}' --better lower
why_differ
good=$(git -C repo rev-parse --short=10 c2)
bad=$(git -C repo rev-parse --short=10 c3)
answer "answer.commands[1]:sub(1, 10) == '$good' and answer.commands[2]:sub(1, 10) == '$bad'"
answer 'answer.slowdown.metric == "step"'
grep -q "^  artifact .*the program differs" out || fail "the program that was built"

# Nights, as folders of the local runtime.
nights image- 2024-03-01 4 '[ $i -lt 3 ] && echo 0.4 >step || echo 1.6 >step'
echo 'echo "step: $(cat "$REGENGINE_IMAGE/step")0$(od -An -N2 -tu2 /dev/urandom | tr -d " ")"' >step.sh
expect 0 nightly --runtime local --image "$folder/image-{date}" --from 2024-03-01 --to 2024-03-04 --test step.sh \
  --metric 'step: {number}' --better lower
why_differ
answer 'answer.commands[1]:find("image-2024-03-02: ", 1, true) and answer.commands[2]:find("image-2024-03-03: ", 1, true)'
