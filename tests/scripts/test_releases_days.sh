#!/bin/sh
# releases.lua --requirements: the days on which a list of requirements resolved to something else, with real uv.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/wheels.sh"

for month in 1 2 3 4 5 6; do
  release days fast "1.$month" "$([ $month -lt 5 ] && echo 100 || echo 80)" --at "2024-0$month-10T12:00:00Z" \
    --requires base
done
for n in 1 2 3; do
  release days base "$n.0" 1 --at "2024-0$((n * 2 - 1))-20T23:30:00Z"
  release days other "0.$n" 1 --at "2024-0$((n * 2))-01T00:00:00Z"
done
serve_by_default days
printf 'fast\nother>0\n' >requirements.txt
fast=$(speed_of fast base)
by_day() { code=$1; shift; releases "$code" --test "$fast" "$@"; } # EXIT-CODE OPTIONS...

# A day counts to its end; between two days that resolve alike nothing is measured.
answers by_day 0 "#answer.changes == 1" --requirements requirements.txt --from 2024-02-01 --to 2024-06-30 --json
answer "answer.changes[1].last_good == '2024-04-10' and answer.changes[1].first_bad == '2024-05-10'"
days=$(tail -n 1 out | grep -o '"label":"[^"]*"' | cut -d'"' -f4 | cut -c 6- | tr '\n' ' ')
[ "$days" = "02-01 02-10 03-10 03-20 04-01 04-10 05-10 05-20 06-01 06-10 " ] || fail "other days: $days"

# The same again measures nothing. A day that is not over may still change.
runs_nothing by_day 0 --requirements requirements.txt --from 2024-02-01 --to 2024-06-30 --json
today=$(date -u +%F)
by_day 0 --requirements requirements.txt --from 2024-06-01 --to "$today" --json
answer "answer.verdict == 'no_change' and #answer.table == 2"
release days fast 1.7 60 --at "$(date -u +%FT%TZ)" --requires base
by_day 0 --requirements requirements.txt --from 2024-06-01 --to "$today" --json
answer "answer.changes[1].first_bad >= '$today'"
rm days/fast-1.7*

# Another index, another answer: here the same versions are other wheels.
mkdir slower
cp -p days/* slower
for month in 5 6; do release slower fast "1.$month" 60 --at "2024-0$month-10T12:00:00Z" --requires base; done
serve_by_default slower
by_day 0 --requirements requirements.txt --from 2024-02-01 --to 2024-06-30 --json
answer "answer.changes[1].first_bad == '2024-05-10' and math.abs(answer.changes[1].ratio - 0.6) < 0.01"
serve_by_default days

# A file that names others, relative to itself; constraints of --with.
mkdir sub
printf '%s\n' '-r more.txt' >sub/all.txt
echo fast >sub/more.txt
by_day 0 --requirements sub/all.txt --with 'base<2' --from 2024-02-01 --to 2024-06-30 --json
answer "answer.changes[1].first_bad == '2024-05-10' and #answer.table == 6"

# What cannot work is one line, before anything is installed or measured.
refused() { # MESSAGE OPTIONS...
  message=$1; shift
  : >runs
  rm -rf .regengine
  tells by_day 2 "$message" "$@"
  [ ! -s runs ] || fail "it measured something"
  [ -z "$(find .regengine -name complete 2>/dev/null)" ] || fail "it installed something"
}
refused "nothing meets the requirements on 2023-12-01" --requirements requirements.txt --from 2023-12-01 --to 2024-06-30
refused "is after" --requirements requirements.txt --from 2024-06-12 --to 2024-05-30
refused "not a valid" --requirements requirements.txt --from 1.0 --to 2024-05-30
refused "no such file" --requirements none.txt --from 2024-02-01 --to 2024-05-30
echo nonesuch >bad.txt
refused "nonesuch was not found" --requirements bad.txt --from 2024-02-01 --to 2024-05-30
echo 'fast ===((' >bad.txt
refused "===((" --requirements bad.txt --from 2024-02-01 --to 2024-05-30
refused "2024-06-12" --requirements requirements.txt --from 2024-06-12 --to 2024-06-30 # alike on all days
serve_by_default days --html # without upload times
refused "upload time" --requirements requirements.txt --from 2024-02-01 --to 2024-05-30
export REGENGINE_UV=
refused "uv" --requirements requirements.txt --from 2024-02-01 --to 2024-05-30
