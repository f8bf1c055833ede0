#!/bin/sh
# tests/scripts/test_console.sh REGENGINE: what goes to stdout, what to stderr, and what --quiet leaves out.
set -eu
engine=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > run.lua <<'LUA'
local p <close> = reg.progress { total = 3, title = "nights", metric = "mlups" }
p:update { subject = "a" }
p:update { done = 1, value = 587.9 }
print("result", 1, nil, true)
reg.log.info("half of %d", 3)
p:update { done = 2, subject = "b\27[2J", note = "build failed", best = "down\27[2J" }
p:update { best = "down\27[2J" }
reg.log.warn "careful"
reg.log.debug "detail"
LUA

expect() {  # expect FILE TEXT: the file is exactly that
  if [ "$(cat "$1")" != "$2" ]; then
    echo "FAILED: $1 holds:" && cat "$1" && echo "wanted:" && echo "$2"
    exit 1
  fi
}

"$engine" run.lua > out 2> err
expect out "$(printf 'result\t1\tnil\ttrue')"
sed -i 's/ (about [0-9]* s left)//' err
expect err '1/3 a mlups 587.9
half of 3
2/3 b\x1b[2J build failed
so far: down\x1b[2J
warning: careful'

"$engine" --quiet run.lua > out 2> err
expect out "$(printf 'result\t1\tnil\ttrue')"
expect err 'warning: careful'

REGENGINE_DEBUG=1 "$engine" -q run.lua 2> err > out
expect err 'warning: careful
debug: detail'

if "$engine" -e 'print "x"' > /dev/full 2> err; then
  echo "FAILED: a full disk went unnoticed" && exit 1
fi
grep -q "standard output: No space left on device" err || { echo "FAILED: a full disk is said as:" && cat err && exit 1; }

# Standard input, a line at a time, and the words behind the script's name.
cat > read.lua <<'LUA'
print(...)
local other = reg.spawn(function() reg.sleep(0.2) print "meanwhile" end)
for line in reg.read_line do print("[" .. line .. "]") end
other:wait()
LUA
{ printf 'one\n\ntwo '; sleep 1; printf 'three\nfour'; } | "$engine" read.lua a --b >out
expect out "$(printf 'a\t--b\n[one]\n[]\nmeanwhile\n[two three]\n[four]')"
mkfifo never
sleep 60 > never &
keeps_it_open=$!
"$engine" -e 'local first = reg.spawn(reg.read_line)
  reg.sleep(0.1)
  print(select(2, pcall(reg.read_line)).message)
  first:cancel()' < never > out
expect out "read_line: another task is reading standard input"
status=0
timeout --preserve-status -s INT 2 "$engine" -e 'reg.read_line()' < never 2> err || status=$?
kill "$keeps_it_open"
[ "$status" = 130 ] || { echo "FAILED: Ctrl-C while it waits gives $status" && exit 1; }
echo "console: all as promised"
