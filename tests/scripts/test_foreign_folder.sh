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
numbered ../others/repo 2
(cd ../others && "$engine" bisect --repo repo --good c1 --bad c2 --test 'grep -q 1 number' --quiet >/dev/null &&
  rm -rf repo) || fail "no worktree to test with"
ln -s ../others/.regengine .regengine
"$engine" gc --remove >out || fail "gc fails"
rm .regengine
mkdir .regengine
ln -s ../../others/.regengine/worktrees .regengine/worktrees
"$engine" gc --remove >out || fail "gc fails"
ls ../others/.regengine/worktrees/repo-*/number >/dev/null 2>&1 || fail "gc removed worktrees outside: $(cat out)"
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

# --- regengine why runs commands that a store holds: without a question only those of the user's own investigations.
mkdir ../stores && cd ../stores
why() { alone "$1" why --store "$2" --budget 5 ${3:-}; } # EXIT-CODE STORE [OPTION]
refused() { # STORE ID COMMAND
  why 1 "$1"
  noted "investigation $2 of $1 was not made by you on this machine" "$3" "Pass --yes"
  [ ! -e REACHED ] || fail "a command of somebody else ran: $1"
}

expect 0 ab --store own.db --budget 6 "sleep 0.01" "sleep 0.2"
for column in verdict options script_text; do cp own.db "$column.db"; done
why 0 own.db

# The same with another command, and a store whose answer is as it was but not its options.
sqlite3 verdict.db "UPDATE investigations SET verdict = replace(verdict, 'sleep 0.01', 'touch REACHED; sleep 0.01')"
refused verdict.db 1 "touch REACHED; sleep 0.01"
sqlite3 options.db "UPDATE investigations SET options = json_set(options, '$.metric', 'x {number}')"
refused options.db 1 "sleep 0.01"

# What a script from elsewhere stores is not the user's, though no permission is needed to store it.
cat >foreign.lua <<'END'
local store <close> = reg.store.open "foreign.db"
store:finish_investigation(store:begin { name = "ab" }, { commands = { "touch REACHED\n\n:", "sleep 0.2" } })
END
"$engine" trust --forget "$folder" >out
expect 0 foreign.lua
refused foreign.db 1 'touch REACHED\n\n:'

# Who has looked says so.
why 0 verdict.db --yes
[ -e REACHED ] || fail "--yes does not run it"
