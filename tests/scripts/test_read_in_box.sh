#!/bin/sh
# tests/scripts/test_read_in_box.sh REGENGINE: every command that reads a store or results which somebody else may have
# made reads them in the sandbox, and does its work all the same.
. "$(dirname "$0")/lib.sh"
mkdir outside ws && cd ws

# in_box CODE WORDS...: it ends with this code, and nothing outside the sandbox opened a file "foreign.*".
in_box() {
  code=$1; shift
  LD_PRELOAD="$REGENGINE_FAKES/hole.so" ASAN_OPTIONS=verify_asan_link_order=0 alone "$code" "$@"
  [ ! -e ../outside/opened ] || fail "a process outside the sandbox opened it: regengine $*"
}
wrote() { [ -s "$1" ] || fail "no $1"; rm "$1"; }

expect 0 ab --store foreign.db --budget 6 --metric 'x: {number}' "echo x: 10" "echo x: 20"
sqlite3 foreign.db "UPDATE investigations SET verdict = replace(verdict, 'echo x: 10', 'echo x: 11')"
for i in 1 2 3 4 5 6; do
  printf '{"model":{"model_name":"bert"},"experiment":{"accelerator_model":"One of Tesla V100","test":"eval",'
  printf '"batch_size":1,"dynamo":"inductor","xla":null},"metrics":{"total_time":[9,1,1,0.4]},"timestamp":%s}\n' $((86400 * i))
done >foreign.jsonl
mkdir output && cp foreign.jsonl output

in_box 0 list --store foreign.db
in_box 0 show --store foreign.db
in_box 0 share --store foreign.db -o shared.md
wrote shared.md
in_box 0 report --store foreign.db
wrote report.html
tells in_box 0 "nothing is damaged" doctor foreign.db
in_box 1 why --store foreign.db
grep -qF "investigation 1 of foreign.db was not made by you" err && grep -qF "echo x: 11" err || fail "nobody is asked"
in_box 2 why --store foreign.db 77
in_box 0 why --store other.db "sleep 0.01" "sleep 0.01" --dry-run
mkdir foreign.db.out/nobody-77 && touch foreign.db.out/nobody-77/.regengine
tells in_box 0 "foreign.db.out/nobody-77  (no trial of foreign.db has it)" gc
in_box 0 gc --remove
[ ! -e foreign.db.out/nobody-77 ] && ls foreign.db.out/* >/dev/null || fail "gc removed the wrong folders"
in_box 0 aggregate foreign.jsonl -o speedups.csv
wrote speedups.csv
in_box 0 aggregate foreign.jsonl --output=speedups.csv
wrote speedups.csv
if command -v gnuplot >/dev/null; then
  in_box 0 aggregate foreign.jsonl -ospeedups.png
  wrote speedups.png
fi
in_box 0 compare foreign.jsonl output --csv compared.csv
wrote compared.csv
tells in_box 2 "no results of a suite in foreign.db" compare foreign.db foreign.db
in_box 0 analyze
wrote output/metric_report.csv
wrote output/database.csv
in_box 0 analyze --output_dirname=output --output-format jsonl
wrote output/metric_report.jsonl

# A script in Markdown, and one that may be.
printf 'Run this:\n\n```lua\nprint(1 + 2, ...)\n```\n' >foreign.md
cp foreign.md foreign.txt
for file in foreign.md foreign.txt; do  # not with an option of ours: whose it is, its text says
  tells in_box 0 "3	x	-z	y z" $file x -z "y z"
done
tells in_box 2 "foreign.md has no lua block 2; it has 1" --block 2 foreign.md
printf '\n```lua\nprint(4, ...)\n```\n' >>foreign.md
tells in_box 2 "foreign.md has 2 lua blocks" foreign.md
tells in_box 0 "4	x" foreign.md --block 2 x

# Whose an option is, is found out outside: by searching, however long the text.
{ printf '```lua\nreg.options.memory'; head -c 3000000 /dev/zero | tr '\0' ' '; printf '= 1\n```\n'; } >long.md
expect 1 long.md --memory 1G

# The names that analyze writes by itself may be links in a folder of somebody else.
echo precious >../precious
ln -s ../../precious output/metric_report.csv
tells in_box 2 "metric_report.csv is a link to" analyze
[ "$(cat ../precious)" = precious ] || fail "analyze wrote where a link leads"

# The test can fail: what is typed at the prompt or with -e reads with all rights.
LD_PRELOAD="$REGENGINE_FAKES/hole.so" ASAN_OPTIONS=verify_asan_link_order=0 "$engine" \
  -e 'local store <close> = reg.store.open("foreign.db", { read_only = true })' || fail "-e cannot read it"
[ -e ../outside/opened ] || fail "the test sees nothing"
