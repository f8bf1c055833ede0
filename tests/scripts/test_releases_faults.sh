#!/bin/sh
# releases.lua on bad input, on an index that fails, on environments that are damaged, and killed at any moment, with
# real uv. REGENGINE_KILLS=50 kills it at as many moments of its installs.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/wheels.sh"

for package in base more also again; do release wheels "$package" 1.0 1; done
for n in 1 2 3 4 5 6; do
  release wheels fast "1.$n" "$([ $n -lt 5 ] && echo 100 || echo 80)" --requires base --requires more --requires also \
    --requires again
  release wheels unlike "1.$n" 50
done
serve_by_default wheels
port=$(echo "$url" | grep -o '[0-9]*/simple' | cut -d/ -f1)
fast=$(speed_of fast base more also again)
search() { releases "$@" --every --retry-for 10s; }
found() { answer "#answer.changes == 1 and answer.changes[1].first_bad == '1.5' and answer.skipped == 0"; }
all_of() { search 0 --package fast --from 1.1 --to 1.6 --test "$fast" --json; found; }

# Bad input is one line, before anything is installed.
refused() { # MESSAGE OPTIONS...
  message=$1; shift
  search 2 --test true "$@"
  complained "$message"
  [ -z "$(find .regengine -name complete 2>/dev/null)" ] || fail "it installed something"
}
refused "no index has a package 'nonesuch'" --package nonesuch --from 1.0
refused "fast has no release from 7 to 8" --package fast --from 7 --to 8
refused "fast has no release from 2023-01-01 to 2023-02-01" --package fast --from 2023-01-01 --to 2023-02-01
refused "fast;true" --package 'fast;true' --from 1.1
refused "not like this (" --package fast --from 1.1 --with 'not like this ('
refused "Python 3.99 was not found" --package fast --from 1.1 --python 3.99
refused "/nonexistent/python was not found" --package fast --from 1.1 --python /nonexistent/python
refused "not the address of an index" --package fast --from 1.1 --index nonsense
refused "needs --package" --from 1.1

# An index that answers 503 twice; one that does not answer, before and in the middle; the same command goes on.
kill "$index"
serve_by_default wheels --fail 2 --port "$port"
all_of
grep -q "trying again" err || fail "no word of the outage"
rm -rf .regengine uv
kill "$index"
expect 1 releases --package fast --from 1.1 --to 1.6 --test "$fast" --metric 'speed: {number}' --retry-for 1s
grep -q "the index of Python packages does not answer" err || fail "no word of the index"
serve_by_default wheels --port "$port"
launch releases --package fast --from 1.1 --to 1.6 --test "sleep 0.1; $fast" --metric 'speed: {number}' --every \
  --retry-for 1s
wait_until there .regengine/results.db # resolved; nothing is installed
kill "$index"
ended 1
grep -q "the index of Python packages does not answer" err || fail "an outage is no reason to skip a release"
serve_by_default wheels --port "$port"
search 0 --package fast --from 1.1 --to 1.6 --test "sleep 0.1; $fast" --json
found

# An environment that is damaged, or removed while its test runs, is made again: no other Python is measured.
mkdir bin
executable bin/python 'echo speed: 1'
PATH=$folder/bin:$PATH
for environment in .regengine/environments/*/; do rm -f "$environment"bin/python*; done
search 0 --package fast --from 1.1 --to 1.6 --test "$fast" --fresh --json
found
answer "answer.changes[1].before > 90"
search 0 --package fast --from 1.1 --to 1.6 --test "sleep 0.3; $fast" --store slow.db --json &
pid=$!
for n in 1 2 3; do
  "$engine" releases --package unlike --from "1.$n" --to "1.$((n + 3))" --test "$(speed_of unlike)" --keep 2 \
    --store "other$n.db" --metric 'speed: {number}' >other 2>&1 || { cat other; fail "the other search"; }
done
ended 0
lowest=$(store=slow.db ask_store "SELECT cast(min(value) AS INT) AS n FROM samples")
[ "$lowest" -ge 80 ] || fail "another Python was measured: $lowest"

# Killed at moments that spread over its installs, alone or with all that it started, and every twelfth time with pip:
# nothing is used that is not complete, and nothing is left.
family() { echo "$1"; for child in $(pgrep -P "$1"); do family "$child"; done; }
kills=${REGENGINE_KILLS:-5}
for i in $(seq "$kills"); do
  rm -rf .regengine uv
  unset REGENGINE_UV
  [ $((i % 12)) != 0 ] || export REGENGINE_UV=
  launch releases --package fast --from 1.1 --to 1.6 --test "$fast" --metric 'speed: {number}' --every
  sleep "$(awk -v i="$i" -v n="$kills" -v pip="${REGENGINE_UV+12}" 'BEGIN { printf "%.3f", (0.1 + 1.6 * i / n) * (pip ? pip : 1) }')"
  if [ $((i % 2)) = 0 ]; then kill -9 $(family "$pid") 2>/dev/null || true; else kill -9 "$pid" 2>/dev/null || true; fi
  wait "$pid" 2>/dev/null || true
  all_of
  for environment in .regengine/environments/*/bin; do
    [ -e "${environment%/bin}/complete" ] || fail "moment $i: it left ${environment%/bin}"
  done
  [ -z "$(find .regengine/environments/locks -name '*.new*')" ] || fail "moment $i: it left a part of a lock"
  ! pgrep -f -- "$folder/.regengine/environments" >left || fail "moment $i: these still run: $(cat left)"
done
echo "no fault changes the answer"
