#!/bin/sh
# tests/scripts/test_why_searches.sh REGENGINE: why.lua on the two ends that flags.lua and hourly.lua found.
. "$(dirname "$0")/lib.sh"

# A flag that makes the program wait: the good and the bad set are the variables of one command, which are exchanged.
cat >program <<'END'
#!/bin/sh
case "$FLAGS" in *--slow*) sleep 1.2 ;; *) sleep 0.2 ;; esac
END
chmod +x program
expect 0 flags --good 'FLAGS=--a --b' --bad 'FLAGS=--a --slow --c' --bad SIZE=3 --test 'MODE=1 ./program' --metric @wall
expect 0 why --json
answer "answer.commands[1] == [[MODE=1 FLAGS='--a --b' ./program]]"
answer "answer.commands[2] == [[MODE=1 FLAGS='--a --slow --c' SIZE=3 ./program]]"
answer 'answer.top.level == "swap" and answer.top.variable == "FLAGS" and answer.top.name == "--slow" and answer.top.share > 0.8'

# Before a line of several commands they are exported.
expect 0 flags --store several.db --good FLAGS=--fast --bad FLAGS=--slow --test 'true; ./program' --metric @wall
expect 0 why --store several.db --json
answer 'answer.commands[1] == "export FLAGS=--fast; true; ./program" and answer.slowdown.verdict == "worse" and #answer.swaps == 0'
grep -q "^  host .*waits .* s longer" out || fail "what the flags do"

# Flags that are built in: each run builds with its own set, also where one flag of it is exchanged.
cat >build.sh <<'END'
case "$FLAGS" in *--slow*) echo "sleep 1.2" ;; *) echo "sleep 0.2" ;; esac >built.sh
END
expect 0 flags --store built.db --good 'FLAGS=--a --b' --bad 'FLAGS=--a --slow --c' --build 'sh build.sh' \
  --test 'sh built.sh' --metric @wall
rm built.sh
expect 0 why --store built.db --dry-run
said "  before each run: sh build.sh"
expect 0 why --store built.db --json
answer 'answer.top.level == "swap" and answer.top.name == "--slow" and answer.top.share > 0.8'
grep -q "^  artifact .*the program differs" out || fail "both ends ran the same build"

# Where the flags are exported before a line of several commands, too.
expect 0 flags --store exported.db --good FLAGS=--fast --bad FLAGS=--slow --build 'sh build.sh' --test 'true; sh built.sh' \
  --metric @wall
expect 0 why --store exported.db --json
answer 'answer.slowdown.verdict == "worse" and #answer.swaps == 0'
grep -q "^  host .*waits .* s longer" out || fail "what the flags do"

# Two repositories by the hour; from the fourth hour on the library is slower. Each end is built beside its own library.
for name in library app; do git init -q -b main $name; done
for hour in 1 2 3 4 5 6; do
  clock=$((1709251200 + hour * 3600 + 600))
  echo "$hour" >app/version
  commit app "app $hour"
  nap=0.2
  [ "$hour" -lt 4 ] || nap=1.2
  echo "$nap" >library/nap
  echo "$hour" >library/version
  commit library "library $hour"
done
expect 0 hourly --store hours.db --repo app=app --repo library=library --from 2024-03-01T02:00 --to 2024-03-01T07:00 \
  --build 'cat ../library/nap >built' --test 'sleep "$(cat built)"; cat "$REPO_LIBRARY/version" >/dev/null' --metric @wall
expect 0 why --store hours.db --json
answer 'answer.commands[1]:find("^2024%-03%-01 04:00 UTC: sleep") and answer.commands[2]:find("^2024%-03%-01 05:00 UTC: sleep")'
answer 'answer.slowdown.verdict == "worse" and answer.top.level == "host" and answer.top.what:find "^waits" ~= nil'
answer '#answer.levels[1].findings == 0'
echo "why on the ends of flags and hourly"
