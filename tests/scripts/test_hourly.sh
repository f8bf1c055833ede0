#!/bin/sh
# hourly.lua: two repositories checked out in sync, the second one guilty; and one repository by itself.
. "$(dirname "$0")/lib.sh"

for name in library app; do git init -q -b main $name; done
# Two days. The app moves every hour, the library every three; the library's ninth commit is slower.
clock=1709251200 # 2024-03-01T00:00:00Z
hour_of_guilt=
for hour in $(seq 0 47); do
  clock=$((1709251200 + hour * 3600 + 600))
  echo "$hour" >app/version
  commit app "app $hour"
  [ $((hour % 3)) = 0 ] || continue
  if [ "$hour" -ge 24 ]; then echo 70 >library/speed; else echo 100 >library/speed; fi
  echo "$hour" >library/version
  commit library "library $hour"
  [ "$hour" != 24 ] || hour_of_guilt=$(id_of library HEAD)
done

hourly() { # EXIT-CODE OPTIONS...
  code=$1; shift
  expect "$code" hourly --repo app=app --repo library=library --from 2024-03-01T01:00 --to 2024-03-02T23:00 \
    --build 'cat ../library/speed >built && cat "$REPO_LIBRARY/version" >>built' \
    --test "pwd >>'$folder/runs'; echo \"speed: \$(head -n 1 built)\"" --metric 'speed: {number}' "$@"
}

before=$(find . -path ./app -prune -o -path ./library -prune -o -print | grep -v '^\./\(out\|err\)$' | sort)
hourly 0 --dry-run
after=$(find . -path ./app -prune -o -path ./library -prune -o -print | grep -v '^\./\(out\|err\)$' | sort)
[ "$before" = "$after" ] || fail "a dry run left something on the disk: $after"
[ -z "$(git -C app worktree list | sed 1d)" ] || fail "a dry run left a worktree"

answers hourly 0 "answer.verdict == 'changes' and #answer.changes == 1" --json
answer "math.abs(answer.changes[1].before - 100) < 0.1 and math.abs(answer.changes[1].after - 70) < 0.1"
answer "answer.changes[1].first_bad:find('library@' .. ('$hour_of_guilt'):sub(1, 12), 1, true)"
answer "not answer.changes[1].last_good:find('library@' .. ('$hour_of_guilt'):sub(1, 12), 1, true)"
said "  first bad   2024-03-02 01:00 UTC" " library $hour_of_guilt   library 24"
[ "$(sort -u runs | wc -l)" = 1 ] || fail "the worktree moved"
first=$(lines_in runs)
[ "$first" -lt 30 ] || fail "$first runs for one change in 47 hours"
runs_nothing hourly 0 --json

# Every hour, and every sixth.
fresh answers hourly 0 "#answer.changes == 1 and answer.runs >= 8" --json --every --every-hours 6

# One day, to its end.
tells hourly 0 "  first bad   2024-03-02 01:00 UTC" --json --from 2024-03-02 --to 2024-03-02
tells hourly 0 "3 subjects, " --dry-run --from 2024-03-01T22:00 --to 2024-03-01

tells hourly 0 "27 subjects, " --dry-run --from 2024-03-01T22:00 --to 2024-03-02 # with the hours of the second day

# Faults.
tells hourly 2 "nowhere" --branch nowhere
tells hourly 2 "is after" --from 2024-03-03
