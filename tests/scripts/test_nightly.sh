#!/bin/sh
# nightly.lua on the local runtime, where an image is a folder: thirty nights, one missing, one failing, two lasting
# changes, a temporary one.
. "$(dirname "$0")/lib.sh"

nights nights/jax- 2023-07-01 30 'echo $((i < 7 ? 100 : i < 13 || i > 17 && i < 24 ? 80 : i < 18 ? 60 : 70)) >level'
rm -r nights/jax-2023-07-04 # nobody built that one
touch nights/jax-2023-07-20/broken
cat >test.sh <<END
echo "\$PWD" >>'$folder/runs'
[ ! -e broken ] || { echo "Traceback: no such attribute" >&2; exit 1; }
awk -v run="\$(wc -l <'$folder/runs')" '{ print "MLUPS: " \$1 + run * 37 % 100 / 1000 }' level
END
given nightly 'nightly --runtime local --image "$folder/nights/jax-{date}" --from 2023-07-01 --to 2023-07-30 \
  --test test.sh --metric "MLUPS: {number}"'

# A dry run says what would be and leaves the disk as it is.
before=$(find . | grep -v '^\./\(out\|err\)$' | sort)
tells nightly 0 "29 subjects" --dry-run
said "would take" "no image for 1 night: 2023-07-04"
[ "$(find . | grep -v '^\./\(out\|err\)$' | sort)" = "$before" ] || fail "a dry run left something on the disk"

# Every night.
nightly 0 --every --json
answer "answer.verdict == 'changes' and #answer.changes == 3 and answer.skipped == 1 and answer.runs >= 29"
answer "math.type(answer.runs) == 'integer' and math.type(answer.skipped) == 'integer' and answer.seconds > 0"
answer "(function() for _, c in ipairs(answer.changes) do
  for _, key in ipairs { 'kind', 'last_good', 'first_bad', 'before', 'after', 'ratio', 'p' } do
    if c[key] == nil then return false end
  end
  if (c.kind == 'dip') ~= (c.recovered_at ~= nil) then return false end
end return true end)()"
answer "(function(c) return c.kind == 'step' and c.last_good == '2023-07-06' and c.first_bad == '2023-07-07'
  and math.abs(c.ratio - 0.8) < 0.01 end)(answer.changes[1])"
answer "(function(c) return c.kind == 'dip' and c.last_good == '2023-07-12' and c.first_bad == '2023-07-13'
  and c.recovered_at == '2023-07-18' end)(answer.changes[2])"
answer "(function(c) return c.kind == 'step' and c.last_good == '2023-07-23' and c.first_bad == '2023-07-24' end)(answer.changes[3])"
said "skipped 2023-07-20 (could not be tested): exit code 1: Traceback: no such attribute"
said "no image for 1 night: 2023-07-04"
[ "$(head -n 1 out | cut -c 1-26)" = "REGRESSION   MLUPS 100 -> " ] || fail "the answer does not begin with a change"
said "TEMPORARY REGRESSION   MLUPS " "  first bad   2023-07-07   $folder/nights/jax-2023-07-07"
said "1 of 29 nights skipped. " "Next:  regengine report   the page with plots and every run"
said "regengine investigate.lua --runtime local --image '$folder/nights/jax-{date}' --from 2023-07-"
answer "answer.metric == 'MLUPS' and answer.unit == 'MLUPS' and answer.direction == 'higher' and answer.investigation > 0"
answer "(function(c) return c.role == 'regression' and c.confidence == c.p and c.good.id == '2023-07-06'
  and c.bad.image == '$folder/nights/jax-2023-07-07' and c.candidates == nil and c.open == nil end)(answer.changes[1])"
answer "#answer.missing == 1 and answer.missing[1] == '2023-07-04'"

# Without --every the two steps are found in fewer nights.
fresh nightly 0 --json
nights=$(sort -u runs | wc -l)
[ "$nights" -lt 29 ] || fail "without --every all $nights nights were measured"
answer "answer.verdict == 'changes' and answer.changes[1].first_bad == '2023-07-07'"
answer "answer.changes[#answer.changes].first_bad == '2023-07-24'"

# Several at a time; why each was run; a budget; a night that is measured again and again.
fresh nightly 0 --parallel 4 --json
answer "answer.changes[1].first_bad == '2023-07-07' and answer.changes[#answer.changes].first_bad == '2023-07-24'"
fresh tells nightly 0 "first look" --explain
grep -Eq '^2023-07-[0-9]+ .* splits 2023-07-[0-9]+\.\.2023-07-[0-9]+, where the probability of a change is [> ]*[0-9]+ %' out || fail "no table of reasons"
grep -Eq '^2023-07-[0-9]+: splits ' err || fail "no reasons as it goes"
fresh answers nightly 3 "answer.verdict == 'inconclusive' and answer.runs == 6" --budget 6 --json
[ "$(lines_in runs)" = 6 ] || fail "a budget of 6 gave $(lines_in runs) runs"

# What leads on is ready to paste: with the store where it is another, and without the value of a variable that came
# from the environment.
echo 'awk "{ print \"MLUPS: \" \$1 }" level' >test.sh
export SECRET=hidden
nightly 4 --to 2023-07-12 --every --env SECRET --env OPEN=1 --store other.db --fail-on-regression --only regressions
said "Next:  regengine report --store other.db   the page"
said "regengine investigate.lua --runtime local --image '$folder/nights/jax-{date}' --from 2023-07-06 --to 2023-07-07 --test test.sh --metric 'MLUPS: {number}' --env SECRET --env OPEN=1 --fail-on-regression --only regressions --repo NAME=PATH --store other.db"
not_said hidden
nightly 0 --to 2023-07-12 --every --store other.db --better lower --fail-on-regression
said "IMPROVEMENT   MLUPS 100 -> 80"
rm -r other.db*

tells nightly 2 "other-" --image "$folder/nights/other-{date}"
