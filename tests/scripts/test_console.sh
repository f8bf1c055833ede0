#!/bin/sh
# What goes to stdout, what to stderr, and what --quiet leaves out.
. "$(dirname "$0")/lib.sh"

cat >run.lua <<'LUA'
local p <close> = reg.progress { total = 3, title = "nights" }
p:update { subject = "a" }
p:update { done = 1, note = "mlups 587.9" }
print("result", 1, nil, true)
reg.log.info("half of %d", 3)
p:update { done = 2, subject = "b\27[2J", note = "build failed", best = "down\27[2J" }
p:update { best = "down\27[2J" }
reg.log.warn "careful"
reg.log.debug "detail"
LUA
is() { [ "$(cat "$1")" = "$2" ] || fail "$1 is not exactly: $2"; } # FILE TEXT

expect 0 run.lua
is out "$(printf 'result\t1\tnil\ttrue')"
sed -i 's/ (about [0-9]* s left)//' err
is err '1/3 a mlups 587.9
half of 3
2/3 b\x1b[2J build failed
so far: down\x1b[2J
warning: careful'

expect 0 --quiet run.lua
is out "$(printf 'result\t1\tnil\ttrue')"
is err 'warning: careful'
REGENGINE_DEBUG=1 expect 0 -q run.lua
is err 'warning: careful
debug: detail'

expect 0 -e 'print "raw \27\0\255" reg.log.warn "esc \27"'
printf 'raw \033\0\377\n' | cmp - out || fail "not each byte"
is err 'warning: esc \x1b'

! "$engine" -e 'print "x"' >/dev/full 2>err || fail "a full disk went unnoticed"
noted "standard output: No space left on device"

# Standard input, a line at a time, and the words behind the script's name.
cat >read.lua <<'LUA'
print(...)
local other = reg.spawn(function() reg.sleep(0.2) print "meanwhile" end)
for line in reg.read_line do print("[" .. line .. "]") end
other:wait()
LUA
{ printf 'one\n\ntwo '; sleep 1; printf 'three\nfour'; } | "$engine" read.lua a --b >out
is out "$(printf 'a\t--b\n[one]\n[]\nmeanwhile\n[two three]\n[four]')"
mkfifo never
sleep 60 >never &
at_end="kill $!"
expect 0 -e 'local first = reg.spawn(reg.read_line)
  reg.sleep(0.1)
  print(select(2, pcall(reg.read_line)).message)
  first:cancel()' <never
is out "read_line: another task is reading standard input"
exits 130 timeout --preserve-status -s INT 2 "$engine" -e 'reg.read_line()' <never
