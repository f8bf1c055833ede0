#!/bin/sh
# regengine-usage, the program that measures a command inside its container, here without one: what it writes, how it
# ends, which signals it passes on, and that the engine says where it is missing.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$engine")
program=$build/regengine-usage
[ -x "$program" ] || skip "regengine-usage is not built for this processor"
export LC_ALL=C

# EXIT-CODE COMMAND...
used() {
  code=$1; shift
  : >file
  exits "$code" "$program" file "$@"
}
# Of what was written, number N: microseconds in user mode, in the kernel, KiB, page faults, context switches.
number() { cut -d ' ' -f "$1" file; }
measured() { grep -qxE '[0-9]+ [0-9]+ [1-9][0-9]*( [0-9]+){4}' file || fail "written: $(cat file)"; }

# It needs no library, so it runs in any image.
! LC_ALL=C grep -q 'ld-linux\|ld-musl\|libc\.so' "$program" || fail "it needs a C library"
[ "$(wc -c <"$program")" -lt 65536 ] || fail "it is large"

# It ends as the command does, and leaves its output and arguments alone.
used 0 printf '%s|' 'a b' '' '*'
[ "$(cat out)" = 'a b||*|' ] && [ ! -s err ] || fail "arguments or output"
measured
used 7 sh -c 'echo here; exit 7'
said here
measured
used 139 sh -c 'kill -SEGV $$'
measured
[ "$(echo input | "$program" file cat)" = input ] || fail "standard input"

# It looks the command up as a shell does.
used 127 ./no-such-program
grep -q "^regengine-usage: cannot run './no-such-program': No such file or directory$" err || fail "not said"
used 126 "$folder"
mkdir bin && executable bin/own 'echo mine'
(cd bin && PATH="/nowhere::$PATH" "$program" ../file own) >out
said mine

# Without its file, or a command, nothing runs.
rm -f file ran
exits 125 "$program" "$folder/none/file" touch ran
noted "cannot write to '$folder/none/file': No such file"
[ ! -e ran ] || fail "it ran without its file"
exits 125 "$program" file

# A signal reaches the command, which decides what becomes of it; the program ends after it.
used 9 sh -c 'trap "exit 9" TERM; kill -TERM $PPID; while :; do sleep 0.05; done'
measured
tells used 0 alive sh -c 'trap "" HUP; kill -HUP $PPID; sleep 0.1; echo alive'
used 143 sh -c 'kill -TERM $PPID; exec sleep 1000'
measured
: >file
used 137 sh -c 'kill -KILL $PPID; sleep 0.1'
[ ! -s file ] || fail "a result after KILL: $(cat file)"

# A signal that was blocked or ignored before the start is so for the command, too.
(trap '' USR1; "$program" file sh -c 'kill -USR1 $$; echo ignored' >out) || fail "an ignored signal"
said ignored

# Children count once they were waited for, as on the host; what is left behind does not.
burn='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
used 0 sh -c "$burn"
alone=$(number 1)
used 0 sh -c "sh -c '$burn' & wait; sh -c '$burn'; sh -c '$burn'"
[ "$(number 1)" -gt $((alone * 5 / 4)) ] || fail "children: $(number 1) and alone $alone"
used 0 sh -c "{ $burn; $burn; $burn; $burn; touch burnt; } & sleep 0.01"
[ "$(number 1)" -lt "$alone" ] || fail "what was left behind: $(number 1) and alone $alone"
wait_until test -e burnt

# Memory is that of the largest process.
used 0 dd if=/dev/zero of=/dev/null bs=40M count=1
[ "$(number 3)" -gt 40000 ] && [ "$(number 3)" -lt 100000 ] || fail "memory: $(number 3) KiB"
used 0 true
[ "$(number 3)" -lt 20000 ] || fail "memory of true: $(number 3) KiB"

# An engine without it says so before it runs anything. This docker answers, and notes what it is asked to run.
executable bin/docker "[ \"\$1\" = version ] && echo 20 || touch $folder/ran"
mkdir alone
cp "$engine" alone/
engine=$folder/alone/regengine
for metric in @cpu @peak_memory; do
  PATH="$folder/bin:$PATH" expect 1 ab --image image --metric $metric 'touch ran' 'touch ran'
  complained "$metric: measuring a command in a container needs regengine-usage, which is not beside $folder/alone"
done
[ ! -e ran ] || fail "something was run"
