#!/bin/sh
# `regengine share`: the shared text gives the same plan elsewhere, and with the same store the same answer. It has
# nothing that commands printed and no variables, unless that was asked for, and no secrets.
. "$(dirname "$0")/lib.sh"

mkdir -p home/ann here/elsewhere
export HOME="$folder/home/ann" USER=annabel LC_ALL=C.UTF-8
cd here
here=$(pwd -P)
shared() { holds issue.md "$@"; }
not_shared() { [ -e issue.md ] || fail "no issue.md"; for text; do ! grep -qiF -- "$text" issue.md || fail "the shared text says: $text"; done; }

# EXIT-CODE ARGUMENTS...: as expect, in the other folder, with the shared text as issue.md.
elsewhere() {
  cp issue.md elsewhere
  within elsewhere "$@"
}

# --- nights: a test script, and images in a home folder ---
nights "$HOME/nights/jax-" 2023-07-01 8 'echo $((i < 5 ? 100 : 80)) >level'
cat >test.sh <<END
echo run >>"$here/runs"
awk -v run="\$(wc -l <"$here/runs")" '{ print "MLUPS: " \$1 + run * 37 % 100 / 10000 }' level
END
given eight_nights 'nightly --runtime local --image "$HOME/nights/jax-{date}" --from 2023-07-01 --to 2023-07-08 \
  --metric "MLUPS: {number}"'
eight_nights 0 --test test.sh --every --json
tail -n 1 out | sed 's/"seconds":[^,}]*//; s/"runs":[^,}]*//; s/"investigation":[^,}]*//' >first_answer
eight_nights 0 --test test.sh --every --dry-run
mv out plan

expect 0 share -o issue.md
noted "issue.md: "
# It says what was redacted.
matches err '^Redacted in issue.md:$' '^  home folder, [0-9]+: lines? [0-9]+'
expect 0 share
cmp -s out issue.md || fail "stdout is not what -o writes"
head -n 1 issue.md | grep -qE '^\*\*MLUPS fell by [0-9.]+ %: first bad 2023-07-05\*\*$' || fail "the title is not first"
# Each three times, both sides of the change once more, and the good end before the answer.
shared '1 regression found in 8 nights (27 runs'
shared '  first bad   2023-07-05' 'vs previous'
not_shared '    │ ' # within the drawing all blanks are braille, which is of another width on a page
LC_ALL=C expect 0 share
said ' |'
not_said '└'
shared '<summary>Table of 8 nights</summary>'
shared 'lua title=nightly.lua options=["--runtime","local","--image","<redacted>","--from","2023-07-01","--to","2023-07-08",'
shared 'regengine issue.md --image PATH' '<summary>File <code>test.sh</code>: save it beside the script</summary>'
shared "'{ print" '| engine | `regengine' '| trials | `'
not_shared "$HOME" annabel
shared '| host | `<host-1>` |'

if command -v python3 >/dev/null; then
  python3 -B "$source_root/tests/scripts/share_session.py" "$engine" || fail "at a terminal"
else
  echo "python3 is not installed: the question at a terminal was not tried"
fi

# Elsewhere it asks for what was redacted, and then has the same plan; with the same store it gives the same answer and
# measures nothing.
elsewhere 2 issue.md
noted "redacted when it was shared: --image PATH" "--test: no such file: 'test.sh'. Save the block at line"
tells elsewhere 2 "issue.md: --test: no such file: 'test.sh'" issue.md --image "$HOME/nights/jax-{date}"
line=$(grep -n 'sh title=test.sh' issue.md | cut -d: -f1)
noted "Save the block at line $((line + 1)) of issue.md as test.sh."
cp test.sh elsewhere
elsewhere 0 issue.md --image "$HOME/nights/jax-{date}" --dry-run
time='/^  about \|^  how long is not known/d'
sed "$time" plan >plan_here
sed "$time; s,/elsewhere,," out >plan_elsewhere
diff plan_here plan_elsewhere || fail "another plan"
runs_nothing elsewhere 0 issue.md --image "$HOME/nights/jax-{date}" --store "$here/.regengine/results.db" --json
tail -n 1 out | sed 's/"seconds":[^,}]*//; s/"runs":[^,}]*//; s/"stored":{[^}]*},//; s/"investigation":[^,}]*//' >second_answer
cmp first_answer second_answer || fail "another answer"

# What came of the shared text can be shared again, and is the same script.
expect 0 share -o again.md
block() { sed -n '/^```lua/,/^```$/p' "$1"; }
[ "$(block issue.md)" = "$(block again.md)" ] || fail "the script changed on its way"

# --- commits: a repository in a home folder, with subjects full of Markdown and GitHub syntax ---
rm -rf .regengine/results.db* elsewhere/.regengine/results.db*
git init -q -b main "$HOME/src"
n=0
while IFS= read -r subject; do
  n=$((n + 1))
  [ $n -lt 5 ] && echo 100 >"$HOME/src/level" || echo 80 >"$HOME/src/level"
  commit "$HOME/src" "$subject"
done <<'END'
first
``` closes #12 @octocat
<script>alert(1)</script> </details> | x
ghp_abcdefghijklmnopqrstuvwxyz0123456789 and https://bob:pw@example.org/x
````` @everyone **bold** <img src=x> HF_TOKEN=tok see GH-7
sixth
END
cat >own.lua <<'END'
#!/usr/bin/env regengine
-- It lies in /home/someone/src and has a ``` in it, and a "`".
local opt = reg.options {
  repo = { "NAME=PATH", type = "string", list = true }, note = { "x", type = "string" },
}
local repo = reg.git.open(opt.repo[1]:match "=(.*)")
math.randomseed(math.random(1 << 30))
local commits = repo:log { first_parent = true }
table.sort(commits, function(a, b) return a.time < b.time end)
return reg.answer(reg.sweep(commits, { title = "@team #1 <b>", every = true, measure = function(commit, trial)
  local run = trial:run { shell = "git -C '" .. opt.repo[1]:match "=(.*)" .. "' show " .. commit.id .. ":level",
    env = { WANDB_API_KEY = "0123456789abcdef0123", PLAIN = "word" } }
  return tonumber(run.stdout)
end }))
END
expect 0 own.lua --repo "src=$HOME/src" --note 'a `b` "c" é'
expect 0 own.lua --repo "src=$HOME/src" --note 'a `b` "c" é' --json
answer "answer.runs == 0" # an option that every script has makes it no other measurement
expect 0 share -o issue.md
not_shared ghp_ bob:pw HF_TOKEN=tok 0123456789abcdef "$HOME" /home/someone '| variable |'
shared 'The script was redacted: 1 home folder, 1 secret' 'seed='
# Nothing of others stands outside of a block or a code span: what is left without them are our own words and marks.
cat >strip.lua <<'END'
local text, left, fence = reg.fs.read "issue.md", {}, nil
for line in text:gmatch "[^\n]*" do
  local run = line:match "^(```+)"
  if fence then
    if run and #run >= #fence and line == run then fence = nil end
  elseif run then
    fence = run
  else
    left[#left + 1] = line
  end
end
assert(not fence, "a block is not closed")
print((table.concat(left, "\n"):gsub("(`+).-%1", ""):gsub("<code>.-</code>", "")))
END
expect 0 strip.lua
not_said @ '#1' '<script' '<img' '<b>' 'GH-7' '**bold'
[ "$(grep -c '^<details>' out)" = "$(grep -c '^</details>' out)" ] || fail "the folds are not closed"

tells elsewhere 2 "redacted when it was shared: --repo src=PATH" issue.md
elsewhere 0 issue.md --repo "src=$HOME/src" --store "$here/.regengine/results.db" --json
says 2 "nobody is at a terminal to check what is published" share --with-output -o never.md
[ ! -e never.md ] || fail "it was written unasked"
expect 0 share --with-output --yes -o issue.md
shared '| variable | `WANDB_API_KEY=<redacted>` |' '| variable | `PLAIN=word` |'
not_shared 0123456789abcdef
expect 0 share --keep-host -o issue.md
[ "$(uname -n)" = localhost ] || shared "| host | \`$(uname -n)\`"

# The script unmasked is the same script: nothing is measured, and its options arrive as they were.
sed -i 's,/home/someone/src,/srv/src,; s/WANDB_API_KEY/COUNT/' own.lua
fresh expect 0 own.lua --repo "src=$HOME/src" --note 'a `b` "c" é'
expect 0 share -o issue.md
elsewhere 0 issue.md --repo "src=$HOME/src" --store "$here/.regengine/results.db" --json
answer "answer.runs == 0 and answer.verdict == 'changes'"
"$engine" -e 'local rows = reg.store.open(".regengine/results.db"):investigations()
  assert(rows[1].script_sha256 == rows[2].script_sha256 and rows[2].script == "own.lua")
  assert(reg.json.decode(rows[2].options).note == [[a `b` "c" é]])' || fail "not the same script and options"

# --- a failure whose output has a secret that no rule knows ---
mkdir leaky
cat >leak.sh <<'END'
secret=plumtractor$(echo violin)
echo "opening the vault with $secret"
[ -z "$GOES" ] || { echo "vault: $secret is wrong" >&2; exit 3; }
echo "MLUPS: 5"
END
GOES=no-plumtractorpassage eight_nights 3 --test leak.sh --env GOES --store leaky/leak.db
expect 0 share --store leaky/leak.db
cat out err >leaky/all
expect 0 report --store leaky/leak.db -o leaky/page.html
cat out err leaky/page.html >>leaky/all
lacks leaky/all plumtractorviolin plumtractorpassage
holds leaky/all 'exit code 3' # how the test failed
says 0 'its output: leak.db.out/' share --store leaky/leak.db
said '"--env","GOES=<redacted>"'
not_said '<redacted>/'
for command in share report; do
  says 2 "nobody is at a terminal" $command --with-output --store leaky/leak.db
done
says 0 'vault: plumtractorviolin is wrong' share --with-output --yes --store leaky/leak.db
said '"--env","GOES=no-plumtractorpassage"'
expect 0 report --with-output --yes --store leaky/leak.db -o leaky/page.html
grep -q 'vault: plumtractorviolin is wrong' leaky/page.html || fail "the page lacks the output"
says 2 "--follow writes outputs that nobody has checked" report --with-output --follow --store leaky/leak.db

# --- which one ---
says 2 "no investigation 'nights'" share nights
says 0 '`@team #1 <b>: 1 change found in 6 subjects' share 1
"$engine" -e 'reg.store.open("empty.db"):close()'
says 2 "empty.db has no investigation yet" share --store empty.db

# --- one that was killed before its answer ---
sweep_of slow.lua 3 '[ $subject = s1 ] || { touch reached; sleep 60; }' 'title = "slow",'
launch slow.lua --store killed.db
kill_when [ -e reached ]
expect 0 share --store killed.db -o issue.md
shared '**slow: no answer yet, 2 trials**' 'lua title=slow.lua' 'interrupted'

# --- too long for GitHub ---
cat >long.lua <<'END'
local subjects = {}
for i = 1, 3000 do subjects[i] = string.format("night number %05d of many", i) end
return reg.answer(reg.sweep(subjects, { every = true, exact = true, into = "long.db",
  measure = function() return 1 end }))
END
expect 0 --quiet long.lua
expect 0 share --store long.db -o issue.md
[ "$(wc -m <issue.md)" -lt 65536 ] || fail "$(wc -m <issue.md) characters"
shared 'Omitted, as GitHub takes at most 65,536 characters: 2940 rows of the table' 'lua title=long.lua'
{ echo 'return reg.answer(reg.sweep({ "a", "b" }, { into = "longer.db", measure = function() return 1 end }))'
  yes -- '-- words and words and words and words' | head -n 2000; } >longer.lua
expect 0 --quiet longer.lua
expect 0 share --store longer.db -o issue.md
[ "$(wc -m <issue.md)" -lt 65536 ] || fail "$(wc -m <issue.md) characters"
shared 'Omitted, as GitHub takes at most 65,536 characters: the script'

# --- two of a module ---
mkdir modules
echo 'return { twice = function(x) return 2 * x end }' >modules/helper.lua
cat >modules/main.lua <<'END'
local helper = require "helper"
local random = math.random(1 << 40)
print("drawn", random)
return reg.answer(reg.sweep({ "1", "2" }, { into = "module.db",
  measure = function(x) return helper.twice(tonumber(x)) end }))
END
expect 0 modules/main.lua
grep drawn out >drawn
expect 0 share --store module.db -o issue.md
shared '```lua module=helper'
elsewhere 0 issue.md
grep drawn out | cmp -s - drawn || fail "other random numbers elsewhere"

# --- a suite: its file comes with the script; the numbers are those of its own table, without warm-up processes ---
cat >zip.lua <<'END'
return { name = "zip", workloads = { "a", "b" }, command = function(c) return "sleep 0.0" .. (c.workload == "a" and
  1 or 3) end }
END
expect 0 suite --suite zip.lua --repeat 3
number_of_a() { sed -n 's/^a  *[a-z_]* *\([0-9.]*\) .*/\1/p' "$1"; }
number_of_a out >number
[ -s number ] || fail "the suite's table has no number"
expect 0 share --store output/suite.db -o issue.md
shared '**zip: 2 experiments, 2 new, 8 trials**'
grep -qE "^a +$(cat number) " issue.md || fail "another number than the suite's own table has"
shared 'lua title=suite.lua options=["--suite","zip.lua","--repeat","3"]'
shared '<summary>File <code>zip.lua</code>: save it beside the script</summary>'
elsewhere 2 issue.md
cp zip.lua elsewhere
cp -r output elsewhere
tells elsewhere 0 "0 processes were run; 2 reused" issue.md
says 0 "zip: 2 experiments, 2 new, 8 trials." report --store output/suite.db -o suite.html

# An answer that nobody can read is kept all the same.
! "$engine" nightly --runtime local --image "$HOME/nights/jax-{date}" --from 2023-07-01 --to 2023-07-08 --test test.sh \
  --metric 'MLUPS: {number}' --every --store full.db >/dev/full 2>err || fail "a full disk took the answer"
noted "standard output: No space left"
says 0 '1 regression found in 8 nights (' share --store full.db
