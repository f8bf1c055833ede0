#!/bin/sh
# tests/search/trace_client.lua plays its protocol, here against this script: one step at place 40 of 64, counted from 0, where
# place 39 never builds and the first run of place 0 crashes.
. "$(dirname "$0")/lib.sh"

{
  printf '{"n":64,"min_effect":0.05,"min_dip_width":0,"max_error":0.02,"cost":{"build":1,"run":1},"candidates":['
  seq 0 63 | sed 's/.*/{"i":&,"build":&}/' | paste -sd,
  printf ']}'
} >public.json
mkfifo replies

result() { # PLACE
  if [ $runs -gt $budget ]; then
    printf '{"i":%d,"status":"budget"}' "$1"
  elif [ "$1" = 39 ]; then
    printf '{"i":%d,"status":"build_failed"}' "$1"
  elif [ "$1" = 0 ] && [ $runs = 1 ]; then
    printf '{"i":%d,"status":"run_failed"}' "$1"
  else
    printf '{"i":%d,"status":"ok","value":%d}' "$1" $((($1 < 40 ? 10000 : 9000) + runs % 3))
  fi
}

play() { # BUDGET [OPTIONS...]: the last line of ./asked is what it found
  budget=$1 runs=0; shift
  timeout 60 "$engine" --trust "$source_root/tests/search/trace_client.lua" public.json "$@" <replies | tee asked | while read -r line; do
    case $line in *run*) ;; *) continue ;; esac
    results=
    for place in $(echo "$line" | tr -cs 0-9 ' '); do
      runs=$((runs + 1))
      results="$results${results:+,}$(result "$place")"
    done
    echo "{\"results\":[$results],\"runs\":$runs}"
  done >replies
}
found() { tail -n 1 asked | grep -qF "$1" || { cat asked; fail "the answer does not hold: $1"; }; }

play 1000
found '"steps":[{"hi":40,"lo":38,'
found '"verdict":"changes"'
alone=$(grep -c '"run"' asked)

play 1000 --batch 4
found '"steps":[{"hi":40,"lo":38,'
[ "$(grep -c '"run"' asked)" -lt "$alone" ] || fail "batches took as many rounds"

play 3
found '"done"'
[ "$(grep -c '"run"' asked)" = 4 ] || fail "it went on when the budget was out"
echo "the trace client plays its protocol"
