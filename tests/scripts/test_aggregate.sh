#!/bin/sh
# tests/scripts/test_aggregate.sh REGENGINE: the shipped aggregate.lua, as a user starts it.
. "$(dirname "$0")/lib.sh"

record() {  # MODEL DYNAMO XLA TIMESTAMP SECONDS
  printf '{"model":{"model_name":"%s"},"experiment":{"accelerator_model":"One of Tesla V100-SXM2",' "$1"
  printf '"test":"eval","batch_size":1,'
  printf '"dynamo":%s,"xla":%s},"metrics":{"total_time":[9,1,1,%s]},"timestamp":%s}\n' "$2" "$3" "$5" "$4"
}
{
  record bert '"inductor"' null 86400 0.4
  record bert '"openxla"' '"PJRT"' 86400 0.8
  record bert null '"PJRT"' 86400 1.6
  record bert '"inductor"' null 172800 0.2
} >results.jsonl

expect 0 aggregate.lua results.jsonl
cat >wanted <<'W'
# Datetime(UTC),Speedup(Inductor/Oldest Inductor),StdDev,Speedup(XLA+Dynamo/Oldest Inductor),StdDev
1970-01-02 00:00:00,1.0,0.0,0.5,0.0
1970-01-03 00:00:00,2.0,0.0,,
W
cmp out wanted || fail "the speedups"

expect 1 aggregate.lua results.jsonl --accelerator a100
noted "none of 4 results has these backends" "pass --by, such as --by level=9,1" # what a suite of other axes needs
expect 0 aggregate.lua --backends openxla+dynamo openxla+lazytensor results.jsonl --accelerator v100
grep -q '^1970-01-02 00:00:00,1.0,0.0,0.5,0.0$' out || fail "against another baseline"

says 0 "ModelName(Inductor)" aggregate.lua results.jsonl --format tab --report latest
printf '{"model":' >>results.jsonl
expect 0 aggregate.lua results.jsonl
cmp out wanted || fail "a cut line changes nothing else"
noted "results.jsonl:5: not a valid result: incomplete line"
expect 1 aggregate.lua results.jsonl -k 'no such' -x bert # no model is left
expect 0 aggregate.lua results.jsonl -kBER -xno
cmp out wanted || fail "filters by their letters"

# Any suite's results: the values of a field in place of backends.
for level in 1 9; do
  printf '{"model":{"model_name":"gzip"},"experiment":{"level":%s,"test":null},' $level
  printf '"metrics":{"total_time":[9,9,9,%s]},"timestamp":86400}\n' $level
done >levels.jsonl
expect 0 aggregate.lua levels.jsonl --by level=9,1
matches out '^# Datetime\(UTC\),Speedup\(level=9/Oldest level=9\),StdDev,Speedup\(level=1/Oldest level=9\),StdDev$' \
  '^1970-01-02 00:00:00,1.0,0.0,9.0,0.0$'
# Its other axes stay apart, and the plot names what it shows.
sed 's/"test":null/"test":null,"threads":4/; s/9,9,9,9/9,9,9,18/' levels.jsonl >threads.jsonl
expect 0 aggregate.lua levels.jsonl threads.jsonl --by level=9,1 --report latest_grouped
grep -q '^gzip,1.0,0.0,9.0,0.0$' out && grep -q '^gzip threads=4,1.0,0.0,18.0,0.0$' out || fail "two axes are one"
expect 0 aggregate.lua levels.jsonl --by level=9,1 --report latest --format plot
said 'Speedup over the oldest level=9' 'Speedup (times as fast)' 'Workload, from slow to fast' 'B level=1'
says 2 "no result has the field 'levl' (did you mean 'level'?)" aggregate levels.jsonl --by levl=9,1
expect 1 aggregate.lua levels.jsonl --by level=null,9 # no level is null

# Tiers: lists of models in JSON.
printf '{"tier1": ["bert"], "2": ["alexnet", "b.rt"]}' >tiers.json
expect 0 aggregate.lua results.jsonl --tiers tiers.json --filter-by-tier tier1
cmp out wanted || fail "a tier"
expect 1 aggregate.lua results.jsonl --tiers tiers.json --filter-by-tier 2 # bert is not in this tier
expect 1 aggregate.lua results.jsonl --tiers tiers.json --exclude-by-tier tier1 # bert is in this tier
expect 2 aggregate.lua results.jsonl --filter-by-tier tier1
noted "--filter-by-tier needs --tiers"

# Plots of all reports, in text; rows of nothing harm none of them.
{
  echo '{}'; echo null
  record alexnet '"openxla"' '"PJRT"' 86400 0.5
  printf '{"model":{"model_name":null},"experiment":{"accelerator_model":null,"test":"eval"},'
  echo '"metrics":{"total_time":null},"timestamp":1}'
} >odd.jsonl
for report in speedup histogram latest latest_grouped; do
  expect 0 aggregate.lua results.jsonl odd.jsonl --report $report --format plot --title "on V100"
  said "over the oldest Inductor" "on V100" XLA+Dynamo
  noted "results.jsonl:5: not a valid result"
done
expect 0 aggregate.lua results.jsonl -o speedup.csv
cmp speedup.csv wanted && [ ! -s out ] || fail "a file in place of standard output"

# Images, by gnuplot where there is one.
if command -v gnuplot >/dev/null; then
  for report in speedup histogram latest latest_grouped; do
    expect 0 aggregate.lua results.jsonl odd.jsonl --report $report --format svg --title "on V100" -o $report.svg
    cp $report.svg out
    said "over the oldest Inductor" "on V100" XLA+Dynamo "</svg>"
    expect 0 aggregate.lua results.jsonl --report $report -o $report.png --fig-width 4 --fig-height 3
    # Behind the signature and the header's name: width and height, two dots for each of 100 an inch.
    [ "$(head -c 24 $report.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a0000000d494844520000032000000258 ] ||
      fail "$report.png has no PNG's head, or another size"
  done
  expect 0 aggregate.lua results.jsonl -o by_default.png
  [ "$(head -c 24 by_default.png | od -An -tx1 -j16 | tr -d ' \n')" = 0000070800000546 ] || fail "9 by 6.75 inches"
fi
says 2 "an image needs --output FILE" aggregate.lua results.jsonl --format png
mkdir empty
if PATH=$PWD/empty "$engine" aggregate.lua results.jsonl -o none.png >out 2>err; then fail "there is no gnuplot"; fi
grep -q "gnuplot-nox" err && [ ! -e none.png ] || fail "the package that has gnuplot"

says 2 nowhere.jsonl aggregate.lua nowhere.jsonl
command -v gnuplot >/dev/null || skip "the images: gnuplot is not installed (apt-get install gnuplot-nox)"
