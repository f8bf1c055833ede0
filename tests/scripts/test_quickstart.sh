#!/bin/sh
# The first main job, as the README has it: real builds, real timings, the five culprits by name.
. "$(dirname "$0")/lib.sh"
need git make cc

named() { # LABEL SUBJECT: the commit that the answer names there
  grep -E "^  $1 +[0-9a-f]{40}   $2\$" out >/dev/null || fail "$1 is not: $2"
}
search() (
  expect 0 "$source_root/examples/quickstart.lua"
  named culprit "mix: three more rounds, against collisions"
  named culprit "mix: check each item twice while hunting a bug"
  named "ended by" "mix: the bug was elsewhere, check each item once"
  named culprit "mix: two fewer rounds are enough"
  named culprit "mix: one constant for all targets"
  [ "$(grep -cE '^  (culprit|ended by|one of) ' out)" = 5 ] || fail "not five culprits"
)
# It measures for 15 s: a machine that changes its speed then has another answer, once.
search || { echo "once more"; rm -rf .regengine quickstart; search; }
said "skipped 2024-03-20 (could not be built)" "skipped 2024-03-23 (crashed)"

runs=$(ask_store "SELECT count(*) AS n FROM trials")
expect 0 "$source_root/examples/quickstart.lua"
[ "$(ask_store "SELECT count(*) AS n FROM trials")" = "$runs" ] || fail "the second run measured something again"
named culprit "mix: one constant for all targets"

# The report's title names them, too.
id='[0-9a-f]{10}'
title="4 changes in Mitems/s: .* at $id; .* from $id until $id; .* at $id; .* at $id"
expect 0 share
head -n 1 out | grep -qE "^\*\*$title\*\*\$" || fail "the title names no commits: $(head -n 1 out)"
