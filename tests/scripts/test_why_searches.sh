#!/bin/sh
# tests/scripts/test_why_searches.sh REGENGINE: why.lua on the two ends that flags.lua and hourly.lua found.
. "$(dirname "$0")/lib.sh"

flags() { expect 0 flags --metric 'step: {number}' --better lower "$@"; }

# A flag that makes a step longer: the good and the bad set are the variables of one command, which are exchanged.
echo 'case "$FLAGS" in *--slow*) echo step: 12 ;; *) echo step: 10 ;; esac' >program.sh
flags --good 'FLAGS=--a --b' --bad 'FLAGS=--a --slow --c' --bad SIZE=3 --test 'MODE=1 sh program.sh'
expect 0 why --json
answer "answer.commands[1] == [[MODE=1 FLAGS='--a --b' sh program.sh]]"
answer "answer.commands[2] == [[MODE=1 FLAGS='--a --slow --c' SIZE=3 sh program.sh]]"
answer 'answer.top.level == "swap" and answer.top.variable == "FLAGS" and answer.top.name == "--slow" and answer.top.share > 0.8'

# Flags that are built in: each run builds with its own set, also where one flag of it is exchanged.
echo 'case "$FLAGS" in *--slow*) echo "echo step: 12" ;; *) echo "echo step: 10" ;; esac >built.sh' >build.sh
flags --store built.db --good 'FLAGS=--a --b' --bad 'FLAGS=--a --slow --c' --build 'sh build.sh' --test 'sh built.sh'
rm built.sh
says 0 "  before each run: sh build.sh" why --store built.db --dry-run
expect 0 why --store built.db --json
answer 'answer.top.level == "swap" and answer.top.name == "--slow" and answer.top.share > 0.8'
grep -q "^  artifact .*the program differs" out || fail "both ends ran the same build"

# Before a line of several commands they are exported, for the build, too.
flags --store several.db --good FLAGS=--fast --bad FLAGS=--slow --build 'sh build.sh' --test 'true; sh built.sh'
why_differ --store several.db
answer 'answer.commands[1] == "export FLAGS=--fast; true; sh built.sh"'
answer '#answer.swaps == 0'

# Two repositories by the hour; from the fourth hour on the library is slower. Each end is built beside its own library.
for name in library app; do git init -q -b main $name; done
for hour in 1 2 3 4 5 6; do
  clock=$((1709251200 + hour * 3600 + 600))
  echo "$hour" >app/version
  commit app "app $hour"
  step=0.2
  [ "$hour" -lt 4 ] || step=1.2
  echo "$step" >library/step
  echo "$hour" >library/version
  commit library "library $hour"
done
expect 0 hourly --store hours.db --repo app=app --repo library=library --from 2024-03-01T02:00 --to 2024-03-01T07:00 \
  --build 'cat ../library/step >built' --test 'echo "step: $(cat built)0$(od -An -N2 -tu2 /dev/urandom | tr -d " ")"; cat "$REPO_LIBRARY/version" >/dev/null' \
  --metric 'step: {number}' --better lower
why_differ --store hours.db
answer 'answer.commands[1]:find("^2024%-03%-01 04:00 UTC: echo") and answer.commands[2]:find("^2024%-03%-01 05:00 UTC: echo")'
answer '#answer.levels[1].findings == 0'
