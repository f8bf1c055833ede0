#!/bin/sh
# tests/scripts/test_why_ends.sh REGENGINE: why.lua on the two ends that bisect.lua, nightly.lua, flags.lua, hourly.lua,
# descend.lua (a submodule, and two pins deep) and a stage of investigate.lua found: commits are built, images run again.
. "$(dirname "$0")/lib.sh"

slower repo

expect 0 bisect --repo repo --good c1 --bad c4 --build 'cp program.in program && chmod +x program' \
  --test ./program --metric 'step: {number}' --better lower
why_differ
answer "answer.commands[1]:sub(1, 10) == '$(short repo c2)' and answer.commands[2]:sub(1, 10) == '$(short repo c3)'"
answer 'answer.slowdown.metric == "step"'
grep -q "^  artifact .*the program differs" out || fail "the program that was built"

# Nights, as folders of the local runtime.
nights image- 2024-03-01 4 '[ $i -lt 3 ] && echo 0.4 >step || echo 1.6 >step'
echo 'echo "step: $(cat "$REGENGINE_IMAGE/step")0$(od -An -N2 -tu2 /dev/urandom | tr -d " ")"' >step.sh
expect 0 nightly --runtime local --image "$folder/image-{date}" --from 2024-03-01 --to 2024-03-04 --test step.sh \
  --metric 'step: {number}' --better lower
why_differ
answer 'answer.commands[1]:find("image-2024-03-02: ", 1, true) and answer.commands[2]:find("image-2024-03-03: ", 1, true)'

mkdir searches && cd searches
flags() { expect 0 flags --metric 'step: {number}' --better lower "$@"; }

# A flag that makes a step longer: the good and the bad set are the variables of one command, which are exchanged.
echo 'case "$FLAGS" in *--slow*) echo step: 12 ;; *) echo step: 10 ;; esac' >program.sh
flags --good 'FLAGS=--a --b' --bad 'FLAGS=--a --slow --c' --bad SIZE=3 --test 'MODE=1 sh program.sh'
answers expect 0 "answer.commands[1] == [[MODE=1 FLAGS='--a --b' sh program.sh]]" why --json
answer "answer.commands[2] == [[MODE=1 FLAGS='--a --slow --c' SIZE=3 sh program.sh]]"
answer 'answer.top.level == "swap" and answer.top.variable == "FLAGS" and answer.top.name == "--slow" and answer.top.share > 0.8'

# Flags that are built in: each run builds with its own set, also where one flag of it is exchanged.
echo 'case "$FLAGS" in *--slow*) echo "echo step: 12" ;; *) echo "echo step: 10" ;; esac >built.sh' >build.sh
flags --store built.db --good 'FLAGS=--a --b' --bad 'FLAGS=--a --slow --c' --build 'sh build.sh' --test 'sh built.sh'
rm built.sh
says 0 "  before each run: sh build.sh" why --store built.db --dry-run
expect 0 why --store built.db --json
answer 'answer.top.level == "swap" and answer.top.name == "--slow" and answer.top.share > 0.8'
grep -q "^  artifact .*the program differs" out || fail "both ends ran the same build"

# Before a line of several commands they are exported, for the build, too.
flags --store several.db --good FLAGS=--fast --bad FLAGS=--slow --build 'sh build.sh' --test 'true; sh built.sh'
why_differ --store several.db
answer 'answer.commands[1] == "export FLAGS=--fast; true; sh built.sh"'
answer '#answer.swaps == 0'

# Two repositories by the hour; from the fourth hour on the library is slower. Each end is built beside its own library.
for name in library app; do
  clock=1709251800 # 2024-03-01T00:10:00Z
  pace=3600 numbered $name 6 '[ $number -lt 4 ] && echo 0.2 >step || echo 1.2 >step'
done
expect 0 hourly --store hours.db --repo app=app --repo library=library --from 2024-03-01T02:00 --to 2024-03-01T07:00 \
  --build 'cat ../library/step >built' --test 'echo "step: $(cat built)0$(od -An -N2 -tu2 /dev/urandom | tr -d " ")"; cat "$REPO_LIBRARY/number" >/dev/null' \
  --metric 'step: {number}' --better lower
why_differ --store hours.db
answer 'answer.commands[1]:find("^2024%-03%-01 04:00 UTC: echo") and answer.commands[2]:find("^2024%-03%-01 05:00 UTC: echo")'
answer '#answer.levels[1].findings == 0'

mkdir ../deep && cd ../deep
# A submodule from a path needs this of the user.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always

# A library whose fourth commit takes longer; a superproject that has it as a submodule, and a tool that pins that one.
numbered library 5 'echo "echo step: $([ $number -lt 4 ] && echo 0.2 || echo 1.2)0\$\$" >program.in'
git init -q -b main super
git -C super submodule --quiet add "$PWD/library" third_party/library
git -C super/third_party/library checkout -q c1
commit super "super 1"
git -C super/third_party/library checkout -q c5
commit super "super 2"
git init -q -b main tool
pin() { echo "SUPER_COMMIT = \"$(id_of super "$1")\"" >tool/super.bzl; commit tool "tool $1"; }
pin main~1
pin main

descend() { expect 0 descend --metric 'step: {number}' --better lower --min-effect 5% "$@"; }
both_ends() { # OPTIONS...
  why_differ "$@"
  answer "answer.commands[1]:find('^library $(short library c3): ')"
  answer "answer.commands[2]:find('^library $(short library c4): ')"
  answer 'answer.slowdown.metric == "step"'
  answer '#answer.levels[1].findings == 0'
}
# Each end is built with its own library, while the other one is built, too.
descend --repo super --commit main --repo library=library --build 'cp third_party/library/program.in program' \
  --test "sh ./program && git -C third_party/library log -1 --format=%s >>'$PWD/runs'"
both_ends
[ "$(sort -u runs | tail -n 2 | tr '\n' ' ')" = "commit 4 commit 5 " ] || fail "what ran: $(sort -u runs)"
grep -q "bumped library" err && fail "why announces a search"

# Down from the tool, through the superproject.
descend --store tool.db --repo tool --commit main --repo super=super --repo library=library \
  --build 'cp ../super/third_party/library/program.in program' --test 'sh ./program && cat "$REPO_SUPER/.gitmodules"'
both_ends --store tool.db

# Commits that investigate.lua found between two nights: its test is a script, and its folder names the night.
mkdir nights
for night in 01:c1 02:c5; do
  clock=$(date -u -d "2024-03-${night%%:*}T20:00" +%s)
  mkdir -p "nights/2024-03-${night%%:*}/opt"
  git clone -q library "nights/2024-03-${night%%:*}/opt/library"
  git -C "nights/2024-03-${night%%:*}/opt/library" checkout -q "${night#*:}"
done
cat >test.sh <<'END'
cd "${REPO_LIBRARY:-$PWD/opt/library}"
sh ./program.in
END
expect 0 investigate --store nights.db --runtime local --image "$PWD/nights/{date}" --from 2024-03-01 --to 2024-03-02 \
  --repo library=library --test test.sh --metric 'step: {number}' --better lower --min-effect 5%
both_ends --store nights.db
[ -d .regengine/worktrees/why-a/library ] && [ -d .regengine/worktrees/why-b/library ] || fail "the worktrees"
