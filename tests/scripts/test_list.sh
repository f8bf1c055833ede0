#!/bin/sh
# list, show and open: what a store has, and one investigation of it again.
. "$(dirname "$0")/lib.sh"
numbered repo 8 '[ $number -lt 6 ] && echo good >state || echo bad >state'

for command in list show report share; do
  says 2 "Nothing has run here yet." $command
  says 2 "no such store: other.db" $command --store other.db
  [ ! -e other.db ] || fail "$command made a store"
done

expect 0 bisect --repo repo --good c1 --bad c8 --test 'grep -q good state'
expect 3 bisect --repo repo --good c6 --bad c8 --test 'grep -q good state'
says 0 "commit 6" list
[ "$(grep -c '^ *[12]  2' out)" = 2 ] || fail "not two investigations"
expect 0 list --json
answer '#answer == 2 and answer[1].id == 1 and answer[1].runs >= 4 and answer[1].found:find("commit 6", 1, true)'

says 0 "commit 6" show 1
said "commits, 20"
expect 0 show 1 --json
answer 'answer.verdict == "changes" and answer.investigation == 1 and #answer.changes == 1 and not answer.series'
says 2 "Leave it out; regengine show --json prints an answer." report 2 --json
says 2 "report.lua: writes a file, not standard output" report -o -
says 0 "commit 6" share 1 -o -
says 2 "share: prints no JSON" share --json
: >empty.db
says 2 "the store is empty: empty.db" list --store empty.db
says 2 "has no investigation 'comits' (did you mean 'commits'?)" show comits
for command in show report share; do says 2 "no investigation '99'" $command 99; done
says 0 "Inconclusive" show
"$engine" list 2>err | head -n 1 >out
[ ! -s err ] || fail "it complains of a pipe that was closed"
"$engine" -e 'for i = 1, 100000 do print(i) end' 2>err | head -n 1 >out
[ ! -s err ] || fail "it complains of a pipe that was closed while it printed"

# One that was stopped before its answer.
"$engine" -e 'reg.store.open("stopped.db"):begin { name = "stopped" }'
says 0 "stopped without an answer" list --store stopped.db
"$engine" checkpoint --test 'exit 7' --store stopped.db >out 2>&1 && fail "a test that fails has a baseline"
says 0 "stopped without an answer: failed with exit code 7" list --store stopped.db
says 0 "stopped, 20" show 1 --store stopped.db

mkdir bin
executable bin/xdg-open 'echo "$1" >opened'
PATH="$folder/bin:$PATH" says 0 "opened page.html" open 1 -o page.html
[ "$(cat opened)" = "$folder/page.html" ] || fail "opened $(cat opened)"
holds page.html "commit 6"
executable bin/xdg-open 'exit 3'
PATH="$folder/bin:$PATH" says 0 "report.html" open
