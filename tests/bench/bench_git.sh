#!/bin/bash
# tests/bench/bench_git.sh REGENGINE: hours resolved on a long history, and a worktree switched between neighbours.
set -eu
. "$(dirname "$0")/common.sh"
export GIT_CONFIG_GLOBAL=/dev/null

# 26,000 commits, 25 minutes apart.
first=1640995200 commits=26000 apart=1500
git init -q -b main history
awk -v n=$commits -v first=$first -v apart=$apart 'BEGIN {
  for (i = 1; i <= n; ++i) {
    message = "Commit " i " changes what commit " i - 1 " left\n\nAs long a text as such messages are, with a number: " i * 7919 "\n"
    printf "commit refs/heads/main\nmark :%d\nauthor Ada Lovelace <ada@example.org> %d +0000\n", i, first + i * apart
    printf "committer Ada Lovelace <ada@example.org> %d +0000\ndata %d\n%s", first + i * apart, length(message), message
    printf "M 100644 inline dir%d/file%d\ndata %d\n%d\n\n", i % 50, i % 1000, length(i "") + 1, i
  }
}' | git -C history fast-import --quiet

middle=$((first + commits / 2 * apart)) late=$((first + (commits - 150) * apart)) early=$((first + 10 * apart))
hours() {
  "$engine" -e "local points = reg.git.timeline { repos = { it = reg.git.open 'history' }, branch = 'main', from = $from, to = $from + 47 * 3600 }
                assert(#points == 48)"
}
loop() {
  for ((t = from; t < from + 48 * 3600; t += 3600)); do git -C history rev-list -1 --first-parent --before=$t main; done
}
goal="<= 0.1 (10x)"
from=$late; compare "48 hours at the end of 26,000 commits | rev-list loop" "$goal" 5 hours loop
from=$middle; compare "48 hours in their middle" "$goal" 3 hours loop
from=$early; compare "48 hours at their beginning" "$goal" 3 hours loop
git -C history commit-graph write --reachable 2>/dev/null
from=$middle; compare "48 hours in their middle, with git's commit-graph" "$goal" 5 hours loop

# 10,000 files and 5,000 build outputs; each commit changes five files.
git init -q -b main files
awk 'BEGIN {
  for (i = 1; i <= 21; ++i) {
    printf "commit refs/heads/main\nmark :%d\ncommitter Ada <ada@example.org> %d +0000\ndata 1\nc\n", i, 1690000000 + i
    if (i == 1) print "M 100644 inline .gitignore\ndata 5\nout/\n"
    for (f = 1; f <= 10000; ++f) {
      if (i > 1 && f % 2000 != i) continue
      line = "file " f " in commit " i
      printf "M 100644 inline dir%d/sub%d/file%d.c\ndata %d\n", f % 100, f % 7, f, (length(line) + 1) * 100
      for (n = 0; n < 100; ++n) print line
    }
    print ""
  }
}' | git -C files fast-import --quiet
git -C files worktree add -q --detach "$folder/plain" main~20
cat >switch.lua <<'LUA'
local tree <close> = reg.git.open("files"):worktree "tree"
for i = 19, 0, -1 do tree:checkout("main~" .. i) end
for i = 1, 20 do tree:checkout("main~" .. i) end
LUA
switch() { "$engine" switch.lua; }
checkout() {
  for i in $(seq 19 -1 0) $(seq 1 20); do git -C plain checkout -q --detach "main~$i"; done
}
switch  # fills it
for tree in tree plain; do
  mkdir $tree/out && (cd $tree/out && seq -f 'file%g.o' 5000 | xargs touch)
done
compare "40 switches between neighbours, 10,000 files | git checkout" "<= 4" 5 switch checkout
[ -z "$(git -C tree status --porcelain)" ] && [ "$(git -C tree rev-parse HEAD)" = "$(git -C plain rev-parse HEAD)" ]
