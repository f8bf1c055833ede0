#!/bin/sh
# --overlap: while a commit is tested, the one that is likely next is built, in a second worktree that its commands see
# at the path of the first. Marks in files show what ran at the same time.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip "no git"
unshare --user --map-root-user --mount true 2>/dev/null || skip "this machine refuses namespaces"

git init -q -b main other
commit other "the other"
numbered repo 12
tree=$folder/$("$engine" -e 'print(reg.git.open("repo"):worktree().path)' | sed "s,^$folder/,,")
build="echo start \$(cat number) >>'$folder/builds'; cp number built; echo built \$(cat number)"
bisect() { # EXIT-CODE OPTIONS...
  code=$1; shift
  rm -rf regengine.db* builds tests
  expect "$code" bisect --repo repo --json --good c1 --bad c12 "$@"
}
ended() { # PID: a process whose parent has not waited for it has ended, too
  case $(sed -n 's/^State:[^A-Z]*\([A-Z]\).*/\1/p' "/proc/$1/status" 2>/dev/null) in '' | Z) true ;; *) false ;; esac
}
no_leftovers() { ls -d regengine.db.out/ahead-* >/dev/null 2>&1 && fail "the output of a build ahead was left behind" || :; }

# The test of the first commit goes on once another commit is being built. All commands see one path, and each test what
# its own build made; the answer, the commits that are tested and the store's keys are as without --overlap.
test="echo \$(cat number) \$PWD \$(git rev-parse --show-toplevel) >>'$folder/tests'
  if [ \$(cat number) = 1 ] && [ -n \"\$OVERLAP\" ]; then until grep -qx 'start 12' '$folder/builds'; do sleep 0.1; done; fi
  cmp number built || exit 125; test \$(cat built) -lt 7"
OVERLAP='' bisect 0 --build "$build" --test "$test"
mv tests tests.alone
mv regengine.db alone.db
answer "answer.runs == 9"
OVERLAP=yes bisect 0 --build "$build" --test "$test" --overlap
answer "answer.changes[1].first_bad == '$(id_of repo c7)' and answer.skipped == 0 and answer.runs == 9"
cmp tests tests.alone || fail "the tests saw something else than without --overlap"
[ "$(cut -d' ' -f2,3 tests | sort -u)" = "$tree $tree" ] || fail "a test saw another path"
[ "$(cat "$tree-ahead/built")" != "$(cat "$tree/built")" ] || fail "both worktrees have the same build"
keys="SELECT group_concat(key) AS n FROM (SELECT key FROM trials ORDER BY id)"
[ "$(ask_store "$keys")" = "$(store=alone.db ask_store "$keys")" ] || fail "the keys of trials are not the same"
grep -qx 'built 12' regengine.db.out/*-2/BUILD || fail "the output of a build ahead is not with its trial"
no_leftovers

# The same without the right to mount, in a namespace of users.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  rm -rf regengine.db* builds tests
  OVERLAP=yes setpriv --bounding-set=-sys_admin "$engine" bisect --repo repo --json --good c1 --bad c12 \
    --build "$build" --test "$test" --overlap >out 2>err || fail "exit code $? without the right to mount"
  ! grep -q "not built ahead" err || fail "without the right to mount nothing is built ahead"
  cmp tests tests.alone || fail "the tests saw something else without the right to mount"
fi

# A build that fails ahead: the same answer, message and output as in its turn, and it runs once.
failing="$build; if [ \$(cat number) = 7 ]; then echo broken >&2; false; fi"
for overlap in "" --overlap; do
  OVERLAP='' bisect 0 --build "$failing" --test "$test" $overlap
  [ "$(grep -cx 'start 7' builds)" = 1 ] || fail "commit 7 was built $(grep -cx 'start 7' builds) times"
  cat regengine.db.out/"$(id_of repo c7)"-*/BUILD >"output$overlap"
  sed 's/runs, .*//' out | grep -v '^{' >"answer$overlap"
done
cmp output output--overlap && cmp answer answer--overlap || fail "a build that failed ahead is told of in another way"
said "(could not be built)"

# A build that has become unlikely is stopped: that of commit 9 never ends. Its worktree serves the builds that follow.
endless="$build; if [ \$(cat number) = 9 ]; then echo \$\$ >'$folder/endless'; exec sleep 100000; fi"
waiting="if [ \$(cat number) = 7 ]; then until [ -s '$folder/endless' ]; do sleep 0.1; done; fi; $test"
OVERLAP='' bisect 0 --build "$endless" --test "$waiting" --overlap
answer "answer.changes[1].first_bad == '$(id_of repo c7)' and answer.skipped == 0"
ended "$(cat endless)" || fail "a build that became unlikely still runs"
cmp tests tests.alone || fail "the tests after a stopped build saw something else"
no_leftovers

# The engine is killed while it builds ahead: the next one ends that build, and goes on with both worktrees.
rm -rf regengine.db* builds tests
held="$build; if [ \$(cat number) = 12 ] && [ ! -e '$folder/go' ]; then echo \$\$ >'$folder/held'; sleep 100000; fi"
first="if [ \$(cat number) = 1 ]; then until [ -e '$folder/go' ]; do sleep 0.1; done; fi; test \$(cat built) -lt 7"
"$engine" bisect --repo repo --good c1 --bad c12 --build "$held" --test "$first" --overlap >out 2>err &
running=$!
wait_until [ -s held ]
kill -9 $running
wait $running || :
touch go
expect 0 bisect --repo repo --json --good c1 --bad c12 --build "$held" --test "$first" --overlap
answer "answer.changes[1].first_bad == '$(id_of repo c7)' and answer.runs == 9"
ended "$(cat held)" || fail "the build of a killed engine still runs"

# gc shows the second worktree as well.
"$engine" gc >out 2>err || fail "gc failed"
said "$(basename "$tree")-ahead"

# Equal artifacts are one subject, a patch is applied in both worktrees.
extra_patch repo >extra.patch
bisect 0 --patch extra.patch --build 'echo $(($(cat number) / 7)) >half' --artifact half --overlap \
  --metric 'speed: {number}' --test 'test "$(cat extra)" = one && echo "speed: $((100 - 10 * $(cat half)))"'
answer "answer.changes[1].first_bad == '$(id_of repo c7)' and answer.skipped == 0"
[ "$(ask_store "SELECT count(DISTINCT json_extract(info, \"\$.artifact\")) AS n FROM trials")" = 2 ] ||
  fail "not two artifacts"

# Two repositories side by side: both worktrees of the second place are where those of the first one are.
expect 0 hourly --repo repo --repo other --from 2024-03-01T10:02 --to 2024-03-01T10:13 --every-hours 0.05 --json \
  --store hours.db --build 'cp number built; cp number "$REPO_OTHER/beside"' --overlap --metric 'n: {number}' \
  --test 'echo "$PWD $REPO_OTHER" >>'"'$folder/hours'"'; cmp built ../other/beside && echo "n: $(cat built)"' --every
[ "$(sort -u hours | wc -l)" = 1 ] || fail "the paths of the hours differ: $(sort -u hours)"
[ -e .regengine/worktrees/*/other-ahead/beside ] || fail "no hour was built ahead"

# A machine without namespaces says so, and the search goes on.
cat >limited.sh <<'END'
echo 0 >/proc/sys/user/max_mnt_namespaces
exec "$@"
END
rm -rf regengine.db*
unshare --user --map-root-user sh limited.sh "$engine" bisect --repo repo --json --good c1 --bad c12 --build "$build" \
  --test 'test $(cat built) -lt 7' --overlap >out 2>err || fail "the search did not go on"
answer "answer.changes[1].first_bad == '$(id_of repo c7)'"
[ "$(grep -c -- '--overlap: commits are not built ahead: this machine refuses mounts in a namespace' err)" = 1 ] ||
  fail "no line says that commits are not built ahead"
echo "commits are built ahead"
