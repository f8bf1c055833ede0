#!/bin/sh
# regengine gc: what it lists and removes of worktrees and outputs, and what it leaves alone.
. "$(dirname "$0")/lib.sh"

gc() { code=$1; shift; alone "$code" gc "$@"; } # EXIT-CODE OPTIONS...
tree_of() { echo .regengine/worktrees/"$1"-????????; }

tells gc 0 "nothing to remove"
tells gc 2 "gc: unknown argument 'now'" now
tells gc 2 "gc: unknown argument 'now'" --remove now

# Three repositories with a worktree each: one is removed, one is left alone, one was changed by a person.
for name in gone idle mine; do
  numbered $name 2
  expect 0 bisect --repo $name --good c1 --bad c2 --test '[ "$(cat number)" = 1 ]' --quiet --store $name.db
done
gone=$(tree_of gone) idle=$(tree_of idle) mine=$(tree_of mine)
head -c 5000 /dev/zero >"$gone/built"
rm -rf gone
echo precious >"$mine/number"
# What is not regengine's: a folder, a repository and a worktree of the user's own.
mkdir -p .regengine/worktrees/own
echo precious >.regengine/worktrees/own/file
git clone -q idle .regengine/worktrees/clone
git -C idle worktree add -q --detach "$folder/.regengine/worktrees/manual"

# Outputs: of no trial, of an interrupted one, and of a store that is gone.
mkdir idle.db.out/nobody-77
: >idle.db.out/nobody-77/.regengine
echo text >idle.db.out/nobody-77/OUT
rm gone.db gone.db-wal gone.db-shm 2>/dev/null || rm -f gone.db
orphans=$(find gone.db.out -mindepth 1 -maxdepth 1 | wc -l)
[ "$orphans" -gt 0 ] || fail "no output to test with"
sweep_of dies.lua 2 'echo text; touch started; sleep 60' 'title = "dies",'
launch dies.lua --store dies.db --quiet
wait_until [ -e started ]

# Folders and locks of another program by the same names, beside and without its files, and a folder of the user's own.
mkdir -p sim.out/results empty.out/results own.db.out/results idle.db.out/mine
: >sim.lock
: >empty.lock
: >empty
: >own.db.lock
for results in sim.out/results empty.out/results own.db.out/results idle.db.out/mine; do echo precious >$results/file; done

# While that engine runs: its store is its own, and the worktrees may be its too; only what nobody can need is listed.
tells gc 0 "$gone  (its repository was removed or replaced: $folder/gone)"
grep -qE '^worktree +5\.[0-9]+ kB' out || fail "no size"
said "idle.db.out/nobody-77  (no trial of idle.db has it)" "kept      worktree $idle: dies.db is in use by pid $pid on "
not_said "dies.db.out"
said "Run regengine gc --remove to remove them."
[ -e "$gone" ] && [ -e idle.db.out/nobody-77 ] || fail "listing removed something"
kill_when true

# Its trial is interrupted now; its investigation may go on, so that the worktrees stay.
tells gc 0 "dies.db.out/s1-1  (its trial was interrupted)"
said "kept      worktree $idle: the investigation 'dies' in dies.db has no answer yet"
sqlite3 dies.db "UPDATE investigations SET started = 1; UPDATE trials SET started = 1, ended = 1"

# A dry run removes nothing.
expect 0 --dry-run gc --remove
! grep -q "^removed" out || fail "a dry run says that it removed something"
[ -e "$gone" ] && [ -e "$idle" ] && [ -e idle.db.out/nobody-77 ] || fail "a dry run removed something"

kept=$(find idle.db.out -mindepth 1 -maxdepth 1 -name '*-[0-9]' | wc -l)
gc 1 --remove
said "removed  $gone" "removed  $idle" "removed  idle.db.out/nobody-77" "not removed  $mine: "
[ "$(cat "$mine/number")" = precious ] || fail "a person's change was removed"
[ ! -e "$gone" ] && [ ! -e "$idle" ] && [ ! -e idle.db.out/nobody-77 ] || fail "something is still there"
[ "$(find gone.db.out -mindepth 1 | wc -l)" = 0 ] || fail "outputs of the store that is gone are still there"
[ "$(find idle.db.out -mindepth 1 -maxdepth 1 -name '*-[0-9]' | wc -l)" = "$kept" ] || fail "the output of a trial was removed"
for results in sim.out/results empty.out/results own.db.out/results idle.db.out/mine; do
  [ "$(cat $results/file)" = precious ] || fail "the results of another program were removed: $results"
done
[ ! -s empty ] || fail "gc made a store of an empty file"
[ "$(cat .regengine/worktrees/own/file)" = precious ] || fail "the user's folder was removed"
[ -e .regengine/worktrees/clone/number ] && [ -e .regengine/worktrees/manual/number ] || fail "the user's own is gone"
[ -z "$(git -C idle worktree list | grep "$(basename "$idle")")" ] || fail "git still knows the removed worktree"

# What was removed is made again, and the rest stays answered.
expect 0 bisect --repo idle --good c1 --bad c2 --test '[ "$(cat number)" = 1 ]' --quiet --store idle.db --json
answer "answer.verdict == 'changes' and answer.runs == 0"

# Clones of repositories given by a URL, and the commits of a proof: kept while an investigation goes on, and then removed
# with the worktrees that use them.
mkdir deep
cd deep
numbered library 6 'rm number; echo $number >part$number; [ $number != 4 ] || touch slow'
git init -q -b main super
for i in 1 6; do
  echo "LIBRARY_COMMIT = \"$(id_of library c$i)\"" >super/library.bzl
  commit super "super $i"
done
descend() {
  expect 0 descend --repo super --repo "library=file://$PWD/library" --commit main --test '[ ! -e ../library/slow ]' \
    --quiet --store d.db "$@"
}
descend --json
answer "answer.changes[1].bad.commit == '$(id_of library c4)'"
clone=$(echo .regengine/repos/library-????????)
[ -e "$clone/.git" ] || fail "nothing to test with"
git clone -q library .regengine/repos/own

sqlite3 d.db "UPDATE investigations SET ended = NULL"
tells gc 0 "kept      clone $clone: the investigation 'library' in d.db has no answer yet" --remove
[ -e "$clone/.git" ] || fail "what an investigation needs was removed"
sqlite3 d.db "UPDATE investigations SET ended = started"

echo precious >"$clone/mine"
gc 1 --remove
said "not removed  $clone: the clone '$PWD/$clone' has changed or new files"
commit "$clone" "mine"
gc 1 --remove
said "not removed  $clone: the clone '$PWD/$clone' has commits of its own"
git -C "$clone" reset -q --hard HEAD~1
git -C "$clone" worktree add -q --detach "$PWD/manual"
gc 1 --remove
said "not removed  $clone: the clone '$PWD/$clone' has a worktree"
git -C "$clone" worktree remove manual
tells gc 0 "removed  $clone" --remove
[ ! -e "$clone" ] && [ -e .regengine/repos/own/part6 ] || fail "the wrong clones were removed"
tells gc 0 "nothing to remove"

# It is made again.
descend --json
answer "answer.changes[1].bad.commit == '$(id_of library c4)' and answer.runs == 0"
[ -e "$clone/.git" ] || fail "the clone was not made again"
