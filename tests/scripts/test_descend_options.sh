#!/bin/sh
# descend.lua: the addresses of submodules that are relative, a patch, and the numbers reported for the two sides.
. "$(dirname "$0")/lib.sh"

# A submodule from a path needs this of the user.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always

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
proposed "$folder/server/super.git" ../library.git "$folder/server/library.git"
proposed "$folder/server/super.git/" ../library.git/ "$folder/server/library.git"
proposed https://host.example/team/super.git ./library.git https://host.example/team/super.git/library.git
proposed https://host.example/team/super.git ../../other/library https://host.example/other/library
proposed git@host.example:super.git ../library.git git@host.example:library.git
proposed git@host.example:team/super.git ../library.git git@host.example:team/library.git
proposed https://ann:secret@host.example/super.git ../library.git https://host.example/library.git \
  https://ann:secret@host.example/library.git
git -C super remote rename origin upstream 2>/dev/null
proposed_of() { git -C super remote set-url "$1" "$2" && expect 2 descend --repo super --commit main --test true; }
proposed_of upstream https://host.example/team/super.git
complained "its repository is not known" "library=https://host.example/team/library.git."
git -C super remote remove upstream
says 2 "library=$folder/library.git." descend --repo super --commit main --test true
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
  inner=now; mkdir -p now; pin=$(git -C "'$folder'/library" show "$(cat library_commit):inner_commit")
  git -C "'$folder'/inner" show "$pin:loss" >now/loss; fi
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
tells descend 2 "--good-value needs --bad-value" --test "$test" --good-value 100

# What bisect.lua proposes has its patch, but not the numbers of its ends.
says 0 "regengine descend.lua --repo app" bisect --repo app --good main~1 --bad main --test "$test" \
  --metric 'speed: {number}' --patch speed.patch --good-value 100 --bad-value 70 --min-effect 5%
said " --patch speed.patch --min-effect 5% --commit $(id_of app main)"
not_said "-value"
