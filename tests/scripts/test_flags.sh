#!/bin/sh
# tests/scripts/test_flags.sh REGENGINE: the shipped flags.lua, on a program that reads FLAGS, and with the real compiler.
. "$(dirname "$0")/lib.sh"

# A program that says how long a step takes with these flags.
noisy program 0.01 <<'END'
case " $FLAGS " in *" --unknown "*) echo "Unknown flag in FLAGS: --unknown" >&2; exit 134 ;; esac
case " $FLAGS " in *" --fuse=2 "*) t=112 ;; *) t=100 ;; esac
END
good='FLAGS=--fuse=1 --same'
bad="FLAGS=--same --fuse=2 --a --b --c --d --e=5 --f --g --h --i"
metric='step time: {number} ms'

# A changed flag among eleven.
expect 0 flags --good "$good" --bad "$bad" --test ./program --metric "$metric" --json
n='[0-9.]+' interval='95 % interval \+[0-9.]+ to \+[0-9.]+ %'
first_line "^REGRESSION   step time $n -> 1[01][0-9.]* ms   \+1[0-9.]* %  \($interval\)   confidence "
said "  culprit     --fuse=1 -> --fuse=2"
matches out '^  good plus --fuse=1 -> --fuse=2 loses [0-9]+ %.*; bad minus --fuse=1 -> --fuse=2 regains [0-9]+ %' \
  '^The other 9 together change less than [0-9.]+ %\. [0-9]+ runs, '
answer 'answer.verdict == "found" and answer.regression and answer.items == 10 and #answer.culprits == 1'
answer 'answer.culprits[1].alone.value > 0.5 and answer.culprits[1].without.value > 0.5 and answer.runs <= 40'

# The list, the page and its title name the culprit; the labels say what a set has.
"$engine" list | grep -qE "step time rises by 1[0-9.]* % with --fuse=1 -> --fuse=2" || fail "list"
expect 0 report --yes -o flags.html
matches flags.html "<title>flags: step time rises by 1[0-9.]* % with --fuse=1 -&gt; --fuse=2, [0-9]+ trials" \
  '<title>good: ' '<title>bad: ' "<title>good plus --fuse=1 -&gt; --fuse=2: " "<title>bad minus [^:]*: "

# A single flag, and two that the budget does not tell apart.
expect 0 flags --store one.db --good FLAGS=--fuse=1 --bad FLAGS=--fuse=2 --test ./program --metric "$metric" --json
said "  culprit     --fuse=1 -> --fuse=2"
answer 'answer.verdict == "found" and answer.items == 1 and answer.rest.value == 0 and answer.rest.high == 0'
answers expect 3 'answer.verdict == "inconclusive" and answer.rest.value and not answer.rest.high' flags \
  --store two.db --good FLAGS=--fuse=1 --bad 'FLAGS=--fuse=2 --a' --test ./program --metric "$metric" --budget 4 --json

# A program with other contents is another program.
before=$(lines_in runs)
echo '#' >>program
expect 4 flags --good "$good" --bad "$bad" --test ./program --metric "$metric" --fail-on-regression --explain
[ "$(lines_in runs)" -gt "$before" ] || fail "the new program did not run"
said "without"

# kill -9 loses the run that is under way.
executable slow <<'END'
echo run >>slow.log
[ ! -e gate ] || [ "$(wc -l <slow.log)" -lt 4 ] || exec sleep 600
case " $FLAGS " in *" --b "*) exit 1 ;; esac
END
touch gate
launch flags --good 'FLAGS=' --bad 'FLAGS=--a --b --c --d --e --f' --test ./slow --store killed.db
kill_when has_lines slow.log 4
rm gate
expect 0 flags --good 'FLAGS=' --bad 'FLAGS=--a --b --c --d --e --f' --test ./slow --store killed.db --json
said "  culprit     --b" "  good plus --b fails; bad minus --b passes."
answer 'answer.pass_fail and answer.reused == 3'

# Candidates: the one that aborts is left out.
printf '# flags to try\n--x\n--unknown\n\n--fuse=2\n--y\n' >candidates
says 0 "  culprit     --fuse=2" flags --good "$good" --candidates candidates --test ./program --metric "$metric" --json
said "  skipped     --unknown"
grep -q '^warning: cannot test good plus all: ' err || fail "no warning that all together cannot be tested"
answer 'answer.excluded[1] == "--unknown" and answer.ends.all == "good plus all"'

# Nothing differs; a budget; the good side does not run.
says 0 "No difference: the test passes with good and with bad." flags --good 'FLAGS=--a' --bad 'FLAGS=--b' --test true
expect 3 flags --good 'FLAGS=' --bad 'FLAGS=--a --b --c --d --e --f --g --b2' --test './slow' --budget 4 --store budget.db
said "Inconclusive: the budget is spent"
expect 1 flags --good "FLAGS=--unknown" --bad "$bad" --test ./program --metric "$metric"
noted "cannot test good: killed by signal 6"

# Mistakes, before anything runs.
runs_nothing says 2 "nowhere" flags --good 'FLAGS=--a' --candidates nowhere --test ./program
runs_nothing says 2 "needs --good or --bad" flags --test ./program
runs_nothing expect 2 flags --good 'FLAGS' --bad 'FLAGS=--a' --test ./program
runs_nothing says 0 "./program" flags --good "$good" --bad "$bad" --test ./program --metric "$metric" --dry-run

# LUA: a list out of examples/optimizers.lua, one flag a line.
cp "$source_root/examples/optimizers.lua" .
optimizers() {
  echo "for _, flag in ipairs(require 'optimizers'.$1) do print(flag) end" >list.lua
  "$engine" list.lua
}

# clang, by time: without vectors this loop of divisions takes four times as long. Each pass that can be disabled is a
# candidate.
if command -v clang >/dev/null; then
  cat >divide.c <<'END'
#include <stdio.h>
#include <time.h>
static float a[4096], b[4096], c[4096];
int main(void) {
  for (int i = 0; i < 4096; ++i) a[i] = 1 + i % 7, b[i] = 1 + i % 5;
  for (int r = 0; r < 40000; ++r) {
    a[r % 4096] += 1;
    for (int i = 0; i < 4096; ++i) c[i] = a[i] / b[i] + b[i] / (a[i] + b[i]);
  }
  printf("c[7] %g\nCPU time: %.6f s\n", c[7], (double)clock() / CLOCKS_PER_SEC);
}
END
  optimizers "off_in_clang()" >candidates
  [ "$(wc -l <candidates)" -ge 20 ] || fail "clang lists few options"
  says 0 "REGRESSION   CPU time" flags --good 'CFLAGS=-O2' --candidates candidates \
    --build 'clang $CFLAGS divide.c -o divide' --test ./divide --metric 'CPU time: {number} s' --json
  said "  culprit     -fno-vectorize"
  answer 'answer.verdict == "found" and #answer.culprits == 1'
else
  echo "SKIPPED: no clang: the part with its options"
fi

# What of -O3 makes code larger, by gcc, is in docs/comparing.md; which flags there are, is asked here.
if command -v gcc >/dev/null; then
  [ -n "$(optimizers 'added("-O3", "-O2")')" ] || fail "gcc lists no flag that -O3 adds"
else
  echo "SKIPPED: no gcc: the part with its options"
fi
