#!/bin/sh
# tests/scripts/test_boxed.sh REGENGINE: an untrusted script runs in a second process, and nobody notices: exit codes,
# signals, kill -9 of either, standard input, Markdown, files of its commands, modules, --dry-run and --audit.
. "$(dirname "$0")/lib.sh"
"$engine" trust --forget "$folder"
mkdir here tmp && cd here
export TMPDIR="$folder/tmp"

run_lua 3 'return 3'
run_lua 1 'error "broken"'
noted "regengine: case.lua:1: broken"
run_lua 2 'print('
echo 'print "read"' | "$engine" - >out || fail "standard input"
said read
# An empty text is a script that does nothing: standard input is not read in its place.
echo 'print "read"' | "$engine" -e '' >out 2>err || fail "an empty text"
[ ! -s out ] && [ ! -s err ] || fail "an empty text does something"
printf '# Seen\n\n```lua\nprint "block"\n```\n' >seen.md
says 0 block seen.md
mkdir parts && echo 'return "module"' >parts/one.lua && echo 'print(require "parts.one")' >../outside.lua &&
  mkdir ../parts && echo 'return "module beside it"' >../parts/one.lua
says 0 "module beside it" ../outside.lua

printf '%s\n' 'print(reg.process.run({ cmd = { "sort" }, stdin = "b\na\n", out = "sorted" }).code, reg.fs.read "sorted")' >sort.lua
says 0 a --allow process=sort --allow files=sorted --audit ../audit sort.lua
grep -q '"what":"sort"' ../audit || fail "the audit lacks the command"
echo 'return 3' >ends.lua
for log in audit ./parts/audit "$TMPDIR/../here/audit"; do
  says 2 "the script could change its own audit log" --audit "$log" ends.lua
  complained "which the script may write"
done
[ ! -e audit ] && [ ! -e parts/audit ] || fail "a refused run left an empty audit log"
expect 3 --trust --audit audit ends.lua
[ "$(cat sorted)" = "$(printf 'a\nb')" ] || fail "the command's file"
[ -z "$(ls "$TMPDIR")" ] || fail "a temporary folder is left: $(ls "$TMPDIR")"

# A shipped script runs in a box, too, once it loads somebody's file as code.
cat >found.lua <<'END'
print((reg.fs.read("/proc/self/cmdline"):find("--boxed", 1, true)) and "in the box" or "outside")
reg.needs { process = "true" }
return { name = "found", workloads = { "a" }, command = function() return { "true" } end }
END
says 0 "in the box" --allow 'files=/proc/*/cmdline' --dry-run suite --suite found.lua
"$engine" trust found.lua
says 0 outside --dry-run suite --suite found.lua
"$engine" trust --forget found.lua
mkdir ../elsewhere && mv found.lua ../elsewhere
says 0 "in the box" --allow 'files=/proc/*/cmdline' --dry-run suite --suite ../elsewhere/found.lua
expect 1 --allow 'files=/proc/*/cmdline' suite --suite ../elsewhere/found.lua --repeat 1 --output-dirname other
said "in the box"

# The process that runs the script: the child of the one that was started.
inner() { pgrep -P "$pid" -f -- --boxed; }
running() { pgrep -f "sleep 6543[$1]" >/dev/null; }

echo 'print "begun" reg.process.run { cmd = { "sleep", "65431" } }' >sleep.lua
expect 0 --dry-run sleep.lua
for signal in INT TERM HUP; do
  launch --allow process=sleep sleep.lua
  wait_until running 1
  kill -$signal $pid
  ended 130
  complained "stopped; finished work is kept"
  ! running 1 || fail "$signal: the command is left"
done

launch --allow process=sleep sleep.lua
wait_until running 1
boxed=$(inner)
kill_when true
wait_until gone "$boxed"
! running 1 || { sleep 1; ! running 1 || fail "kill -9 outside: the command is left"; }

launch --allow process=sleep sleep.lua
wait_until running 1
kill -9 "$(inner)"
ended 137
! running 1 || fail "kill -9 inside: the command is left"

# Native code (tests/support/fakes/hole.c) that blocks every signal and is never done: the second Ctrl-C ends it.
hole() { # WORD OPTIONS...
  rm -f hanging hole-*
  : >"hole-$1"
  echo "reg.fs.read 'hole-$1'" >hang.lua
  shift
  LD_PRELOAD="$REGENGINE_FAKES/hole.so" ASAN_OPTIONS=verify_asan_link_order=0 setsid "$engine" "$@" hang.lua >out 2>err &
  pid=$!
}
hole hang
wait_until [ -e hanging ]
boxed=$(inner)
kill -INT $pid
sleep 1
kill -0 "$boxed" || fail "one Ctrl-C ends it at once: it does not hang"
kill -INT $pid
ended 130
wait_until gone "$boxed"

# One that computes meanwhile is ended by the first, and beyond the limit without Ctrl-C.
hole spin
wait_until [ -e hanging ]
boxed=$(inner)
kill -INT $pid
wait $pid || true
wait_until gone "$boxed"
hole compute --instructions 1000000
ended 1
complained "the script was stopped in a call that computed beyond the limit"

# A process that is not a broker's child is not boxed, and --boxed is not an option.
says 2 "--boxed" --boxed ends.lua

# Where the kernel has no Landlock, somebody must say so.
export LD_PRELOAD="$REGENGINE_FAKES/landlock.so" FAKE_LANDLOCK_VERSION=0
says 1 "ends.lua was not run: it is not trusted, and this kernel has no Landlock" ends.lua
expect 3 --trust ends.lua
