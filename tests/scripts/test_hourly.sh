#!/bin/sh
# hourly.lua: two repositories checked out in sync, the second one guilty; and one repository by itself.
. "$(dirname "$0")/lib.sh"

# Two days from 2024-03-01T00:10:00Z on. The app moves every hour, the library every three; its ninth commit is slower.
first=1709251800
clock=$((first - 3600)) pace=3600
numbered app 48
clock=$((first - 10800)) pace=10800
numbered library 16 'echo $((number < 9 ? 100 : 70)) >speed'
guilty=$(id_of library c9)

hourly() { # EXIT-CODE OPTIONS...
  code=$1; shift
  expect "$code" hourly --repo app=app --repo library=library --from 2024-03-01T01:00 --to 2024-03-02T23:00 \
    --build 'cat ../library/speed >built && cat "$REPO_LIBRARY/number" >>built' \
    --test "pwd >>'$folder/runs'; echo \"speed: \$(head -n 1 built)\"" --metric 'speed: {number}' "$@"
}

before=$(find . -path ./app -prune -o -path ./library -prune -o -print | grep -v '^\./\(out\|err\)$' | sort)
hourly 0 --dry-run
after=$(find . -path ./app -prune -o -path ./library -prune -o -print | grep -v '^\./\(out\|err\)$' | sort)
[ "$before" = "$after" ] || fail "a dry run left something on the disk: $after"
[ -z "$(git -C app worktree list | sed 1d)" ] || fail "a dry run left a worktree"

answers hourly 0 "answer.verdict == 'changes' and #answer.changes == 1" --json
answer "math.abs(answer.changes[1].before - 100) < 0.1 and math.abs(answer.changes[1].after - 70) < 0.1"
answer "answer.changes[1].first_bad:find('library@' .. ('$guilty'):sub(1, 12), 1, true)"
answer "not answer.changes[1].last_good:find('library@' .. ('$guilty'):sub(1, 12), 1, true)"
said "  first bad   2024-03-02 01:00 UTC" " library $guilty   commit 9"
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
