#!/bin/sh
# descend.lua: from the commit of a superproject that bumps a submodule or a pinned commit to the commit of the
# dependency, level by level. All repositories are real; the number is what a file of the dependency says. Then
# addresses of submodules that are relative, a patch, and the numbers reported for the two sides.
. "$(dirname "$0")/lib.sh"

# A submodule from a path needs this of the user.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always

# A library of 12 commits, of which the eighth is slower.
numbered library 12 'echo $((number < 8 ? 100 : 70)) >speed'
guilty=$(id_of library c8)

# A superproject that has it as a submodule, beside another one. Its third commit bumps the library.
numbered other 1
git init -q -b main super
git -C super submodule --quiet add "$folder/library" third_party/library
git -C super submodule --quiet add "$folder/other" third_party/other
git -C super/third_party/library checkout -q c3
commit super "super 1"
echo 1 >super/own
commit super "super 2"
git -C super/third_party/library checkout -q c12
echo 2 >super/own
commit super "super 3"
git -C super tag bump
echo 3 >super/own
commit super "super 4"

test='cat third_party/other/number >/dev/null && echo "$(cat own) $(cat third_party/library/number)" >>"'$folder'/runs" &&
  echo "speed: $(cat third_party/library/speed)"'
given descend 'descend --repo super --commit bump --test "$test" --metric "speed: {number}"'

descend 2
complained "super $(short super bump) bumps library $(short library c3)..$(short library c12) (third_party/library), but its repository is not known"
noted "Pass --repo library=$folder/library"
[ ! -e .regengine ] && [ ! -e runs ] || fail "something was made before the mistake was found"

tells descend 0 "  first bad   library $guilty   commit 8" --repo library=library --json
said "super $(short super bump) bumped library $(short library c3)..$(short library c12) (third_party/library); in library:"
answer "answer.changes[1].bad.commit == '$guilty' and answer.pin.of == 'super' and answer.pin.name == 'library'"
cut -d ' ' -f 1 runs | sort -u | grep -qx 2 && [ "$(cut -d ' ' -f 1 runs | sort -u | wc -l)" = 1 ] ||
  fail "the superproject was not held at the commit: $(cat runs)"
first=$(lines_in runs)
runs_nothing answers descend 0 "answer.changes[1].bad.commit == '$guilty'" --json
noted "library: $folder/library, as in an earlier run"

# A bisect that names the commit says how to go on; what is killed goes on.
rm -rf .regengine runs
expect 0 bisect --repo super --good main~3 --bad main --test "$test" --metric 'speed: {number}' --min-effect 5%
said "Next:  regengine report   the page"
said "       regengine descend.lua --repo super --repo library=$folder/library --test"
said " --metric 'speed: {number}' --min-effect 5% --commit $(id_of super bump)"
not_said --good
rm -rf .regengine runs
touch kill
killing="[ ! -e '$folder/kill' ] || [ ! -e '$folder/runs' ] || [ \$(wc -l <'$folder/runs') -lt 4 ] ||
  { rm '$folder/kill'; kill -9 \$PPID; sleep 60; }; $test"
descend 137 --test "$killing" --repo library=library
[ "$(lines_in runs)" = 4 ] || fail "it was killed after $(lines_in runs) runs"
answers descend 0 "answer.changes[1].bad.commit == '$guilty'" --test "$killing" --json
# The good end once more, since the run was interrupted, and perhaps its neighbor, since that run was none of a pair.
more=$(($(lines_in runs) - first))
[ "$more" -ge 0 ] && [ "$more" -le 2 ] || fail "$more runs more than without the kill"
runs_nothing tells descend 0 "library: 10 subjects" --dry-run
rm -rf .regengine/results.db*
"$engine" gc --remove >out 2>err
[ ! -e .regengine/worktrees ] || [ -z "$(ls .regengine/worktrees)" ] || fail "gc left worktrees: $(find .regengine)"

# What cannot be right is said before anything is made.
mistake() { # TEXT OPTIONS...
  text=$1; shift
  rm -rf .regengine runs
  says 2 "$text" descend --repo super --test "$test" --metric 'speed: {number}' "$@"
  [ ! -e .regengine ] && [ ! -e runs ] || fail "something was made: $text"
}
mistake "super $(short super bump~1) bumps no submodule and no pinned commit or version" --commit bump~1 \
  --repo library=library
mistake "super $(short super bump) bumps no pin 'other'; it bumps library" --commit bump --pin other
mistake "no git repository at 'nowhere'" --commit bump --repo library=nowhere
mistake "no commit 'nowhere'" --commit nowhere --repo library=library
mistake "no commit $(id_of library c3 | cut -c 1-12) in $folder/other, which is given for library" --commit bump \
  --repo library=other
noted "git -C $folder/other fetch"

# A tool pins the superproject in a text file, by a commit; another file of it is pinned by a version, and a third commit
# sets the pin back.
rm -rf .regengine runs
git init -q -b main tool
mkdir tool/deps
pin() { echo "# to update it, change the commit
SUPER_COMMIT = \"$(id_of super "$1")\"" >tool/deps/super.bzl; }
pin bump~2; echo "super==0.1" >tool/requirements.txt; commit tool "tool 1"
pin main; commit tool "tool 2"
git -C super tag v0.1 bump~2
git -C super tag super-0.2 main
echo "super==0.2" >tool/requirements.txt; commit tool "tool 3"
pin bump~2; commit tool "tool 4"
git -C tool tag -a -m "" back
echo "super==0.3" >tool/requirements.txt; commit tool "tool 5"
pin bump; echo "super==0.1" >tool/requirements.txt; commit tool "tool 6"

test='id=$(sed -n "s/.*= .\(.*\).$/\1/p" deps/super.bzl) && [ "$id" = "$(git -C "$REPO_SUPER" rev-parse HEAD)" ] &&
  [ "$(cd .. && pwd)/super" = "$REPO_SUPER" ] && echo "$(cat requirements.txt)" >>"'$folder'/runs" &&
  echo "speed: $(cat ../super/third_party/library/speed)"'
given tool 'descend --repo tool --test "$test" --metric "speed: {number}" --commit'
# One level: the library is not known. Then both.
tool 0 ":/tool 2" --repo super=super --json
said "tool $(short tool ':/tool 2') bumped super $(short super bump~2)..$(short super main) (deps/super.bzl:2); in super:"
said "  first bad   super $(id_of super bump)   super 3"
said "regengine descend.lua --repo tool=tool --repo super=super --repo library=$folder/library --test"
said " --commit ':/tool 2'"
noted "super $(short super bump) bumps library"
[ "$(sort -u runs)" = "super==0.1" ] || fail "the rest was not held"
first=$(lines_in runs)
[ -z "$(git -C .regengine/worktrees/*/tool status --porcelain | grep -v deps/super.bzl)" ] || fail "the worktree is dirty"
tool 0 ":/tool 2" --repo super=super library=library --json
said "super $(short super bump) bumped library $(short library c3)..$(short library c12) (third_party/library); in library:"
said "  first bad   library $guilty   commit 8"
answer "#answer.stages == 2 and answer.stages[1].runs == 0 and answer.changes[1].bad.commit == '$guilty'"
[ "$(lines_in runs)" -gt "$first" ] || fail "the second level was not measured"

# By version; the build is told where the checkout is, since no version is one commit.
tool 0 ":/tool 3" --test 'echo "speed: $(cat "$REPO_SUPER/third_party/library/speed")"' --json
answer "answer.stages[1].changes[1].bad.commit == '$(id_of super bump)'"
said "tool $(short tool ':/tool 3') bumped super 0.1..0.2 (requirements.txt:1); in super:"
tool 3 ":/tool 3" --test 'echo "speed: 1"; exit 1' --redo test_failed
noted 'requirements.txt pins super by version, so --build must use the checkout at "$REPO_SUPER"'
tool 0 ":/tool 3" --test 'echo "speed: 1"' --json
answer "answer.verdict == 'no_change'"
said "With the rest of tool $(short tool ':/tool 3') held, super makes no difference"
tells tool 2 "no tag of super fits the version 0.3: tried v0.3, 0.3, release-0.3" ":/tool 5" --repo super=super
tool 2 back --repo super=super
complained "super went back from $(short super main) to $(short super bump~2): it brought no new commit"
tool 2 ":/tool 6" --pin sup --repo super=super
complained "bumps no pin 'sup'; it bumps super $(short super bump~2)..$(short super bump) (deps/super.bzl:2), super 0.3..0.1"

# A URL is cloned once. A file with a checksum is left as it is.
rm -rf .regengine runs
git init -q -b main bazel
archive() { echo "http_archive(
    name = \"com_library\",
    sha256 = \"$(id_of library "$1" | sha256sum | cut -c 1-64)\",
    urls = [\"https://github.com/some/library/archive/$(id_of library "$1").tar.gz\"],
)" >bazel/WORKSPACE; echo "$1" >bazel/other.txt; commit bazel "$1"; }
for version in c2 c9; do archive $version; done
expect 0 descend --repo bazel --repo "library=file://$folder/library" --commit main --build 'cp ../library/speed speed' \
  --test 'git diff --quiet HEAD && echo "speed: $(cat speed)"' --metric 'speed: {number}' --json
answer "answer.changes[1].bad.commit == '$guilty'"
not_said "--override_repository"
expect 0 descend --repo bazel --commit main --test 'echo "speed: 1"' --metric 'speed: {number}'
noted 'WORKSPACE has a checksum of library, so --build must use --override_repository=com_library="$REPO_LIBRARY"'
expect 1 descend --repo bazel --repo "library=file://$folder/nowhere" --commit main --test true
[ "$(grep -c '^regengine: ' err)" = 1 ] || fail "not one message"

# Two pins in one commit; one of them forked from the range of the other side.
git -C library checkout -q -b fork c5
echo 5b >library/number
commit library "library fork"
git -C library checkout -q main
rm -rf .regengine
both() { echo "ARG LIBRARY_COMMIT=$1
ARG OTHER_REV=$2" >bazel/Dockerfile; commit bazel "both"; }
both "$(id_of library fork)" "$(id_of other main)"
echo 2 >other/number; commit other "other 2"
both "$(id_of library main)" "$(id_of other main)"
expect 2 descend --repo bazel --commit main --test true
complained "bazel $(short bazel main) bumps library $(short library fork)..$(short library main) (Dockerfile:1), other $(short other main~1)..$(short other main) (Dockerfile:2), but the repositories are not known"
expect 2 descend --repo bazel library=library other=other --commit main --test true
complained "bazel $(short bazel main) bumps 2 pins: library"
expect 0 descend --repo bazel library=library other=other --commit main --pin library --metric 'speed: {number}' \
  --test 'grep -q "COMMIT=$(git -C ../library rev-parse HEAD)" Dockerfile && echo "speed: $(cat ../library/speed)"' --json
answer "answer.changes[1].bad.commit == '$guilty'"
said "(Dockerfile:1), from the merge base $(short library c5); in library:"

# investigate.lua goes on by itself.
rm -rf .regengine
daily app 2 "09:00 12:00 15:00" '
  echo $number >number
  [ $number -lt 4 ] && id_of ../super bump~2 >super_commit || id_of ../super main >super_commit'
echo 100 >nights/2024-03-01/built
echo 70 >nights/2024-03-02/built
# As a build does that fetches what is pinned; the library is taken from its checkout, where there is one.
cat >test.sh <<END
cd "\${REPO_PROG:-.}"
if [ -n "\${REPO_LIBRARY:-}" ]; then speed=\$(cat "\$REPO_LIBRARY/speed")
elif [ -n "\${REPO_PROG:-}" ]; then
  library=\$(git -C "$folder/super" rev-parse "\$(cat super_commit):third_party/library")
  speed=\$(git -C "$folder/library" show "\$library:speed")
else speed=\$(cat built); fi
echo "speed: \$speed"
END
given investigate 'investigate --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-02 \
  --test test.sh --metric "speed: {number}" --min-effect 5%'
investigate 0 --repo prog=app
said "regengine investigate.lua --runtime local" " --repo prog=app --repo super=PATH" " --descend"
investigate 0 --repo prog=app super=super library=library --descend --json
answer "#answer.stages == 5 and answer.changes[1].bad.commit == '$guilty'"
said "prog $(short app c4) bumped super $(short super bump~2)..$(short super main) (super_commit:1); in super:"
said "super $(short super bump) bumped library"
[ "$(grep -c '^REGRESSION' out)" = 5 ] || fail "not each stage is printed once"

# --- In a folder of its own.
mkdir options && cd options
# A library whose eighth commit is slower, with a library of its own whose third commit is.
mkdir server
numbered inner 4 'echo $((number < 3 ? 0 : 30)) >loss'
numbered library 12 'id_of ../inner c$((number < 8 ? 1 : 4)) >inner_commit'
guilty=$(id_of library c8)
git clone -q --bare library server/library.git
git init -q -b main server/super.git
git -C server/super.git submodule --quiet add ../library.git deps/library
for i in 1 12; do
  git -C server/super.git/deps/library checkout -q "c$i"
  commit server/super.git "super $i"
done
git clone -q server/super.git super

# ADDRESS URL: what is proposed for a submodule with this URL in a clone of that address; git must say the same.
proposed() {
  git -C super remote set-url origin "$1"
  git -C super config -f .gitmodules submodule.deps/library.url "$2"
  git -C super config --remove-section submodule.deps/library 2>/dev/null || true
  git -C super submodule --quiet init 2>/dev/null
  by_git=$(git -C super config submodule.deps/library.url)
  git -C super commit -q --amend --no-edit .gitmodules
  expect 2 descend --repo super --commit main --test true
  grep -qxF "  Pass --repo library=$3." err || fail "$1 and $2 do not give $3"
  [ "${4-$3}" = "$by_git" ] || fail "git resolves $1 and $2 as $by_git"
}
proposed "$PWD/server/super.git" ../library.git "$PWD/server/library.git"
proposed "$PWD/server/super.git/" ../library.git/ "$PWD/server/library.git"
proposed https://host.example/team/super.git ./library.git https://host.example/team/super.git/library.git
proposed https://host.example/team/super.git ../../other/library https://host.example/other/library
proposed git@host.example:super.git ../library.git git@host.example:library.git
proposed git@host.example:team/super.git ../library.git git@host.example:team/library.git
proposed https://ann:secret@host.example/super.git ../library.git https://host.example/library.git \
  https://ann:secret@host.example/library.git
git -C super remote rename origin upstream 2>/dev/null
git -C super remote set-url upstream https://host.example/team/super.git
expect 2 descend --repo super --commit main --test true
complained "its repository is not known" "library=https://host.example/team/library.git."
git -C super remote remove upstream
says 2 "library=$PWD/library.git." descend --repo super --commit main --test true
[ ! -e .regengine ] || fail "something was made"

# A patch brings the test into the superproject, on all levels.
printf 'diff --git a/speed.sh b/speed.sh
new file mode 100644
--- /dev/null
+++ b/speed.sh
@@ -0,0 +1 @@
+echo "speed: $((100 - $(cat "$1/loss")))"
' >speed.patch
git init -q -b main app
for i in 1 12; do
  id_of library c$i >app/library_commit
  commit app "app $i"
done
given descend 'descend --repo app --repo library=library --commit main --metric "speed: {number}" --json'
test='if [ -d "${REPO_INNER:-}" ]; then inner=$REPO_INNER; else
  inner=now; mkdir -p now; pin=$(git -C "'$PWD'/library" show "$(cat library_commit):inner_commit")
  git -C "'$PWD'/inner" show "$pin:loss" >now/loss; fi
  sh speed.sh "$inner"'
tells descend 3 "cannot test the good commit" --test "$test"
answers descend 0 "answer.changes[1].bad.commit == '$guilty'" --test "$test" --patch speed.patch
descend 0 --test "$test" --patch speed.patch --repo inner=inner
answer "#answer.stages == 2 and answer.changes[1].bad.commit == '$(id_of inner c3)'"
[ ! -e app/speed.sh ] && [ -z "$(git -C library status --porcelain)" ] || fail "a clone changed"
says 2 "nowhere" descend --repo app --commit main --test true --patch nowhere

# The numbers reported for the two sides of the commit are those of the first level's ends.
descend 0 --test "$test" --patch speed.patch --repo inner=inner --good-value 100 --bad-value 70
answer "#answer.stages == 2 and answer.changes[1].bad.commit == '$(id_of inner c3)'"
descend 3 --test "$test" --patch speed.patch --good-value 900 --bad-value 300
said "the ends do not reproduce the report: speed 100 -> 70 here, 900 -> 300 reported"

# What bisect.lua proposes has its patch, but not the numbers of its ends.
says 0 "regengine descend.lua --repo app" bisect --repo app --good main~1 --bad main --test "$test" \
  --metric 'speed: {number}' --patch speed.patch --good-value 100 --bad-value 70 --min-effect 5%
said " --patch speed.patch --min-effect 5% --commit $(id_of app main)"
not_said "-value"
