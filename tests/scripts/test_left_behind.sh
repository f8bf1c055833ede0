#!/bin/sh
# A process that a trial detached, with its streams closed and its environment cleared, ends with the trial; what the
# engine's own starter left running does not.
. "$(dirname "$0")/lib.sh"

cat >detach.sh <<'END'
(env -i setsid /bin/sh -c 'sleep 4325 & echo $! >"$0.new"; mv "$0.new" "$0"; wait' "$1" </dev/null >/dev/null 2>&1 &)
while [ ! -e "$1" ]; do sleep 0.01; done
END
dead() { [ ! -e "/proc/$1" ] || grep -q '^State:.[ZX]' "/proc/$1/status"; }

# The shell that starts the engine becomes it: its own child was there before.
sh -c 'sleep 4326 & echo $! >before; exec "$@"' sh "$engine" -e "
  reg.process.run { cmd = { 'sh', 'detach.sh', 'one' } }
  print(reg.fs.read 'one', 'first')
  local function ended(name)
    local status = reg.process.run { shell = 'grep ^State /proc/' .. tonumber(reg.fs.read(name)) .. '/status' }
    return not status.ok or status.stdout:find '[ZX]' ~= nil
  end
  assert(ended 'one', 'it outlived its command')
  -- Of two that run at once, the last takes what no mark tells apart.
  reg.parallel({ 'two', 'three' }, function(name) reg.process.run { cmd = { 'sh', 'detach.sh', name } } end)
  assert(ended 'two' and ended 'three', 'they outlived their commands')
" >out 2>err || fail "the script"
kill -0 "$(cat before)" 2>/dev/null || fail "a process that was there before was ended"
kill "$(cat before)"
for name in one two three; do dead "$(cat $name)" || fail "$name outlived the engine"; done

# A time-out and Ctrl-C end it, too.
expect 0 -e "reg.process.run { shell = 'sh detach.sh four; sleep 4327', timeout_s = 1 }"
dead "$(cat four)" || fail "it outlived a time-out"
launch -e "reg.process.run { shell = 'sh detach.sh five; sleep 4327' }"
interrupt_when [ -e five ]
dead "$(cat five)" || fail "it outlived Ctrl-C"

# --- The second Ctrl-C ends a script that is in a C function which does not return.
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
