# What the whole-program tests share. To be read with `. "$(dirname "$0")/lib.sh"`, after which the test is in a folder of
# its own that is removed at its end; $engine is the program's path.
set -eu
engine=$(realpath "$1")
source_root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
at_end=:
# A guardian ends a moment after its engine, and may write meanwhile.
trap '$at_end; rm -rf "$folder" 2>/dev/null || { sleep 1; rm -rf "$folder"; }' EXIT
cd "$folder"
export XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache"
export REGENGINE_FAKES="${REGENGINE_FAKES:-$(dirname "$engine")/fakes}"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.org GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=ann@example.org

unset CI  # where it is set, the engine asks nobody

"$engine" trust "$folder"  # the scripts that a test writes are its own

fail() {
  echo "FAILED: $1"
  echo "--- stdout"; tail -n 40 out 2>/dev/null || true
  echo "--- stderr"; tail -n 40 err 2>/dev/null || true
  exit 1
}

skip() {
  echo "SKIPPED: $1"
  [ "${REGENGINE_REQUIRE_REAL:-}" != 1 ] || exit 1
  exit 77
}

need() { for program; do command -v "$program" >/dev/null || skip "no $program"; done; } # PROGRAM...

# Starts a docker daemon, a registry and podman of this test's own, as far as they are there; REGENGINE_TEST_... say what is.
start_daemons() {
  at_end=stop_daemons
  environment=$("$source_root/tests/support/daemons" start "$folder/daemons")
  eval "$environment"
}
stop_daemons() { "$source_root/tests/support/daemons" stop "$folder/daemons"; }

# What there is of docker and podman, into $runtimes; what is missing is said.
runtimes_here() {
  runtimes=
  for runtime in docker podman; do
    eval "found=\${REGENGINE_TEST_$(echo $runtime | tr a-z A-Z):-}"
    if [ -n "$found" ]; then runtimes="$runtimes $runtime"; else echo "SKIPPED: no $runtime"; fi
  done
}
# [RUNTIME]: the test needs the registry, and this runtime or any; $runtimes are there, $runtime is the first of them.
need_images() {
  runtimes_here
  runtime=$(echo $runtimes | cut -d ' ' -f 1)
  [ -n "${REGENGINE_TEST_REGISTRY:-}" ] && [ -n "$runtime" ] || skip "no registry, or neither docker nor podman, is here"
  [ "${1:-$runtime}" = "$runtime" ] || skip "no $1"
}

# FAILURES MODE [PORT]: starts a proxy of the registry that fails so, as $proxy, with its log in ./proxy, at $registry.
start_proxy() {
  rm -rf proxy; mkdir proxy
  "$source_root/tests/support/flaky_registry" "$REGENGINE_TEST_REGISTRY" proxy "$@" 2>proxy/log &
  proxy=$!
  wait_until there proxy/port
  registry=127.0.0.1:$(cat proxy/port)
  direct=${direct:-${CONTAINERS_REGISTRIES_CONF:-/dev/null}}
  { cat "$direct"; printf '[[registry]]\nlocation = "%s"\ninsecure = true\n' "$registry"; } >registries.conf
  export CONTAINERS_REGISTRIES_CONF="$folder/registries.conf"
}

# EXIT-CODE COMMAND...: the command ends so; its output is in ./out and ./err.
exits() {
  wanted=$1; shift
  status=0
  "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] || fail "exit code $status, not $wanted: $*"
}
# EXIT-CODE ARGUMENTS...: the same for the engine.
expect() { expected=$1; shift; exits "$expected" "$engine" "$@"; }
# FOLDER EXIT-CODE ARGUMENTS...: the same in that folder.
within() {
  place=$1 expected=$2; shift 2
  [ -d "$place" ] || fail "no folder $place"
  exits "$expected" sh -c 'cd "$0" && exec "$@"' "$place" "$engine" "$@"
}
# EXIT-CODE ARGUMENTS...: the same without a terminal, so that nobody can be asked.
alone() { expected=$1; shift; exits "$expected" setsid -w "$engine" "$@" </dev/null; }
# NAME WORDS [COMMAND]: makes the function NAME EXIT-CODE OPTIONS..., which runs the command, and is then as expect with
# these words (shell text) before the options.
given() { eval "$1() { code=\$1; shift; ${3:-:}; expect \"\$code\" $2 \"\$@\"; }"; }

# FILE MESSAGE: fails, and shows the end of the file, which fail() shows of ./out and ./err.
fail_with() { case $1 in out | err) ;; *) tail -n 40 "$1" >&2 ;; esac; fail "$1 $2"; }
# FILE TEXT...: the file has each of them, or none.
holds() { held_by=$1; shift; for held; do grep -qF -- "$held" "$held_by" || fail_with "$held_by" "lacks: $held"; done; }
lacks() {
  held_by=$1; shift
  [ -e "$held_by" ] || fail "no file $held_by"
  for held; do ! grep -qF -- "$held" "$held_by" || fail_with "$held_by" "says: $held"; done
}
# FILE PATTERN...: a line of the file matches each extended regular expression.
matches() {
  held_by=$1; shift
  for held; do grep -Eq -- "$held" "$held_by" || fail_with "$held_by" "has no line that matches: $held"; done
}
first_line() { head -n 1 out | grep -Eq -- "$1" || fail "the first line is '$(head -n 1 out)', and does not match: $1"; }
# TEXT...: the same as holds and lacks, of stdout and stderr.
said() { holds out "$@"; }
not_said() { lacks out "$@"; }
noted() { holds err "$@"; }

# TEXT...: one clear line and at most a hint below it, which hold these. A script in Markdown tells its options, too.
complained() {
  noted "$@"
  [ "$(grep -c '^regengine: ' err)" = 1 ] || fail "not exactly one message"
  [ "$(grep -vc ': reported with ' err)" -le 2 ] || fail "more than a message and a hint"
}

# FUNCTION EXIT-CODE TEXT ARGUMENTS...: the function, which is like expect, ends so, and the engine says the text, as its only
# message if it fails.
tells() {
  tells_function=$1 tells_code=$2 tells_text=$3; shift 3
  "$tells_function" "$tells_code" "$@"
  case $tells_code in [034]) said "$tells_text" ;; *) complained "$tells_text" ;; esac
}
says() { tells expect "$@"; } # EXIT-CODE TEXT ARGUMENTS...

# ARGUMENTS...: starts the engine in a session of its own, as $pid.
launch() {
  setsid "$engine" "$@" >out 2>err &
  pid=$!
}

wait_until() {
  tries=600
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || fail "waited too long for: $*"
    sleep 0.1
  done
}

there() { [ -s "$1" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; } # PID

# CONDITION...: sends Ctrl-C to the engine $pid as soon as the condition holds; it ends with exit code 130.
interrupt_when() {
  wait_until "$@"
  kill -INT "$pid"
  ended 130
}

# CONDITION...: kills the engine $pid as soon as the condition holds.
kill_when() {
  wait_until "$@"
  kill -9 "$pid"
  ended 137
}

# EXIT-CODE: the engine $pid ends with it.
ended() {
  status=0
  wait "$pid" 2>/dev/null || status=$?
  [ "$status" = "$1" ] || fail "exit code $status, not $1"
}

lines_in() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }
has_lines() { [ "$(lines_in "$1")" -ge "$2" ]; } # FILE NUMBER: so many, or more
# COMMAND...: runs it, which adds no line to ./runs, or to the file that $runs_in names.
runs_nothing() {
  lines_before=$(lines_in "${runs_in:-runs}")
  "$@"
  [ "$(lines_in "${runs_in:-runs}")" = "$lines_before" ] || fail "something ran: $*"
}

# LUA-EXPRESSION over `answer`, the JSON object on the last line of ./out: fails unless it is true.
answer() {
  tail -n 1 out >answer.json
  "$engine" -e "local answer = reg.json.decode(reg.fs.read 'answer.json') assert($1)" >/dev/null 2>answer.err ||
    { cat answer.json answer.err; fail "the answer: $1"; }
}

# FUNCTION EXIT-CODE LUA-EXPRESSION ARGUMENTS...: the function, which is like expect, ends so, with such an answer.
answers() {
  answers_function=$1 answers_code=$2 answers_so=$3; shift 3
  "$answers_function" "$answers_code" "$@"
  answer "$answers_so"
}

# OPTIONS...: why.lua on ends that differ, whether or not it finds a cause.
why_differ() {
  "$engine" why --json "$@" >out 2>err || [ $? = 3 ] || fail "regengine why $*"
  answer 'answer.slowdown.verdict == "worse"'
}

# Seconds since 1970 of the next commit; each commit goes a minute on, or $pace seconds.
clock=1709287200 # 2024-03-01T10:00:00Z

# REPOSITORY MESSAGE: commits all that is there.
commit() {
  clock=$((clock + ${pace:-60}))
  git -C "$1" add -A
  GIT_AUTHOR_DATE="@$clock +0000" GIT_COMMITTER_DATE="@$clock +0000" git -C "$1" commit -q --allow-empty -m "$2"
}

# FILE [LINE]: makes the file an executable shell script from the line, or from stdin.
executable() {
  { echo '#!/bin/sh'; if [ $# -gt 1 ]; then printf '%s\n' "$2"; else cat; fi; } >"$1"
  chmod +x "$1"
}

# COMMAND...: runs it where nothing is stored yet, and without the ./runs of those before it.
fresh() {
  rm -rf .regengine/results.db* runs
  "$@"
}

# REPO N [SHELL-LINE]: a repository of N commits with the tags c1, c2, ..., whose file `number` says which one it is. The
# line runs in it before each commit, and knows $number.
numbered() {
  git init -q -b main "$1"
  for number in $(seq 1 "$2"); do
    echo "$number" >"$1/number"
    (cd "$1" && eval "${3:-:}")
    commit "$1" "commit $number"
    git -C "$1" tag "c$number"
  done
}

# FILE NOISE: a program that prints "step time: $t ms" with so much noise, which depends on the number of lines in ./runs,
# to which it adds one. The lines of stdin set $t.
noisy() {
  { cat; cat <<END; } | executable "$1"
echo >>runs
awk -v i="\$(wc -l <runs)" -v t="\$t" 'BEGIN {
  s = 7919 * i; x = 0
  for (k = 0; k < 15; ++k) { s = (s * 16807) % 2147483647; if (k > 2) x += s / 2147483647 }
  printf "step time: %.6f ms\n", t * (1 + $2 * (x - 6)) }'
END
}

# REPO DAYS TIMES [SHELL-LINE]: as `numbered`, but without the file `number`, and with commits at these times of the first
# so many days of March 2024; nights/DATE/opt/prog is a clone from the end of each day.
daily() {
  git init -q -b main "$1"
  number=0
  for date in $(seq -f 2024-03-%02g "$2"); do
    for time in $3; do
      number=$((number + 1))
      (cd "$1" && eval "${4:-:}")
      clock=$(date -u -d "${date}T$time" +%s)
      pace=0 commit "$1" "commit $number"
      git -C "$1" tag "c$number"
    done
    mkdir -p "nights/$date/opt"
    git clone -q "$1" "nights/$date/opt/prog"
  done
}

# REPO: a repository with the commits c1 to c4 of a program that says that a step takes 0.4 s, and 1.6 s from the third
# on.
slower() {
  numbered "$1" 4 'printf "#!/bin/sh\n# $number\necho step: $([ $number -lt 3 ] && echo 0.4 || echo 1.6)0\$\$\n" >program.in'
}

# FILE N LINE [OPTIONS]: a script that sweeps s1, s2, ..., sN: each adds itself to ./runs, and runs the line, which knows $subject.
sweep_of() {
  cat >"$1" <<LUA
local opt, subjects = reg.options {}, {}
for i = 1, $2 do subjects[i] = "s" .. i end
return reg.answer(reg.sweep(subjects, { every = true, into = opt.store, config = { test = "$1" }, ${4:-}
  measure = function(subject, trial)
    trial:run { env = { subject = subject }, shell = [[echo \$subject >>runs; $3]] }
    return 100
  end }))
LUA
}
third_waits='if [ "$(wc -l <runs)" = 3 ]; then until [ -e go ]; do sleep 0.05; done; fi'

# PREFIX DAY N LINE: a folder for each of so many days from this one on, where the line runs, which knows its number $i.
nights() {
  for i in $(seq "$3"); do
    (night=$1$(date -u -d "$2 + $((i - 1)) days" +%F) && mkdir -p "$night" && cd "$night" && eval "$4")
  done
}

# EXIT-CODE CODE: a script, which ends so.
run_lua() { printf '%s\n' "$2" >case.lua; expect "$1" case.lua; }

id_of() { git -C "$1" rev-parse "$2"; }
short() { git -C "$1" rev-parse --short=10 "$2"; }

# STORE RESULT QUERY: fails unless sqlite3 returns the result for the query.
query_gives() { gave=$(sqlite3 "$1" "$3"); [ "$gave" = "$2" ] || fail "$1: '$gave', not '$2': $3"; }

# QUERY: one number out of ./.regengine/results.db, or the store that $store names.
ask_store() { "$engine" -e "print(reg.store.open('${store:-.regengine/results.db}'):query('$1')[1].n)"; }

# [FILE]: what follows runs on the fake driver (tests/support/fakes/nvml), whose machine ./FILE (nvml) describes.
fake_driver() {
  export REGENGINE_NVML="$REGENGINE_FAKES/nvml.so" REGENGINE_FAKE_NVML="$folder/${1:-nvml}"
  [ -e "$REGENGINE_NVML" ] || fail "the fake driver is not built: $REGENGINE_NVML"
  unset CUDA_VISIBLE_DEVICES
}
forget_gpus() { rm -f /run/lock/regengine-*"$1"* /tmp/regengine-*"$1"*; } # UUID: the file of a lock stays, one a GPU

# [FILE]: as fake_driver; new_gpu makes it another GPU, $uuid, to which nothing has been done yet. At the end the engine $pid
# is killed with what it started.
fake_gpus() {
  fake_driver "$@"
  made=GPU-$(cat /proc/sys/kernel/random/uuid)
  number=0 pid=
  at_end=end_gpus
}
new_gpu() {
  number=$((number + 1))
  uuid=$made-$number
  echo "gpu0.uuid=$uuid" >"$REGENGINE_FAKE_NVML"
  rm -f ready out err
  : >"$REGENGINE_FAKE_NVML.log"
}
end_gpus() {
  [ -z "$pid" ] || kill -9 -"$pid" "$pid" 2>/dev/null || true
  forget_gpus "${made#GPU-}"
}

guardian() { pgrep -f -- "--guardian $XDG_STATE_HOME" || true; } # the process that restores what the engine changed
kill_both() { # the engine and its guardian
  kill -9 "$(guardian)" -"$pid" || fail "no guardian"
  wait "$pid" 2>/dev/null || true
}
# What was done to clocks, by the log of the fake driver.
locks() { sed -n 's/^[0-9]* [0-9]* \(Set[A-Za-z]*\|Reset[A-Za-z]*\) [^ ]*/\1/p' "$REGENGINE_FAKE_NVML.log" | tr '\n' ' '; }

# Puts a script in place of docker's client that answers as docker 28.2.2 does and adds a line to ./calls; stdin has the
# branches of its `case $1 in` that differ.
fake_docker() {
  mkdir -p bin
  { printf 'echo "$*" >>"$FOLDER/calls"\ncase $1 in\n'; cat; cat <<'SH'; } | executable bin/docker
  version) echo 28.2.2 ;;
  ps | rm | pull) ;;
  image)
    for name; do :; done
    echo "[{\"Id\":\"sha256:$(printf %s "$name" | sha256sum | cut -c 1-64)\",\"RepoDigests\":[],\"Config\":{}}]" ;;
  inspect) echo '{"Running":false,"ExitCode":0,"StartedAt":"2024-03-01T00:00:00Z","Pid":1}' ;;
  run) sleep 0.2; echo "MLUPS: 100" ;;
esac
SH
  export PATH="$folder/bin:$PATH" FOLDER="$folder"
}
