#!/bin/sh
# tests/scripts/test_permissions.sh REGENGINE: what an untrusted script may do - without a terminal, with --allow and
# --trust, and with answers at a real terminal (ask_session.py).
. "$(dirname "$0")/lib.sh"
"$engine" trust --forget "$folder"  # here the scripts are untrusted
mkdir work
cd work

echo 'print(reg.process.run { cmd = { "echo", "reached" } }.stdout)' >found.lua

# --- Without a terminal: one clear line with the kind, the thing and the option.
tells alone 1 "not permitted: process=echo (echo reached)" found.lua
noted "Pass --allow process=echo before the script name to permit it, or --trust"
not_said reached
alone 0 --allow process=echo found.lua && said reached
alone 0 --allow 'process=e*' --allow gpu=lock found.lua && said reached
alone 1 --allow process=cat found.lua && not_said reached
cat >mounts.lua <<'END'
local here = reg.fs.absolute "."
reg.process.run { cmd = { "true" }, mounts = { [here .. "/from"] = (...) == "outside" and "/usr/bin" or here .. "/to" } }
print "reached"
END
mkdir -p from to
alone 1 --allow process=true mounts.lua outside && complained "not permitted: files=/usr/bin"
if unshare --user --map-root-user --mount true 2>/dev/null; then
  alone 0 --allow process=true mounts.lua inside && said reached
fi
alone 0 --trust found.lua && said reached
alone 2 --allow proces=echo found.lua && complained "did you mean 'process'?"
alone 2 --allow process found.lua && complained "the pattern is missing"
alone 2 --allow process= found.lua && complained "the pattern for process is empty"

# An engine option may be behind the script, unless the script has one of that name, or reads its arguments itself. What
# a page says that it was started with is the script's: it permits nothing.
echo 'reg.options {} reg.process.run { cmd = { "touch", "reached" } }' >late.lua
alone 1 late.lua && complained "not permitted: process=touch"
alone 0 late.lua --trust
[ -e reached ] || fail "--trust behind the script"
alone 0 late.lua --allow process=touch
alone 0 late.lua --allow=process=touch -q
rm reached
echo 'reg.options { trust = { "whom", type = "boolean" } } reg.process.run { cmd = { "touch", "reached" } }' >own.lua
alone 1 own.lua --trust && complained "not permitted: process=touch"
echo 'print(...) reg.process.run { cmd = { "touch", "reached" } }' >own.lua
alone 1 own.lua --trust && said "--trust"
{ echo '```lua options=["--trust"]'; cat late.lua; echo '```'; } >page.md
alone 2 page.md && grep -q "unknown option '--trust'" err || fail "a page passes an option of the engine"

# --help of a script without options prints its head, and runs nothing.
{ echo '--- Makes a file.'; echo 'reg.process.run { cmd = { "touch", "helped" } }'; } >plain.lua
alone 0 plain.lua --help --trust && said "Makes a file." && said "It takes no options."
[ ! -e helped ] || fail "--help ran it"

# --- Untrusted: a file, standard input, a page. Trusted: what is typed, and shipped scripts.
exits 1 setsid -w "$engine" - <found.lua
{ echo '# an issue'; echo '```lua'; cat found.lua; echo '```'; } >issue.md
alone 1 issue.md && complained "not permitted: process=echo"
alone 0 -e "$(cat found.lua)" && said reached
cp "$source_root/examples/commands.lua" same.lua
alone 0 same.lua && said "side by side"
echo '-- edited' >>same.lua
alone 1 same.lua && complained "not permitted: process="

# --- A shipped script with options from a page, which decide what it runs, is not trusted.
git init -q -b main repo && commit repo one && pace=3600 commit repo two
{
  echo '```lua options=["--repo","repo","--good","HEAD~1","--bad","HEAD","--test","touch reached"]'
  cat "$source_root/scripts/bisect.lua"
  echo '```'
} >page.md
setsid -w "$engine" page.md >out 2>err </dev/null || true
[ ! -e reached ] || fail "a page's options ran a command"

# --- An edited copy of a shipped script declares its needs: the options that the refusal names are enough.
edited() { # NAME ARGUMENTS...
  { cat "$source_root/scripts/$1"; echo '-- edited'; } >"edited-$1"
  name=$1; shift
  alone 1 "edited-$name" "$@" && complained "not permitted: "
  options=$(sed -n 's/^  Pass \(--allow .*\) before the script name to permit what it declares.*/\1/p' err)
  [ -n "$options" ] || fail "edited $name does not declare what it reaches"
  eval "alone 0 $options edited-$name \"\$@\""
}
for i in 1 2 3; do mkdir -p "nights/2024-03-0$i"; done
echo 'echo "MLUPS: 5"' >number.sh
edited nightly.lua --runtime local --image 'nights/{date}' --from 2024-03-01 --to 2024-03-03 --test number.sh \
  --metric 'MLUPS: {number}'
for repo in repo=repo repo; do # with a name, and without
  rm -rf .regengine
  edited hourly.lua --repo $repo --from 2024-03-01T11:00 --to 2024-03-01T13:00 --test 'sh ../../../../number.sh' \
    --metric 'MLUPS: {number}'
done
edited bisect.lua --repo repo --good HEAD~1 --bad HEAD --test 'git log -1 --format=%s | grep one'

# --- The types of options declare what the script reaches through them, and nothing more.
cat >takes.lua <<'LUA'
local opt = reg.options {
  "runtime",
  image = { "image", type = "image" },
  repo = { "repositories", type = "repo", list = true },
  run = { "command", type = "command" },
  test = { "script", type = "script" },
  input = { "file", type = "file" },
  output = { "file", type = "output", default = "new.csv" },
}
reg.fs.write(opt.output, "")
LUA
declares() { # OPTIONS-OF-THE-ENGINE ARGUMENTS...
  allows=$1; shift
  tells alone 1 "  Pass $allows before the script name to permit what it declares" takes.lua "$@"
}
declares '--allow files=new.csv' --input number.sh
declares '--allow process=sh --allow files=made/x' --run make --output made/x
declares '--allow process=sh --allow git=repo --allow git=submodules --allow files=new.csv' --test number.sh --repo repo
mkdir ../src && git init -q ../src/xla
declares "--allow 'container=busybox:*' --allow git=$(realpath ../src)/xla --allow git=submodules --allow files=new.csv" \
  --image 'busybox:{date}' --run make --test number.sh --repo xla=../src/xla
declares '--allow process=sh --allow files=new.csv' --runtime local --image nights --run make

# --- regengine trust
alone 0 trust found.lua && alone 0 found.lua && said reached
alone 0 trust && said "$(realpath found.lua)"
[ "$(stat -c %a "$XDG_STATE_HOME/regengine/trusted")" = 600 ] || fail "others can read what is trusted"
alone 0 trust --forget found.lua && alone 1 found.lua
alone 2 trust nowhere.lua && complained "no such file or folder: nowhere.lua"
alone 2 trust --forget found.lua && complained "not trusted: "
alone 2 trust --force && complained "unknown option '--force'"
alone 0 trust . && alone 0 found.lua && said reached
mkdir ../beside && cp found.lua ../beside && ln -s ../beside/found.lua link.lua
alone 1 link.lua # where it really lies counts
alone 0 trust --forget .

# --- Declared but not allowed: the message has every option.
cat >declares.lua <<'LUA'
reg.needs { process = "echo", gpu = { "lock" }, container = "busybox:{date}" }
print(reg.process.run { cmd = { "echo", "reached" } }.stdout)
LUA
tells alone 1 "--allow process=echo --allow 'container=busybox:*' --allow gpu=lock before the script name" declares.lua

# --- A dry run asks nothing, records, and changes nothing.
echo 'reg.process.run { cmd = { "touch", "reached" } } reg.fs.write("reached", "") print "to the end"' >dry.lua
alone 0 --dry-run dry.lua && said "to the end"
[ ! -e reached ] || fail "a dry run changed something"
echo 'print(reg.container.exists "busybox:1")' >looks.lua
{ echo 'reg.options {}'; cat looks.lua; } >asked_for.lua # the script's own --dry-run is no other policy
mkdir engines && executable engines/docker 'echo 20.10.24' # it answers, whatever is asked
(
  PATH=$PWD/engines:$PATH
  alone 1 --dry-run looks.lua && complained "not permitted: container=busybox:1"
  alone 1 asked_for.lua --dry-run && complained "not permitted: container=busybox:1"
)

# --- The audit log has a line for each effect, whatever its text, which says what permitted it.
cat >audited.lua <<'LUA'
reg.process.run { cmd = { "echo", '"a\nb" \255' } }
pcall(reg.git.clone, "https://example.invalid/x", "x")
LUA
alone 0 --audit ../audit --allow process=echo audited.lua
alone 0 --audit ../audit --allow git=x --dry-run audited.lua
expect 0 -e 'for line in reg.fs.read("../audit"):gmatch "[^\n]+" do
  local entry = reg.json.decode(line)
  print(reg.time.parse(entry.time) and entry.verdict, entry.kind, entry.by)
end'
[ "$(cat out)" = 'run	process	--allow
refused	git	nil
recorded	process	nil
recorded	git	nil' ] || fail "the audit: $(cat out ../audit)"
# Without its line nothing is done.
mkdir ../gone
for log in ../nowhere/audit ../gone/audit; do
  says 2 "$log" --audit $log -e 'for _, cmd in ipairs { { "rm", "-rf", "../gone" }, { "touch", "reached" } } do reg.process.run { cmd = cmd } end'
  [ ! -e reached ] || fail "done without a line in $log"
done

# --- What needs no permission: reading here, a store and its output, GPU status and repositories here.
cat >harmless.lua <<'LUA'
assert(reg.fs.read "found.lua")
local store <close> = reg.store.open "results.db"
store:query "SELECT 1"
reg.gpu.status()
assert(#reg.git.open("repo"):log {} == 2)
print "harmless"
LUA
alone 0 harmless.lua && said harmless

# --- A module is part of the script.
mkdir parts && echo 'return function() return reg.process.run { cmd = { "echo", "reached" } }.stdout end' >parts/one.lua
echo 'print(require "parts.one"())' >main.lua
alone 1 main.lua && complained "process=echo"
echo 'print "reached"' >parts/two.lua
alone 1 -e 'require "parts.two"' && complained "parts/two.lua is not trusted: it cannot be loaded" && not_said reached
alone 1 --allow 'process=*' -e 'require "parts.two"' && not_said reached
alone 0 --trust -e 'require "parts.two"' && said reached
alone 0 trust main.lua && alone 0 main.lua && said reached
alone 0 trust --forget main.lua

# --- What others can write is not trusted: the store, the script, and the folders up to the trusted one.
mkdir -p open/below && cp found.lua open/below
alone 0 trust open
chmod o+w "$XDG_STATE_HOME/regengine/trusted"
alone 1 open/below/found.lua && complained "writable only by you"
chmod 600 "$XDG_STATE_HOME/regengine/trusted"
for what in open open/below open/below/found.lua; do
  alone 0 open/below/found.lua
  chmod o+w $what
  alone 1 open/below/found.lua && complained "other users can change what you trust: $PWD/$what"
  chmod o-w $what
done
chmod 1777 open/below # sticky, such as /tmp: nobody replaces a file of another
alone 0 open/below/found.lua
chmod 770 open/below/found.lua
if chown 0:12345 open/below/found.lua 2>/dev/null; then
  alone 1 open/below/found.lua && complained "other users can change"
  chown 12345:12345 open/below/found.lua
  alone 0 open/below/found.lua
fi
chmod o+w open/below/found.lua
alone 1 trust open/below/found.lua && complained "other users can change"
mkdir opener && cp found.lua opener
alone 1 opener/found.lua # begins as a trusted one does
alone 0 trust --forget open

# Forgetting a folder forgets what was answered about its scripts, too. What is no line of the store permits nothing.
asking() { # SCRIPT
  { echo 'reg.needs { process = "echo" }'; cat found.lua; } >"$1"
  printf '{"path":"%s","sha256":"%s","workspace":"%s","options":[],"modules":[],"permits":{"process":["echo"]}}\n' \
    "$PWD/$1" "$(sha256sum <"$1" | cut -c 1-64)" "$PWD" >>"$XDG_STATE_HOME/regengine/trusted"
}
asking opener/asks.lua && asking asks.lua
alone 0 opener/asks.lua && alone 0 trust --forget opener && alone 1 opener/asks.lua && alone 0 asks.lua
alone 2 trust --forget opener
printf '{"trust": 3}\nnot json\n{"trust":"relative"}\n{"sha256":"x","permits":[1]}\n' >"$XDG_STATE_HOME/regengine/trusted"
alone 1 asks.lua && alone 0 trust && not_said relative

# The store is the user's alone, whatever the umask, also where root writes it; no link is followed.
export XDG_STATE_HOME="$folder/private/state"
store=$XDG_STATE_HOME/regengine
(umask 0 && alone 0 trust found.lua)
[ "$(stat -c %a ../private ../private/state "$store" "$store/trusted" | tr '\n' ' ')" = "700 700 700 600 " ] || fail "others may"
owner=$(id -u)
! chown 12345 "$store" "$store"/* 2>/dev/null || owner=12345
alone 0 trust main.lua && alone 0 main.lua
[ "$(stat -c %u "$store/trusted")" = "$owner" ] || fail "the store has another owner"
echo precious >../other
for linked in trusted.lock trusted; do
  for link in "ln -fs" "ln -f"; do
    $link "$folder/other" "$store/$linked"
    alone 1 trust harmless.lua
    rm "$store/$linked"
  done
done
[ "$(cat ../other; stat -c %u ../other)" = "precious
$(id -u)" ] || fail "a link was followed"
export XDG_STATE_HOME="$folder/state"

need python3 # which answers the questions at a pseudo-terminal
git init -q -b main ../outside && for i in one two three; do commit ../outside $i; done
python3 -B "$source_root/tests/scripts/ask_session.py" "$engine" || fail "at the terminal"
