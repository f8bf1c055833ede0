#!/bin/sh
# list, show and open: what a store has, and one investigation of it again.
. "$(dirname "$0")/lib.sh"
numbered repo 8 '[ $number -lt 6 ] && echo good >state || echo bad >state'

expect 2 list
complained "Nothing has run here yet."
expect 2 show
complained "Nothing has run here yet."
expect 2 report
complained "Nothing has run here yet."
expect 2 list --store other.db
complained "no such store: other.db"

expect 0 bisect --repo repo --good c1 --bad c8 --test 'grep -q good state'
expect 3 bisect --repo repo --good c6 --bad c8 --test 'grep -q good state'
expect 0 list
said "commit 6"
[ "$(grep -c '^ *[12]  2' out)" = 2 ] || fail "not two investigations"
expect 0 list --json
answer '#answer == 2 and answer[1].id == 1 and answer[1].runs >= 4 and answer[1].found:find("commit 6", 1, true)'

expect 0 show 1
said "commit 6"
said "commits, 20"
expect 0 show 1 --json
answer 'answer.verdict == "changes" and answer.investigation == 1 and #answer.changes == 1 and not answer.series'
expect 2 report 2 --json
complained "Leave it out; regengine show --json prints an answer."
expect 2 report -o -
complained "report.lua: writes a file, not standard output"
expect 0 share 1 -o -
said "commit 6"
expect 2 share --json
complained "share: prints no JSON"
: >empty.db
expect 2 list --store empty.db
complained "the store is empty: empty.db"
expect 2 show comits
complained "has no investigation 'comits' (did you mean 'commits'?)"
expect 0 show
said "Inconclusive"
"$engine" list 2>err | head -n 1 >out
[ ! -s err ] || fail "it complains of a pipe that was closed"
"$engine" -e 'for i = 1, 100000 do print(i) end' 2>err | head -n 1 >out
[ ! -s err ] || fail "it complains of a pipe that was closed while it printed"

# One that was stopped before its answer.
"$engine" -e 'reg.store.open("stopped.db"):begin { name = "stopped" }'
expect 0 list --store stopped.db
said "stopped without an answer"
"$engine" checkpoint --test 'exit 7' --store stopped.db >out 2>&1 && fail "a test that fails has a baseline"
expect 0 list --store stopped.db
said "stopped without an answer: failed with exit code 7"
expect 0 show 1 --store stopped.db
said "stopped, 20"

mkdir bin
printf '#!/bin/sh\necho "$1" >opened\n' >bin/xdg-open
chmod +x bin/xdg-open
PATH="$folder/bin:$PATH" expect 0 open 1 -o page.html
said "opened page.html"
[ "$(cat opened)" = "$folder/page.html" ] || fail "opened $(cat opened)"
grep -q "commit 6" page.html || fail "another investigation"
printf '#!/bin/sh\nexit 3\n' >bin/xdg-open
PATH="$folder/bin:$PATH" expect 0 open
said "report.html"
echo "list, show and open tell what a store has"
