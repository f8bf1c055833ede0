#!/bin/sh
# A fault of the machine never becomes an answer: full disks, too many processes, a test that breaks in mid-run, clocks
# that are set, a closed stderr, a child killed for memory.
. "$(dirname "$0")/lib.sh"

mkdir small
mounted= group=
clean_up() {
  [ -z "$mounted" ] || umount -l "$folder/small"
  [ -z "$group" ] || rmdir "$group"
}
at_end=clean_up
mount -t tmpfs -o size=8m,nr_inodes=400 tmpfs small 2>/dev/null && mounted=1

paused() { # WHY: the run ended with it and the line that continues it
  complained "$1" "Finished work is kept. Run the same command to continue: "
}
not_stored() { # no trial says that its subject failed
  query_gives "$1" 0 "SELECT count(*) FROM trials WHERE status NOT IN ('ok', 'running', 'interrupted', 'set_aside')"
}

# The first bad commit of eight is c7. What the test does from its third run on is in ./sick.
numbered repo 8
cat >test.sh <<'END_OF_TEST'
echo run >>"$folder/runs"
if [ -e "$folder/sick" ] && [ "$(wc -l <"$folder/runs")" -ge 3 ]; then . "$folder/sick"; fi
[ "$(cat number)" -lt 7 ]
END_OF_TEST
sed '$d' test.sh >build.sh
export folder
given bisect 'bisect --quiet --repo repo --good c1 --bad c8 --test "sh $folder/test.sh"'
named_right() { said "first bad" "commit 7"; }

# --- Words at the end of the output: as a test by exit code, and as a build. Which words: tests/engine/test_base.cpp.
words="write error: No space left on device"
echo "echo '$words' >&2; seq 1 9; exit 1" >sick
bisect 1
paused "$words"
not_stored .regengine/results.db
rm sick
bisect 0
named_right
words="sh: fork: Resource temporarily unavailable"
echo "echo '$words' >&2; seq 1 9; exit 1" >sick
fresh bisect 1 --build "sh $folder/build.sh" --test "[ \$(cat number) -lt 7 ]"
paused "$words"
not_stored .regengine/results.db

# What a test reads from a socket does not count as a lack of processes; and who says that it is the subject is believed.
echo "echo 'recv: Resource temporarily unavailable' >&2" >sick
fresh bisect 0
named_right
echo "[ \$(cat number) -lt 7 ] || { echo 'mmap: Cannot allocate memory' >&2; exit 1; }" >sick
fresh bisect 0 --keep-going
named_right
fresh bisect 0 --crash "Cannot allocate memory"
named_right

# --- A test that breaks in mid-run with a plain exit 1: before the answer, the last commit that passed is run again.
echo "exit 1" >sick
fresh bisect 1
paused "the machine or the test broke after 2"
all_but_one=$(printf ',set_aside%.0s' 1 2 3 4 5 6 7 8)
query_gives .regengine/results.db "ok$all_but_one" "SELECT group_concat(status) FROM trials"
bisect 1
[ "$(lines_in runs)" = 17 ] || fail "$(lines_in runs) runs, where what passed is kept"
rm sick
bisect 0
named_right
runs_nothing bisect 0

# --- A real disk that is full, in bytes and in files, though nothing says so. The test's TMPDIR and the store are on it.
if [ -n "$mounted" ]; then
  for fill in 'cat /dev/zero >"$TMPDIR/junk"' 'i=0; while : >"$TMPDIR/junk$i"; do i=$((i + 1)); done'; do
    echo "($fill) 2>/dev/null; exit 1" >sick
    TMPDIR=$folder/small fresh bisect 1
    paused "the disk is full: "
    not_stored .regengine/results.db
    query_gives .regengine/results.db 2 "SELECT count(*) FROM trials WHERE status = 'ok'" # finished ones
    rm -rf small/* sick
    TMPDIR=$folder/small bisect 0
    named_right
    [ "$(lines_in runs)" = 9 ] || fail "$(lines_in runs) runs, where finished trials are kept"
  done
else
  echo "SKIPPED: no small disk can be made here (needs root)"
fi
rm -f sick

# --- The test breaks in mid-run: the run pauses soon, blames no subject, and goes on once it is repaired.
cat >broke.lua <<'END_OF_SCRIPT'
local subjects = {}
for i = 1, 20 do subjects[i] = { id = "s" .. i, place = i } end
return reg.answer(reg.sweep(subjects, { into = "broke.db", config = { test = "broke" }, measure = function(subject, trial)
  trial:run { shell = [[echo run >>runs; [ ! -e sick ] || [ $(wc -l <runs) -le $(cat sick) ] || exit 3]] }
  return (subject.place < 9 and 100 or 130) + #reg.fs.read "runs" % 7
end }))
END_OF_SCRIPT
for good in 2 5 9; do
  rm -rf broke.db* runs
  echo $good >sick
  expect 1 --quiet broke.lua
  paused "the machine or the test broke at 2"
  not_stored broke.db
  [ "$(lines_in runs)" -le $((good + 6)) ] || fail "$(lines_in runs) runs, $good of them good"
  rm sick
  says 0 "s9" --quiet broke.lua
done

# Subjects may be broken themselves while the test works: the last one that ran is asked, and the search goes on.
rm -rf broke.db* runs
cat >range.lua <<'END_OF_SCRIPT'
local subjects = {}
for i = 1, 20 do subjects[i] = { id = "s" .. i, place = i } end
return reg.answer(reg.sweep(subjects, { into = "broke.db", config = { test = "range" }, every = true, exact = true,
  measure = function(subject, trial)
    trial:run { shell = "echo run >>runs; exit " .. (subject.place > 3 and subject.place < 18 and 3 or 0) }
    return subject.place < 4 and 100 or 130
  end }))
END_OF_SCRIPT
"$engine" --quiet range.lua >out 2>err || true
said "subjects skipped (s4..s17): exit code 3"
query_gives broke.db 1 "SELECT count(*) FROM trials WHERE message LIKE '%whether the test still works'" # asked once

# --- stderr is closed: progress stops, the run does not.
sweep_of plain.lua 8 'sleep 0.05; case $subject in s4) echo -1h >clock ;; s6) echo +1h >clock ;; esac'
rm -f runs
mkfifo pipe
head -n 2 pipe >/dev/null &
"$engine" plain.lua --store plain.db >out 2>pipe || fail "exit code $? with a closed stderr"
wait $!
said "No change found in 8 subjects"

# --- The clock is set back and forth by an hour: what anything took stays.
library=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
if [ -n "$library" ]; then
  rm -rf plain.db* runs
  echo +0 >clock
  clocked() { # COMMAND...: it sees the clock that is set
    env "LD_PRELOAD=$library" DONT_FAKE_MONOTONIC=1 FAKETIME_NO_CACHE=1 "FAKETIME_TIMESTAMP_FILE=$folder/clock" "$@"
  }
  exits 0 clocked "$engine" --quiet plain.lua --store plain.db
  query_gives plain.db 0 "SELECT count(*) FROM trials WHERE ended - started NOT BETWEEN wall_s AND wall_s + 10"
  query_gives plain.db 1 "SELECT max(started) - min(started) < 300 FROM trials"
  query_gives plain.db 1 "SELECT ended - started BETWEEN 0 AND 300 FROM investigations"
  [ "$(clocked date +%s)" -gt $(($(date +%s) + 3000)) ] || fail "the clock was not set"
  # What answered is shown, also where a stage of it ended later by the clock.
  cat >stages.lua <<'END_OF_SCRIPT'
local function sweep(title)
  return reg.sweep({ "a", "b" }, { title = title, into = "stages.db", every = true, measure = function(_, trial)
    trial:run { shell = title == "hours" and "echo +1h >clock" or "true" }
    return 100
  end })
end
local nights = sweep "nights"
sweep "hours"
reg.process.run { shell = "echo +0 >clock" }
return reg.answer(nights)
END_OF_SCRIPT
  echo +0 >clock
  exits 0 clocked "$engine" --quiet stages.lua
  expect 0 share --store stages.db
  first_line '^\*\*No change'
else
  echo "SKIPPED: no faketime"
fi

# --- A child is killed for memory and the command succeeds: doubtful, run again, and said.
for memory in /sys/fs/cgroup/memory /sys/fs/cgroup; do
  [ -n "$group" ] || ! mkdir "$memory/regengine-test-$$" 2>/dev/null || group=$memory/regengine-test-$$
done
limit=$group/memory.limit_in_bytes
[ -e "$limit" ] || limit=$group/memory.max
if [ -n "$group" ] && echo 400000000 >"$limit" 2>/dev/null; then
  rm -f runs
  executable limited "echo \$\$ >$group/cgroup.procs; exec $engine \"\$@\""
  engine=$folder/limited
  sweep_of child.lua 2 '[ $(wc -l <runs) != 2 ] || { head -c 1200m /dev/zero | tail >/dev/null; }; true' 'exact = true,'
  says 0 "1 suspect trial discarded and run again: out of memory" --quiet child.lua --store child.db
  query_gives child.db "set_aside: suspect: out of memory: the kernel killed a process during the run" \
    "SELECT status || ': ' || message FROM trials WHERE id = 2"
else
  echo "SKIPPED: no control group with a memory limit can be made here"
fi
