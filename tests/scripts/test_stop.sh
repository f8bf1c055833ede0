#!/bin/sh
# tests/scripts/test_stop.sh REGENGINE: the second Ctrl-C ends a script that is in a C function which does not return.
. "$(dirname "$0")/lib.sh"

n=0
while read -r code; do
  n=$((n + 1))
  printf 'local s = reg.store.open "hang%s.db"\nprint "begun"\n%s\nprint "over"\n' $n "$code" >hang.lua
  launch --memory 4G --instructions 9000000000000000 hang.lua
  wait_until grep -q begun out
  sleep 0.2 # into the function
  kill -INT $pid
  sleep 0.3
  kill -INT $pid 2>/dev/null || true
  ended 130
  not_said over
done <<'END'
s:query "SELECT instr(zeroblob(16000000), zeroblob(8000000) || x'01')"
local a = ("a"):rep(30) pcall(string.find, ("b"):rep(1e8), "[" .. ("a"):rep(1e8) .. "]*[" .. ("a"):rep(1e8) .. "]c")
local t = {} for i = 1, 12 do t[i] = ("x"):rep(1e8) .. i end for _ = 1, 1e9 do table.sort(t) end
for _ = 1, 1e9 do pcall(error) end
END
echo "two signals end each of $n"
