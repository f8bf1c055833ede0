#!/bin/sh
# What goes wrong in real life: Ctrl-C, kill -9, time-outs, floods of output, stores and options that are wrong.
# Each gets its exit code, one clear line, and loses nothing. Containers: test_container_faults.sh;
# a full disk: test_store_faults.sh.
. "$(dirname "$0")/lib.sh"

gone() { # a process that is no more, or waits for its parent alone
  case $(sed -n 's/^State:[^A-Z]*\([A-Z]\).*/\1/p' "/proc/$1/status" 2>/dev/null) in '' | Z) true ;; *) false ;; esac
}
sound() {
  [ "$(sqlite3 .regengine/results.db 'PRAGMA integrity_check')" = ok ] || fail "the store is damaged"
  without=$(sqlite3 .regengine/results.db "SELECT count(*) FROM trials WHERE status = 'ok' AND id NOT IN (SELECT trial FROM samples)
    OR status <> 'ok' AND id IN (SELECT trial FROM samples)" 2>/dev/null || true) # no table yet
  [ "${without:-0}" = 0 ] || fail "$without trials are finished in part"
}

sweep_of slow.lua 12 'sleep "${WAIT:-0.15}"'

# --- Ctrl-C: the whole tree ends, the store is consistent, the line that resumes is printed.
cat >tree.lua <<'END'
local opt = reg.options { wait = { "seconds", type = "string", default = "4321" } }
return reg.answer(reg.sweep({ "a", "b" }, { into = opt.store, config = { test = "tree" }, measure = function(_, trial)
  trial:run { shell = "echo $$ >>pids; (setsid sleep " .. opt.wait .. " & echo $! >>pids); sleep " .. opt.wait .. " & echo $! >>pids; echo x >ready; wait" }
  return 1
end }))
END
launch tree.lua --wait "43 21"
interrupt_when there ready
for process in $(cat pids); do gone "$process" || fail "Ctrl-C left process $process"; done
complained "stopped; finished work is kept. Run the same command to continue:" "tree.lua --wait '43 21'"
sound
[ "$(ask_store "SELECT count(*) AS n FROM trials WHERE status = \"running\"")" = 0 ] || fail "a trial is still called running"

# --- Ctrl-C in a search: the best answer so far is there.
cat >half.lua <<'END'
local subjects, runs = {}, 0
for i = 1, 64 do subjects[i] = { id = "s" .. i, index = i } end
return reg.answer(reg.sweep(subjects, { into = "half.db", metric = "time", measure = function(subject, trial)
  runs = runs + 1
  if runs == 8 then trial:run { shell = "echo x >stopping; sleep 4321" } end
  return subject.index > 40 and 200 or 100
end }))
END
launch --quiet half.lua
interrupt_when there stopping
said "So far:" "time 100 -> 200"
complained "stopped; finished work is kept."

# --- kill -9 at any moment: the next start goes on, and no finished trial is lost or run again. Each start runs the good
# end once more, to see that the machine is the same.
WAIT=0 expect 0 slow.lua --store undisturbed.db
count_others="SELECT count(*) FROM trials WHERE status = 'ok' AND folder NOT LIKE 's1-%'"
needed=$(sqlite3 undisturbed.db "$count_others")
rm -rf .regengine/results.db* runs
kills=0
export WAIT=0.3
while [ $kills -lt 12 ]; do
  launch --quiet slow.lua
  # From 0.05 to 1.05 s: every time another moment.
  sleep "$(awk -v seed="$pid" 'BEGIN { srand(seed); print 0.05 + rand() }')"
  kill -9 "$pid" 2>/dev/null || break
  wait "$pid" 2>/dev/null || true
  kills=$((kills + 1))
  sound
  sqlite3 .regengine/results.db "SELECT uid FROM trials WHERE status = 'ok'" >>finished 2>/dev/null || true # no table yet
done
[ $kills -ge 3 ] || fail "only $kills kills: too quick to be a test"
says 0 "No change found" --quiet slow.lua
sqlite3 .regengine/results.db "SELECT uid FROM trials WHERE status = 'ok'" >all
[ -s finished ] || fail "every kill came before the first trial was finished"
sort -u finished | while read -r uid; do grep -qx "$uid" all || fail "trial $uid was finished and is lost"; done
others=$(sqlite3 .regengine/results.db "$count_others")
good_ends=$(($(lines_in all) - others))
# A kill parts a pair of neighbors, both of which then run once more.
[ "$others" -ge "$needed" ] && [ "$others" -le $((needed + 2 * kills)) ] ||
  fail "$others trials where $needed do: finished ones were run again"
[ "$good_ends" -le $((2 * kills + 4)) ] || fail "$good_ends runs of the good end in $((kills + 1)) starts"
# A run may end just before its engine is killed and could keep it: one a kill at most.
[ "$(lines_in runs)" -le $(($(lines_in all) + kills)) ] ||
  fail "$(lines_in runs) runs, of which $(lines_in all) were kept, after $kills kills"
runs_nothing expect 0 slow.lua
unset WAIT

# --- Orphans of a killed engine end when the next one runs its first command.
# That may be the engine of another test, before this one has looked: then once more.
left=0
for _ in 1 2 3 4 5; do
  rm -f pids ready
  launch tree.lua
  kill_when there ready
  for process in $(cat pids); do gone "$process" || left=$((left + 1)); done
  [ $left = 0 ] || break
done
[ $left -gt 0 ] || fail "kill -9 should have left a process"
expect 0 -e 'reg.process.run { cmd = { "true" } }'
for process in $(cat pids); do wait_until gone "$process"; done

# --- A time-out, and a child that ignores TERM.
expect 0 -e 'local run = reg.process.run { shell = "trap \"\" TERM; (trap \"\" TERM; sleep 4322 & echo $! >stubborn; wait); sleep 4322", timeout_s = 1 }
  assert(run.timed_out and not run.ok)'
gone "$(cat stubborn)" || fail "a child that ignores TERM outlived its time-out"
cat >timeout.lua <<'END'
local opt = reg.options { timeout = { "limit", type = "duration", default = "1s" } }
return reg.answer(reg.sweep({ "a", "b" }, { into = opt.store, config = { test = "timeout" }, measure = function(_, trial)
  trial:run { shell = "sleep 4322", timeout_s = opt.timeout }
  return 1
end }))
END
answers expect 3 "answer.verdict == 'inconclusive' and answer.skipped == 2" timeout.lua --json
said "2 subjects skipped (a..b): ran past its time limit"

# --- A gigabyte of output: memory and disk stay small, the run is as good as any.
cat >flood.lua <<'END'
return reg.answer(reg.sweep({ "a" }, { into = "flood.db", config = { test = "flood" }, measure = function(_, trial)
  local run = trial:run { shell = "head -c 1G /dev/zero | tr '\\0' 'x'; echo; echo 'MLUPS: 7'" }
  return reg.metric.find(run.stdout, "MLUPS: {number}")
end }))
END
expect 0 -e 'print(reg.process.run({ cmd = { "'"$engine"'", "flood.lua" } }).peak_bytes)'
[ "$(du -sm flood.db.out | cut -f1)" -lt 300 ] || fail "the output was kept whole"
[ "$(tail -n 1 out)" -lt 200000000 ] || fail "a gigabyte of output took $(tail -n 1 out) bytes of memory"
query_gives flood.db 7.0 "SELECT value FROM samples LIMIT 1" # the number behind the flood
rm -rf flood.db*

# --- Where a loss became NaN: from where on, and the last number before it; what `measure` returns is no different.
cat >diverges.lua <<'END'
local opt = reg.options { returned = { "as a number of Lua", type = "boolean" } }
local days = {}
for day = 1, 20 do days[day] = string.format("2024-03-%02d", day) end
return reg.answer(reg.sweep(days, { into = opt.store, kind = "night", metric = "loss", config = { returned = opt.returned },
  measure = function(day, trial)
    local bad = day > "2024-03-12"
    if opt.returned then return { loss = bad and 0 / 0 or 3 } end
    return reg.metric.find(trial:run { cmd = { "echo", bad and "loss: nan" or "loss: 3" } }.stdout, "loss: {number}")
  end }))
END
for how in --explain --returned; do
  says 0 "the loss became NaN: 2024-03-13..2024-03-20, 8 nights (" diverges.lua $how --json --store diverges.db
  said "the last number before it is of 2024-03-1"
  answer "answer.skipped_ranges[1].status == 'not_finite' and answer.skipped == 8"
done
expect 0 diverges.lua --store diverges.db --redo not_finite

# --- Stores that are none of ours.
WAIT=0 fresh expect 0 slow.lua
sqlite3 .regengine/results.db "PRAGMA user_version = 99" >/dev/null
sum=$(sqlite3 .regengine/results.db .dump | cksum)
says 1 ".regengine/results.db was made by a newer regengine" slow.lua
[ "$(sqlite3 .regengine/results.db .dump | cksum)" = "$sum" ] || fail "a newer store was touched"
mkdir none && cd none
echo "Dear diary" >diary.db
head -c 5000 /dev/zero | tr '\0' '\247' >bytes.db
for pragma in application_id user_version; do sqlite3 $pragma.db "PRAGMA $pragma = 1; CREATE TABLE t(x)"; done
{ printf '%s\n' 'PRAGMA journal_mode = WAL;' 'CREATE TABLE t(x);' '.shell kill -9 $PPID' | sqlite3 killed.db; } >/dev/null 2>&1 || true
there killed.db-wal || fail "sqlite3 wrote its log back"
sums=$(cksum ./*)
for name in *.db; do says 1 "$name is not a regengine store" ../slow.lua --store $name; done
rm out err
[ "$(cksum ./*)" = "$sums" ] || fail "a file that is no store was touched: $sums; $(cksum ./*)"
cd ..
says 1 "is not a regengine store" slow.lua --store .

# --- What is named and is not there, or makes no sense.
says 2 "did you mean '--store'?" slow.lua --stroe 1
says 2 "--nonsense" --nonsense slow.lua
says 2 "no such script: 'nowhere.lua'" nowhere.lua
says 0 "one	--two" -e 'print(...)' one --two
says 2 "no such script: 'nighlty' (did you mean 'nightly'?)" nighlty
# The bare name of a strategy means the strategy, whatever else is in the folder.
for name in compare compare.lua; do echo 'print "mine"' >$name; done
says 2 "compare: needs RESULTS" compare
for name in ./compare compare.lua; do
  says 0 mine $name
done
rm compare compare.lua
says 2 "(did you mean 'nightly.lua'?)" nighlty.lua
says 2 "no such store: now" doctor now
for word in doctor gc recover trust; do
  says 0 "a killed engine had changed" $word --help
done
printf 'local x = 1\nlocal y = = 2\n' >wrong.lua
says 2 "wrong.lua:2:" wrong.lua
noted "near '='"

# --- Two engines on one store: the second says that it waits, then finds everything done; also by another name of it.
rm -rf .regengine/results.db* runs
ln -s .regengine/results.db link.db
"$engine" --quiet slow.lua >out1 2>err1 &
first=$!
wait_until there runs
expect 0 --quiet slow.lua --store link.db
wait "$first" || { cat err1; fail "the first of two engines on one store"; }
noted "waiting for link.db, in use by pid $first on "
[ "$(cat err1 err | wc -l)" = 1 ] || { cat err1; fail "more than that one line was said"; }
sound
sqlite3 .regengine/results.db "SELECT uid FROM trials WHERE status = 'ok'" >all
[ "$(lines_in runs)" = "$(lines_in all)" ] || fail "$(lines_in runs) runs of $(lines_in all) trials"
[ "$(sqlite3 .regengine/results.db "SELECT count(DISTINCT key) FROM trials WHERE status = 'ok'")" = 12 ] || fail "two engines on one store lost trials"
