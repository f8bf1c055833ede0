#!/bin/sh
# Commits in a row that do not build for one reason: a few are built, the rest is assumed to fail alike, and the answer,
# the report and the shared text say so in one line.
. "$(dirname "$0")/lib.sh"

# Sixty commits. 21 to 40 do not build; the change is among them, or outside.
numbered repo 60 '[ $number -gt 20 ] && [ $number -le 40 ] && echo broken >source || echo whole >source'
cat >build.sh <<END
echo run >>'$folder/builds'
grep -q whole source && exit
cat >&2 <<LOG
prog.c:7:18: error: no member named m\$(cat number)
    7 |   x.m;
      |   ^
cc1: all warnings being treated as errors
make: *** [makefile:3: \$PWD/prog.o] Error 1
LOG
exit 2
END
bisect() { # FIRST-BAD OPTIONS...
  first=$1; shift
  rm -rf .regengine/results.db* builds
  expect 0 bisect --repo repo --json --good c1 --bad c60 --build "sh '$folder/build.sh'" "$@" \
    --test "echo speed: \$((\$(cat number) < $first ? 200 : 150)); test \"\$(cat number)\" -lt $first"
}
tried() { ask_store "SELECT count(*) AS n FROM trials WHERE status = \"build_failed\""; }

# Of twenty at most 2 log2(20) + 4 are built; all of them and the first bad one may be the culprit.
bisect 30
answer "answer.changes[1].last_good == '$(id_of repo c20)' and answer.changes[1].first_bad == '$(id_of repo c41)'"
[ "$(tried)" -le 12 ] || fail "$(tried) of 20 were built"
all="20 commits skipped ($(short repo c21)..$(short repo c40)): prog.c:7:18: error: no member named m21"
line="$all ($(tried) tried, $((20 - $(tried))) assumed to fail alike"
said "$line; --try-skipped runs them)" "these 21 commits; 20 could not be tested" "... 12 more: --json lists them"
said "              $(id_of repo c41)   commit 41"
answer "#answer.changes[1].candidates == 21"
[ "$(grep -c skipped out)" = 3 ] || fail "more than the count and a line on what was skipped, beside the JSON"
answer "answer.skipped == 20 and #answer.skipped_ranges == 1"
answer "(function(r) return r.first == '$(id_of repo c21)' and r.last == '$(id_of repo c40)' and r.count == 20
  and r.tried == $(tried) and r.status == 'build_failed' end)(answer.skipped_ranges[1])"
says 0 "$line)" share --with-output --yes
expect 0 report --with-output --yes
grep -qF "$line)" report.html || fail "the report does not have the line"

# Again: nothing is built. With --try-skipped the others are, and only they.
runs_in=builds runs_nothing expect 0 bisect --repo repo --good c1 --bad c60 --build "sh '$folder/build.sh'" \
  --test "echo speed: \$((\$(cat number) < 30 ? 200 : 150)); test \"\$(cat number)\" -lt 30"
said "$line"
bisect 30 --try-skipped
[ "$(tried)" = 20 ] || fail "--try-skipped built $(tried) of 20"
answer "answer.changes[1].last_good == '$(id_of repo c20)' and answer.changes[1].first_bad == '$(id_of repo c41)'"
said "$all"
not_said "assumed"

# Next to the range, and by a number.
bisect 41
answer "answer.changes[1].last_good == '$(id_of repo c20)' and answer.changes[1].first_bad == '$(id_of repo c41)'"
bisect 42
answer "answer.changes[1].last_good == '$(id_of repo c41)' and answer.changes[1].first_bad == '$(id_of repo c42)'"
rm -rf .regengine/results.db*
expect 0 bisect --repo repo --json --good c1 --bad c60 --build "sh '$folder/build.sh'" --metric 'speed: {number}' \
  --test 'n=$(cat number); echo speed: $((n < 25 ? 2000 + n % 3 : 1500 + n % 3))'
answer "answer.changes[1].last_good == '$(id_of repo c20)' and answer.changes[1].first_bad == '$(id_of repo c41)'"
[ "$(tried)" -le 12 ] || fail "by a number $(tried) of 20 were built"
