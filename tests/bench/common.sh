# What the benchmarks share. Each prints a line a comparison: ours, theirs, the ratio of the medians, the goal. The two sides
# take turns within one run, so that a machine whose speed drifts treats them alike.

engine=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_STATE_HOME="$folder/state"
"$engine" trust "$folder"

milliseconds() {  # COMMAND...: how long it took
  start=$(date +%s%N)
  "$@" >/dev/null 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }
  echo $((($(date +%s%N) - start) / 1000))
}

median() { sort -n | awk '{v[NR] = $1} END {print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

compare() {  # NAME GOAL ROUNDS OURS THEIRS: two functions or commands, in turn
  : >ours.times; : >theirs.times
  round=0
  while [ $round -le "$3" ]; do
    a=$(milliseconds $4); b=$(milliseconds $5)
    [ $round -eq 0 ] || { echo "$a" >>ours.times; echo "$b" >>theirs.times; }  # the first round warms up
    round=$((round + 1))
  done
  report "$1" "$2" "$(median <ours.times)" "$(median <theirs.times)"
}

number() {  # NAME UNIT EXPRESSION [GOAL]: one number of ours, computed by awk
  awk "BEGIN { printf \"%-58s ours %10.3f %s   %s\\n\", \"$1\", $3, \"$2\", \"${4:-}\" }"
}

report() {  # NAME GOAL OURS_us THEIRS_us
  awk -v name="$1" -v goal="$2" -v a="$3" -v b="$4" 'BEGIN {
    printf "%-58s ours %10.2f ms   theirs %10.2f ms   ratio %7.3f   goal %s\n", name, a / 1000, b / 1000, a / b, goal }'
}
