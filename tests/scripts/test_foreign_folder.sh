#!/bin/sh
# A folder of somebody else has links by the names that regengine's own commands use. None of them leads out of it.
. "$(dirname "$0")/lib.sh"

mkdir others others/kept clone
echo precious >others/file
cd clone

# gc: the output folder of a store, whether the store is there or not
ln -s ../others gone.db.out
: >gone.db.lock
"$engine" ab --store here.db "sleep 0.01" "sleep 0.2" >out 2>&1 || fail "no store to test with"
rm -r here.db.out
ln -s ../others here.db.out
"$engine" gc --remove >out || fail "gc fails"
[ -d ../others/kept ] || fail "gc removed a folder outside: $(cat out)"

# A run: what its trials print
expect 1 ab --store here.db "sleep 0.01" "sleep 0.2"
noted "here.db.out is a link: the output would be written elsewhere"

# gc: the worktrees and clones of another folder, whose repository is gone
git init -q -b main ../others/repo
for i in 1 2; do echo "$i" >../others/repo/state; commit ../others/repo "commit $i"; done
(cd ../others && "$engine" bisect --repo repo --good main~1 --bad main --test 'grep -q 1 state' --quiet >/dev/null &&
  rm -rf repo) || fail "no worktree to test with"
ln -s ../others/.regengine .regengine
"$engine" gc --remove >out || fail "gc fails"
rm .regengine
mkdir .regengine
ln -s ../../others/.regengine/worktrees .regengine/worktrees
"$engine" gc --remove >out || fail "gc fails"
ls ../others/.regengine/worktrees/repo-*/state >/dev/null 2>&1 || fail "gc removed worktrees outside: $(cat out)"
(cd ../others && "$engine" gc --remove | grep -q "removed .*worktrees/repo-") || fail "nothing to test with"

# report and open: what they write unless another file is named
ln -s ../others/file report.html
for command in report open; do
  says 2 "report.html is a link to $folder/others/file, outside this folder" $command --store here.db
done
[ "$(cat ../others/file)" = precious ] || fail "a file outside was overwritten"
rm report.html
echo mine >page.html
ln -s page.html report.html
"$engine" report --store here.db >out || fail "no report by a link within the folder"
[ "$(cat page.html)" != mine ] || fail "the report is not there"
# What is no file that ends: a pipe without a writer, and a device
mkfifo pipe
ln -s /dev/zero device
for name in pipe device; do
  for command in "show --store" "list --store" "report --store" "share --store" "why --store" "doctor" "aggregate" \
    "analyze --results" "compare here.db" "suite --suite" ""; do
    status=0
    "$engine" $command $name >out 2>err </dev/null || status=$?
    { [ $status = 1 ] || [ $status = 2 ]; } && grep -q "not a regular file" err || fail "$command $name: $(cat err)"
  done
done
