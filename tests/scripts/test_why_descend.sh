#!/bin/sh
# tests/scripts/test_why_descend.sh REGENGINE: why.lua on the commits of a dependency that descend.lua found, as a submodule and
# two pins deep, and on those of a stage of investigate.lua.
. "$(dirname "$0")/lib.sh"

# A submodule from a path needs this of the user.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always

# A library whose fourth commit takes longer; a superproject that has it as a submodule, and a tool that pins that one.
git init -q -b main library
for i in 1 2 3 4 5; do
  [ "$i" -lt 4 ] && step=0.2 || step=1.2
  echo "echo step: ${step}0\$\$" >library/program.in
  echo "$i" >library/number
  commit library "library $i"
  git -C library tag "v0.$i"
done
git init -q -b main super
git -C super submodule --quiet add "$folder/library" third_party/library
git -C super/third_party/library checkout -q v0.1
commit super "super 1"
git -C super/third_party/library checkout -q v0.5
commit super "super 2"
git init -q -b main tool
pin() { echo "SUPER_COMMIT = \"$(id_of super "$1")\"" >tool/super.bzl; commit tool "tool $1"; }
pin main~1
pin main

descend() {
  expect 0 descend --metric 'step: {number}' --better lower --min-effect 5% "$@"
}
both_ends() { # OPTIONS...
  why_differ "$@"
  answer "answer.commands[1]:find('^library $(id_of library v0.3 | cut -c 1-10): ')"
  answer "answer.commands[2]:find('^library $(id_of library v0.4 | cut -c 1-10): ')"
  answer 'answer.slowdown.metric == "step"'
  answer '#answer.levels[1].findings == 0'
}
# Each end is built with its own library, while the other one is built, too.
descend --repo super --commit main --repo library=library --build 'cp third_party/library/program.in program' \
  --test "sh ./program && git -C third_party/library log -1 --format=%s >>'$folder/runs'"
both_ends
[ "$(sort -u runs | tail -n 2 | tr '\n' ' ')" = "library 4 library 5 " ] || fail "what ran: $(sort -u runs)"
grep -q "bumped library" err && fail "why announces a search"

# Down from the tool, through the superproject.
descend --store tool.db --repo tool --commit main --repo super=super --repo library=library \
  --build 'cp ../super/third_party/library/program.in program' --test 'sh ./program && cat "$REPO_SUPER/.gitmodules"'
both_ends --store tool.db

# Commits that investigate.lua found between two nights: its test is a script, and its folder names the night.
mkdir nights
for night in 01:v0.1 02:v0.5; do
  clock=$(date -u -d "2024-03-${night%%:*}T20:00" +%s)
  mkdir -p "nights/2024-03-${night%%:*}/opt"
  git clone -q library "nights/2024-03-${night%%:*}/opt/library"
  git -C "nights/2024-03-${night%%:*}/opt/library" checkout -q "${night#*:}"
done
cat >test.sh <<'END'
cd "${REPO_LIBRARY:-$PWD/opt/library}"
sh ./program.in
END
expect 0 investigate --store nights.db --runtime local --image "$folder/nights/{date}" --from 2024-03-01 --to 2024-03-02 \
  --repo library=library --test test.sh --metric 'step: {number}' --better lower --min-effect 5%
both_ends --store nights.db
[ -d .regengine/worktrees/why-a/library ] && [ -d .regengine/worktrees/why-b/library ] || fail "the worktrees"
