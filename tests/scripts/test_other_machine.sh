#!/bin/sh
# --reuse any-machine: the numbers of a slower machine save runs on this one, and its speed is not taken for a change.
. "$(dirname "$0")/lib.sh"
fake_driver gpu

# The first of 60 subjects with other numbers, and how slow this machine is; noise of about 1 %.
cat >test.sh <<'END'
run=$(($(cat world/runs 2>/dev/null || echo 0) + 1))
echo $run >world/runs
awk -v place="$1" -v first="$(cat world/first)" -v slow="$(cat world/slow)" -v run="$run" 'BEGIN {
  printf "time: %.4f s\n", slow * (place >= first ? 115 : 100) * (1 + (run * 37 % 100 - 50) / 3000) }'
END
cat >sweep.lua <<'END'
local opt = reg.options { "budget" }
local subjects = {}
for i = 1, 60 do subjects[i] = { id = "s" .. i, place = i } end
reg.answer(reg.sweep(subjects, {
  title = "speed", into = "r.db", budget = opt.budget,
  measure = function(subject, trial)
    return reg.metric.find(trial:run { shell = "sh test.sh " .. subject.place }.stdout, "time: {number} s")
  end,
}))
END
mkdir world

# FIRST: what two machines find together.
two_machines() {
  rm -rf world/runs r.db*
  echo "$1" >world/first
  printf 'gpu0.name=Fake GPU\ndriver=580.10\n' >gpu
  echo 1.3 >world/slow
  "$engine" sweep.lua --budget 7 >out 2>err || [ $? = 3 ] || fail "the slower machine"
  printf 'gpu0.name=Fake GPU\ndriver=590.10\n' >gpu
  echo 1 >world/slow
  before=$(cat world/runs)
  expect 0 sweep.lua --reuse any-machine --explain --json
  runs=$(($(cat world/runs) - before))
}

two_machines 41
said '"first_bad":"s41"'
[ "$(grep -o '"first_bad"' out | wc -l)" = 1 ] || fail "more than one change"
noted "another machine ran it, so this shows how the machines compare"
echo "$runs runs beside 7 of a machine that is 1.3 times as slow"

two_machines 99
said '"verdict":"no_change"'
