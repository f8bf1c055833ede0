#!/bin/sh
# tests/scripts/test_permissions.sh REGENGINE: what a script from elsewhere may do - nobody to ask, --allow, --trust, and answers at
# a real terminal (ask_session.py).
. "$(dirname "$0")/lib.sh"
"$engine" trust --forget "$folder"  # here the scripts are from elsewhere
mkdir work
cd work

# Nobody can be asked in a session without a terminal, whoever runs this test.
foreign() { # EXIT-CODE ARGUMENTS...
  wanted=$1; shift
  status=0
  setsid -w "$engine" "$@" >out 2>err </dev/null || status=$?
  [ "$status" = "$wanted" ] || fail "exit code $status, not $wanted: regengine $*"
}

cat >found.lua <<'LUA'
print(reg.process.run { cmd = { "echo", "reached" } }.stdout)
LUA

# --- Without a terminal: one clear line with the kind, the thing and the option.
foreign 1 found.lua
complained "not permitted: process=echo (echo reached)"
grep -qF -- "--allow process=echo permits it; --trust permits everything" err || fail "no option"
not_said reached
foreign 0 --allow process=echo found.lua && said reached
foreign 0 --allow 'process=e*' --allow gpu=lock found.lua && said reached
foreign 1 --allow process=cat found.lua && not_said reached
foreign 0 --trust found.lua && said reached
foreign 2 --allow proces=echo found.lua && complained "did you mean 'process'?"
foreign 2 --allow process found.lua && complained "no pattern"
foreign 2 --allow process= found.lua && complained "an empty pattern"

# An option of the engine's behind the script is the script's, and says so: a page's options could give it too.
echo 'reg.options {} reg.process.run { cmd = { "touch", "reached" } }' >late.lua
foreign 2 late.lua --trust && grep -qF "comes before the script: regengine --trust" err || fail "--trust behind the script"
[ ! -e reached ] || fail "it was trusted"

# --- From elsewhere: a file, standard input, a page. One's own: what is typed, and what came with the engine.
status=0; setsid -w "$engine" - <found.lua >out 2>err || status=$?
[ "$status" = 1 ] || fail "standard input is trusted"
{ echo '# an issue'; echo '```lua'; cat found.lua; echo '```'; } >issue.md
foreign 1 issue.md && complained "not permitted: process=echo"
foreign 0 -e "$(cat found.lua)" && said reached
cp "$source_root/examples/commands.lua" same.lua
foreign 0 same.lua && said "side by side"
echo '-- edited' >>same.lua
foreign 1 same.lua && complained "not permitted: process="

# --- A page gives a shipped text the options that decide what it runs: that is not the shipped script any more.
git init -q -b main repo && commit repo one && clock=$((clock + 3600)) && commit repo two
{
  echo '```lua options=["--repo","repo","--good","HEAD~1","--bad","HEAD","--test","touch reached"]'
  cat "$source_root/scripts/bisect.lua"
  echo '```'
} >page.md
setsid -w "$engine" page.md >out 2>err </dev/null || true
[ ! -e reached ] || fail "a page's options ran a command"

# --- A copy of a shipped script, edited, says what it reaches: the options that the refusal names are enough.
edited() { # NAME ARGUMENTS...
  { cat "$source_root/scripts/$1"; echo '-- edited'; } >"edited-$1"
  name=$1; shift
  foreign 1 "edited-$name" "$@" && complained "not permitted: "
  options=$(sed -n 's/^  \(--allow .*\) permits what it declares.*/\1/p' err)
  [ -n "$options" ] || fail "edited $name does not declare what it reaches"
  eval "foreign 0 $options edited-$name \"\$@\""
}
for i in 1 2 3; do mkdir -p "nights/2024-03-0$i"; done
echo 'echo "MLUPS: 5"' >number.sh
edited nightly.lua --runtime local --image 'nights/{date}' --from 2024-03-01 --to 2024-03-03 --test number.sh --metric 'MLUPS: {number}'
edited hourly.lua --repo repo=repo --from 2024-03-01T11:00 --to 2024-03-01T13:00 --test 'sh ../../../number.sh' --metric 'MLUPS: {number}'
edited bisect.lua --repo repo --good HEAD~1 --bad HEAD --test 'git log -1 --format=%s | grep one'

# --- regengine trust
foreign 0 trust found.lua && foreign 0 found.lua && said reached
foreign 0 trust && said "$(realpath found.lua)"
[ "$(stat -c %a "$XDG_STATE_HOME/regengine/trusted")" = 600 ] || fail "others can read what is trusted"
foreign 0 trust --forget found.lua && foreign 1 found.lua
foreign 2 trust nowhere.lua && complained "there is no nowhere.lua"
foreign 2 trust --forget found.lua && complained "nothing is known of"
foreign 2 trust --force && complained "no option '--force'"
foreign 0 trust . && foreign 0 found.lua && said reached
mkdir ../beside && cp found.lua ../beside && ln -s ../beside/found.lua link.lua
foreign 1 link.lua # where it really lies counts
foreign 0 trust --forget .

# --- Declared, and nobody who said yes: the message has every option.
cat >declares.lua <<'LUA'
reg.needs { process = "echo", gpu = { "lock" }, container = "busybox:{date}" }
print(reg.process.run { cmd = { "echo", "reached" } }.stdout)
LUA
foreign 1 declares.lua
grep -qF -- "--allow process=echo --allow 'container=busybox:*' --allow gpu=lock permits what it declares" err ||
  fail "not every option: $(cat err)"

# --- A dry run asks nobody, records, and changes nothing.
echo 'reg.process.run { cmd = { "touch", "reached" } } reg.fs.write("reached", "") print "to the end"' >dry.lua
foreign 0 --dry-run dry.lua && said "to the end"
[ ! -e reached ] || fail "a dry run changed something"
echo 'print(reg.container.exists "busybox:1")' >looks.lua
{ echo 'reg.options {}'; cat looks.lua; } >asked_for.lua # the script's own --dry-run is no other policy
mkdir engines && printf '#!/bin/sh\necho 20.10.24\n' >engines/docker && chmod +x engines/docker # it answers, whatever is asked
(
  PATH=$PWD/engines:$PATH
  foreign 1 --dry-run looks.lua && complained "not permitted: container=busybox:1"
  foreign 1 asked_for.lua --dry-run && complained "not permitted: container=busybox:1"
)

# --- The audit says who permitted it.
foreign 0 --audit audit --allow process=echo found.lua
grep -q '"by":"--allow"' audit || fail "the audit does not say by what: $(cat audit)"
foreign 1 --audit refused found.lua
grep -q '"verdict":"refused"' refused || fail "the audit has no refusal"

# --- What needs nothing: reading here, a store and its output, looking at the GPUs and at repositories here.
cat >harmless.lua <<'LUA'
assert(reg.fs.read "found.lua")
local store <close> = reg.store.open "results.db"
store:query "SELECT 1"
reg.gpu.status()
assert(#reg.git.open("repo"):log {} == 2)
print "harmless"
LUA
foreign 0 harmless.lua && said harmless

# --- A module is part of the script.
mkdir parts && echo 'return function() return reg.process.run { cmd = { "echo", "reached" } }.stdout end' >parts/one.lua
echo 'print(require "parts.one"())' >main.lua
foreign 1 main.lua && complained "process=echo"
foreign 0 trust main.lua && foreign 0 main.lua && said reached
foreign 0 trust --forget main.lua

# --- Somebody else's answers are not believed.
foreign 0 trust .
chmod o+w "$XDG_STATE_HOME/regengine/trusted"
foreign 1 found.lua && complained "not yours alone to write"
chmod 600 "$XDG_STATE_HOME/regengine/trusted"
foreign 0 trust --forget .

if ! command -v python3 >/dev/null; then skip "the questions are asked at a pseudo-terminal by python3, which is not installed"; fi
python3 "$source_root/tests/scripts/ask_session.py" "$engine" || fail "at the terminal"
