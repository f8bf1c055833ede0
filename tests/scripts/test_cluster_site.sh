#!/bin/sh
# --cluster-commands: the scheduler of a site, by four commands. Here a shell script is the scheduler; the lines for Kubernetes
# of docs/clusters.md run with a kubectl that writes down what it is asked, and gives the pods to the same script.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/numbers.sh"

step() { rm -rf .regengine starts; : >starts; echo "- $1"; }
measures="--exact --every --of 6"
test='echo $N >>starts; sleep 0.5; echo "speed: $((N < 4 ? 100 : 80))"'
metric='speed: {number}'

# The scheduler runs each file spool/ID.job, whose text is a command line, and removes it at its end.
mkdir spool
cat >scheduler <<'SH'
while :; do
  for job in spool/*.job; do
    [ -e "$job" ] && [ ! -e "$job.pid" ] || continue
    (sh "$job"; rm -f "$job") >/dev/null 2>>scheduler.log &
    echo $! >"$job.pid"
  done
  sleep 0.1
done
SH
sh scheduler & scheduler=$!
at_end="kill $scheduler"
cat >lines <<'LINES'
# a scheduler in shell
submit: printf '%s\n' "$REGENGINE_JOBS" | while read -r job; do id=$REGENGINE_ROUND-$((i = i + 1)); echo "$job" >spool/$id.new; mv spool/$id.new spool/$id.job; echo $id; done
poll: for id in $REGENGINE_IDS; do [ ! -e spool/$id.job ] || echo "$id"; done
cancel: echo $REGENGINE_IDS >>cancelled
fetch:
LINES

# LINE COMMAND: ./changed has this line instead.
changed() { { grep -v "^$1:" lines; printf "%s: %s\n" "$1" "$2"; } >changed; }

# Each trial ran once; on several nodes both sides of the change may have run again on one.
each_once() {
  trials=$(ask_store 'SELECT count(*) AS n FROM trials WHERE status = "ok"')
  [ "$trials" -ge 6 ] && [ "$(wc -l <starts)" = "$trials" ] || fail "$(wc -l <starts) starts for $trials trials"
}

step "a scheduler in shell"
says 0 "first bad   4" numbers.lua --cluster-commands lines $measures --metric "$metric" --test "$test"
each_once

if [ "${REGENGINE_TEST_SLURM:-}" = 1 ]; then
  step "Slurm's own commands"
  changed submit 'printf "%s\n" "$REGENGINE_JOBS" | while read -r job; do sbatch --parsable --output=/dev/null --wrap "$job"; done'
  mv changed lines.slurm
  sed -i '/^poll/d; /^cancel/d' lines.slurm
  echo 'poll: squeue --noheader --format="%i %N"' >>lines.slurm
  echo 'cancel: scancel $REGENGINE_IDS' >>lines.slurm
  says 0 "first bad   4" numbers.lua --cluster-commands lines.slurm $measures --metric "$metric" --test "$test"
  each_once
fi

step "mistakes in the file"
echo "no colon" >bad
says 2 "bad: not 'NAME: COMMAND': no colon" numbers.lua --cluster-commands bad --test true
sed 's/^submit/sumbit/' lines >bad
says 2 "bad: unknown name 'sumbit' (did you mean 'submit'?)" numbers.lua --cluster-commands bad --test true
grep -v ^cancel lines >bad
says 2 "bad: no line 'cancel: COMMAND'" numbers.lua --cluster-commands bad --test true
says 2 "no_file" numbers.lua --cluster-commands no_file --test true
says 2 "--hosts and --cluster-commands exclude each other" numbers.lua --cluster-commands lines --hosts a --test true

step "a submit that fails once, and one that prints too few ids"
changed submit "[ -e tried ] || { touch tried; echo 'quota exceeded' >&2; exit 1; }; $(sed -n 's/^submit: //p' lines)"
expect 0 numbers.lua --cluster-commands changed $measures --metric "$metric" --test "$test"
noted "changed accepts no jobs now: quota exceeded; trying again"
each_once
step "prints too few ids"
rm -f cancelled tried
changed submit "{ $(sed -n 's/^submit: //p' lines); } | if [ -e tried ]; then cat; else touch tried; sed 2d; fi"
expect 0 numbers.lua --cluster-commands changed $measures --parallel 3 --metric "$metric" --test "$test"
grep -q "submit: printed [0-9] ids for [0-9] jobs" err || fail "too few ids are not said"
there cancelled || fail "what has an id is not cancelled"
[ "$(ask_store 'SELECT count(*) AS n FROM trials WHERE status = "ok"')" = 6 ] || fail "not six trials"

step "a submit that always fails"
changed submit "echo 'quota exceeded' >&2; exit 1"
launch numbers.lua --cluster-commands changed --of 2 --test true
interrupt_when grep -q "changed accepts no jobs now: quota exceeded" err

step "a poll that fails for a while"
changed poll 'n=$(($(cat polls 2>/dev/null || echo 0) + 1)); echo $n >polls; [ $n -gt 2 ] || exit 1; '"$(sed -n 's/^poll: //p' lines)"
expect 0 numbers.lua --cluster-commands changed $measures --metric "$metric" --test "sleep 8; $test"
[ "$(cat polls)" -gt 2 ] || fail "it was polled $(cat polls) times"
[ "$(wc -l <starts)" = 6 ] || fail "a running job was taken for lost"

step "Ctrl-C, and the same command again"
slow='echo $N >>starts; sleep 5; echo "speed: $N"'
launch numbers.lua --cluster-commands lines --exact --of 2 --metric "$metric" --test "$slow"
interrupt_when there starts
expect 0 numbers.lua --cluster-commands lines --exact --of 2 --metric "$metric" --test "$slow"
[ "$(wc -l <starts)" = 2 ] || fail "a job was started again"

step "a job that the search has no use for is cancelled"
rm -f cancelled
launch numbers.lua --cluster-commands lines --of 2 --test "$slow"
interrupt_when there starts
expect 0 numbers.lua --cluster-commands lines --exact --of 2 --metric "$metric" --test "$test"
there cancelled || fail "the job of the command before is not cancelled"

step "the lines for Kubernetes"
awk '/^<!-- file: / { file = $3 } /^```/ { open = !open && file != ""; if (!open) file = ""; next } open { print >file }' \
  "$source_root/docs/clusters.md"
mkdir bin
executable bin/kubectl <<'SH'
echo "$*" >>kubectl.log
case "$1 $2" in
  "create -f") cat >pod.read
    name=$(sed -n 's/^metadata: {name: \(.*\)}/\1/p' pod.read)
    { echo 'ON=node7'; sed -n "s/^    command: \[sh, -c, '\(.*\)'\]/\1/p" pod.read; } >"spool/$name.new"
    mv "spool/$name.new" "spool/$name.job"
    echo "pod/$name created" ;;
  "get pods") for job in spool/*.job; do [ ! -e "$job" ] || echo "$(basename "$job" .job)   node7"; done ;;
esac
SH
PATH=$folder/bin:$PATH expect 0 numbers.lua --cluster-commands kubernetes.txt $measures --metric "$metric" --test "$test"
said "first bad   4"
grep -Eq "^metadata: \{name: [a-z0-9][-a-z0-9]{1,61}[a-z0-9]\}$" pod.read || fail "not the name of a pod: $(cat pod.read)"
grep -qx "create -f -" kubectl.log || fail "kubectl was called as: $(cat kubectl.log)"
"$engine" -e 'for _, one in ipairs(reg.store.open(".regengine/results.db"):trials {}) do print(one.info.node.name) end' >nodes
[ "$(sort -u nodes)" = node7 ] || fail "the trials ran on: $(cat nodes)"
