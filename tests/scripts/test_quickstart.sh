#!/bin/sh
# The first main job, as the README has it: real builds, real timings, the four culprits by name.
. "$(dirname "$0")/lib.sh"
for tool in git make cc; do
  command -v $tool >/dev/null || skip "no $tool"
done

expect 0 "$source_root/examples/quickstart.lua"
said "The commits of the 4 changes:"
culprits() { sed -n '/^The commits of the 4 changes/,$p' out; } # what it names there: four lines of "SHORT-ID SUBJECT NUMBERS (DATE)"
[ "$(culprits | grep -c 'Mitems/s')" = 4 ] || fail "not four commits"
for subject in "mix: two more rounds, against collisions" "mix: check each item twice while hunting a bug" \
  "mix: the bug was elsewhere, check each item once" "mix: one constant for all targets"; do
  culprits | grep -qF "$subject" || fail "not named: $subject"
done
said "skipped 2024-03-20 (could not be built)"
said "skipped 2024-03-23 (crashed)"

runs=$(ask_store "SELECT count(*) AS n FROM trials")
expect 0 "$source_root/examples/quickstart.lua"
[ "$(ask_store "SELECT count(*) AS n FROM trials")" = "$runs" ] || fail "the second run measured something again"
said "The commits of the 4 changes:"
echo "the quickstart finds its four changes"
