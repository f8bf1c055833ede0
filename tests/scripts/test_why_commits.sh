#!/bin/sh
# tests/scripts/test_why_commits.sh REGENGINE: why.lua on the change that bisect.lua found, whose commits are built again, and
# on that of nightly.lua, whose images run again.
. "$(dirname "$0")/lib.sh"

napping repo

expect 0 bisect --repo repo --good c1 --bad c4 --build 'cp program.in program && chmod +x program' \
  --test './program && echo "nap: $(sed -n "s/sleep //p" program)0$$"' --metric 'nap: {number}' --better lower
expect 0 why --json
good=$(git -C repo rev-parse --short=10 c2)
bad=$(git -C repo rev-parse --short=10 c3)
answer "answer.commands[1]:sub(1, 10) == '$good' and answer.commands[2]:sub(1, 10) == '$bad'"
answer 'answer.slowdown.metric == "nap" and answer.slowdown.verdict == "worse"'
grep -q "^  host .*waits 1\.[0-9]* s longer" out || fail "what the commit does"
grep -q "^  artifact .*the program differs" out || fail "the program that was built"

# Nights, as folders of the local runtime.
for night in 1:0.4 2:0.4 3:1.6 4:1.6; do
  mkdir "image-2024-03-0${night%%:*}"
  echo "${night#*:}" >"image-2024-03-0${night%%:*}/nap"
done
cat >nap.sh <<'END'
#!/bin/sh
sleep "$(cat "$REGENGINE_IMAGE/nap")"
echo "nap: $(cat "$REGENGINE_IMAGE/nap")0$$"
END
expect 0 nightly --runtime local --image "$folder/image-{date}" --from 2024-03-01 --to 2024-03-04 --test nap.sh \
  --metric 'nap: {number}' --better lower
expect 0 why --json
answer 'answer.commands[1]:find("image-2024-03-02: ", 1, true) and answer.commands[2]:find("image-2024-03-03: ", 1, true)'
answer 'answer.top.level == "host" and answer.top.what:find "^waits 1%.%d+ s longer" ~= nil'
