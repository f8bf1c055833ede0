#!/bin/sh
# What a search shows while it runs, at a terminal of 80 and of 120 columns and in a pipe, and how long a dry run says
# that it takes.
. "$(dirname "$0")/lib.sh"
need python3 # which makes a terminal

numbered repo 32
bisect() { # COLUMNS OPTIONS...
  columns=$1; shift
  python3 "$source_root/tests/scripts/progress_session.py" "$engine" "$columns" bisect --repo repo --good c1 --bad c32 \
    --build 'sleep 0.6; cp number built' --test 'sleep 0.3; test "$(cat built)" -lt 20' "$@" >out || fail "it failed"
}
never() { ! grep -qE -- "$1" out || fail "it says: $1"; }
# Of each "run A of about B", A is at most B; and some run comes before B.
counts_up() {
  sed -n 's/.* runs\{0,1\} \([0-9]* to \)\{0,1\}\([0-9]*\) of about \([0-9]*\).*/\2 \3/p' out |
    awk '$1 > $2 { exit 1 } $1 < $2 { open = 1 } END { exit !open }' || fail "a run beyond the estimate"
}

# The first time nothing tells how long it takes.
bisect 80 --dry-run --store other.db
said "text:   how long is not known yet: other.db has no earlier trial of this kind"
bisect 80
counts_up
said "status: commits ╌╌╌╌╌╌╌╌╌╌ run 1 of about 10  building $(short repo c1)"
matches out "^status: commits (╌* )?run 2 of about 10  building $(short repo c32)  .*about [0-9]+ s left$" \
  "^status: commits .*run 3 of about 10  .*$(short repo c16)  .*breaks within 31 commits" \
  "^status: .*breaks (at $(short repo c20)|within 2 commits)"
never '^status: .*(100 %|about 0 s|━━━━━━━━━━)'

# Now the store tells, of the same repository and test only.
bisect 80 --dry-run
line='10 runs of [0-9.]+ s, about [0-9]+ builds of [0-9.]+ s \(from 10 earlier trials in .regengine/results.db\)'
matches out "^text:   about [0-9]+ s to [0-9]+ s: $line$"
bisect 80 --dry-run --test true
said "text:   how long is not known yet: .regengine/results.db has no earlier trial of this kind"

# Wider, there is room for more; stored runs count as done.
bisect 120 --budget 40
never '^status: .*building' # it is in the store
bisect 120 --store wide.db
counts_up
matches out "^status: commits [━╌]+ run 4 of about [0-9]+  testing $(short repo c24)  .*breaks within 16 commits"

# In a pipe one line for each run, and one where the answer so far is another.
expect 0 bisect --repo repo --good c1 --bad c32 --store pipe.db --build 'cp number built' \
  --test 'test "$(cat built)" -lt 20'
matches err "^run 1 of about 10: $(short repo c1) passes \(about [0-9]+ s left\)$" '^so far: breaks within 31 commits$'
[ "$(grep -c '^run ' err)" = 10 ] || fail "not one line for each run"
printf '\033' | grep -qf - err && fail "control characters in a pipe"

# Each stage prints its answer when it has it, and the status line says which stage it is.
cat >stages.lua <<'LUA'
local opt = reg.options {}
local function measure(subject, trial)
  trial:run { shell = "sleep 0.05" }
  return subject > 9 and 50 or 100
end
local function stage(title, kind)
  return reg.stage(reg.sweep({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 }, { title = title, kind = kind,
    into = opt.store, exact = true, metric = "speed", better = "higher", measure = measure, config = { of = title } }))
end
return reg.answer(stage("nights", "night"), stage("hours", "hour"))
LUA
python3 "$source_root/tests/scripts/progress_session.py" "$engine" 80 stages.lua --store stages.db >out ||
  fail "it failed"
awk '/^status: nights .*testing/ { first = 1 } first && /REGRESSION/ { answer = 1 }
  answer && /^status: hours .*testing/ { second = 1 } END { exit !second }' out || fail "the stages"
