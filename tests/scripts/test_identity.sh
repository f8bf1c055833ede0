#!/bin/sh
# What belongs to a measurement: one thing is edited at a time, and each edit says whether the two subjects are measured
# afresh or their numbers are used again.
. "$(dirname "$0")/lib.sh"
fake_driver gpu
echo "gpu0.name=Fake GPU" >gpu

mkdir base base/tree base/other base/data
cat >base/helper.lua <<'END'
local helper = {}
-- Seconds as a rate.
function helper.rate(seconds, amount)
  return amount / seconds
end
return helper
END
echo 'echo "speed: $((50 + ${#1}))"; echo "slow: 7"' >base/test.sh
echo 1 >base/data/numbers
cat >base/sweep.lua <<'END'
local helper = require "helper"
local opt = reg.options {
  "timeout", "min_effect", "budget",
  test   = { "script", type = "script", default = "test.sh" },
  number = { "what to look for", type = "string", default = "speed: {number}" },
  size   = { "a factor", type = "integer", default = 1 },
  title  = { "a title", type = "string", default = "sweep" },
  input  = { "data", type = "string", list = true },
  last   = { "number of subjects", type = "integer", default = 2 },
}
local SCALE = 30
local env = { MODE = "fast" }

local function run_test(subject, trial)
  return trial:run { shell = "sh " .. opt.test .. " " .. subject.id, env = env, timeout_s = opt.timeout, cwd = "tree/.." }
end

local subjects = {}
for i = 1, opt.last do subjects[i] = { id = "s" .. i } end
local series = reg.sweep(subjects, {
  title = opt.title, into = "r.db", every = true, exact = true, min_effect = opt.min_effect, budget = opt.budget,
  files = { opt.test },
  measure = function(subject, trial)
    local run = run_test(subject, trial)
    -- The rate counts.
    local number = reg.metric.find(run.stdout, opt.number)
    return helper.rate(1, number * SCALE) * opt.size
  end,
})
print(series.reused .. " reused, " .. series.runs .. " runs")
END
at_base() { rm -rf study; cp -r base study; }
measure() { (cd study && env "$@" "$engine" -q sweep.lua $options) >out 2>err || fail "$what"; }

edits=0
# VERDICT WHAT: after `edit` changed ./study, `options` and `set_variables` are what the second run gets.
check() {
  wanted=$1 what=$2
  edits=$((edits + 1))
  measure $set_variables
  case $wanted in
    reused) runs="2 reused, 0 runs" ;;
    afresh) runs="0 reused, 2 runs" ;;
    wider) runs="2 reused, 1 runs" ;;
  esac
  said "$runs"
  printf '%-9s %s\n' "$wanted" "$what" >>table
}
# FILE SED-EXPRESSION VERDICT WHAT
edit() {
  prepare
  sed -i "$2" "study/$1"
  cmp -s "study/$1" "base/$1" && fail "the edit of $1 changed nothing: $2"
  check "$3" "$4"
}
prepare() {
  at_base
  options="" set_variables="" what="before any edit"
  measure
  said "0 reused, 2 runs"
}
# OPTIONS VERDICT WHAT
option() { prepare; options=$1; check "$2" "$3"; }
# VARIABLES VERDICT WHAT
variable() { prepare; set_variables=$1; check "$2" "$3"; }

edit sweep.lua 's/-- The rate counts\./-- The rate counts, and nothing else.\n\n/' reused "a comment and an empty line in measure"
edit sweep.lua 's/local number = /local found = /; s/number \* SCALE/found * SCALE/' reused "the name of a local variable"
edit sweep.lua 's/^print(/print("done") print(/' reused "code that measure does not reach"
edit sweep.lua 's/"sh " \.\. opt\.test/"sh -e " .. opt.test/' afresh "the command"
edit sweep.lua 's/MODE = "fast"/MODE = "slow"/' afresh "a variable that the script sets"
edit sweep.lua 's/helper\.rate(1,/helper.rate(2,/' afresh "a constant in measure"
edit sweep.lua 's/SCALE = 30/SCALE = 20/' afresh "a constant outside of measure"
edit sweep.lua 's/, cwd = "tree\/\.\."/, cwd = "other\/.."/' afresh "the working folder of the command"
edit sweep.lua 's/cwd = "tree/stdin = "x", cwd = "tree/' afresh "the standard input of the command"
edit sweep.lua 's/"test\.sh"/".\/test.sh"/' afresh "the path of the test in the command"
edit helper.lua 's/amount \/ seconds/2 * amount \/ seconds/' afresh "a function in a required module"
edit helper.lua 's/-- Seconds as a rate\./-- An amount in so many seconds./' reused "a comment in a required module"
edit test.sh 's/50/60/' afresh "the contents of the test"
option "--size 2" afresh "an option that measure reads"
option "--number slow:.{number}" afresh "the pattern of the number"
option "--title other" reused "an option that measure does not read"
option "--timeout 2h" reused "the time limit"
option "--budget 50" reused "the budget"
option "--min-effect 5%" reused "the smallest change to report"
option "--explain --quiet --json" reused "what is printed"
option "--last 3" wider "a wider range"
option "--input data" afresh "an input folder"
variable "TERM=dumb" reused "TERM"
variable "LANG=C" reused "LANG"
variable "XLA_FLAGS=--a=1" afresh "XLA_FLAGS"
variable "LD_LIBRARY_PATH=/opt/lib" afresh "LD_LIBRARY_PATH"
variable "PATH=$PATH:/nowhere" afresh "PATH"

prepare
options="--input data"
measure
echo 2 >study/data/numbers
check afresh "the contents of an input folder"

prepare
mv study moved && mkdir study && mv moved/* study && rmdir moved && mkdir elsewhere && mv study elsewhere/study
ln -s elsewhere/study study
check reused "another folder with the same files"
rm -rf study elsewhere

machine() { # LINE VERDICT WHAT
  prepare
  echo "$1" >>gpu
  check "$2" "$3"
  echo "gpu0.name=Fake GPU" >gpu
}
machine "driver=590.10" afresh "the driver of the GPU"
machine "gpu0.name=Other GPU" afresh "the model of the GPU"
machine gpu0.limit_mw=500000 afresh "its power limit"
machine "gpu0.mig=1
gpu0.instances=MIG-a~MIG-b" afresh "its instances"

prepare
echo "driver=590.10" >>gpu
options="--reuse any-machine"
check reused "another driver, with --reuse any-machine"
echo "gpu0.name=Fake GPU" >gpu

cat table
echo "$edits edits"

# What an untrusted script stores is for that script alone.
at_base
mkdir -p "$folder/untrusted"
cat >plant.lua <<'END'
local store = reg.store.open "r.db"
local known = store:trials({ status = "ok" })[1]
local run = store:begin { name = "plant" }
local trial = store:start { investigation = run, subject = "s1", key = known and known.key or "k" }
store:finish(trial.id, { status = "ok", samples = { value = 1e9 } })
for _, change in ipairs { function() store:add_samples(known.id, "value", 1e9) end,
  function() store:set_aside(known.id, "bad") end } do
  local ok, why = pcall(change)
  print(ok, why)
end
END
options="" set_variables=""
measure
(cd study && XDG_STATE_HOME="$folder/nobody" "$engine" ../plant.lua) >out 2>err || fail "the planting script ended"
[ "$(grep -c 'an untrusted script must not change trial' out)" = 2 ] || fail "an untrusted script changed a trial"
measure
said "2 reused, 0 runs"
(cd study && "$engine" -e 'local s = reg.store.open "r.db"
  for _, t in ipairs(s:trials { subject = "s1" }) do print(t.key:match "^untrusted" or "own", t.samples.value[1]) end') >out
[ "$(cut -f 1 out | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = " 1 own; 1 untrusted;" ] || fail "a planted trial"
