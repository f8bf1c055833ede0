# What the whole-program tests share. To be read with `. "$(dirname "$0")/lib.sh"`, after which the test is in a folder of
# its own that is removed at its end; $engine is the program's path.
# shellcheck shell=sh
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

# Starts a docker daemon, a registry and podman of this test's own, as far as they are there; REGENGINE_TEST_... say what is.
start_daemons() {
  at_end=stop_daemons
  environment=$("$source_root/tests/support/daemons" start "$folder/daemons")
  eval "$environment"
}
stop_daemons() { "$source_root/tests/support/daemons" stop "$folder/daemons"; }

# EXIT-CODE ARGUMENTS...: runs the engine; its output is in ./out and ./err.
expect() {
  wanted=$1; shift
  status=0
  "$engine" "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] || fail "exit code $status, not $wanted: regengine $*"
}

said() { grep -qF -- "$1" out || fail "stdout does not say: $1"; }
not_said() { ! grep -qF -- "$1" out || fail "stdout says: $1"; }

# One clear line that holds this, and at most a hint below it.
complained() {
  grep -qF -- "$1" err || fail "stderr does not say: $1"
  [ "$(grep -c '^regengine: ' err)" = 1 ] || fail "not exactly one message"
  [ "$(wc -l <err)" -le 2 ] || fail "more than a message and a hint"
}

# EXIT-CODE TEXT ARGUMENTS...: the engine ends so and says the text, as its only message if it fails.
says() {
  says_code=$1 says_text=$2; shift 2
  expect "$says_code" "$@"
  case $says_code in [034]) said "$says_text" ;; *) complained "$says_text" ;; esac
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
  wait "$pid" 2>/dev/null || true
}

# EXIT-CODE: the engine $pid ends with it.
ended() {
  status=0
  wait "$pid" || status=$?
  [ "$status" = "$1" ] || fail "exit code $status, not $1"
}

lines_in() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }

# LUA-EXPRESSION over `answer`, the JSON object on the last line of ./out: fails unless it is true.
answer() {
  tail -n 1 out >answer.json
  "$engine" -e "local answer = reg.json.decode(reg.fs.read 'answer.json') assert($1)" >/dev/null 2>answer.err ||
    { cat answer.json answer.err; fail "the answer: $1"; }
}

# OPTIONS...: why.lua on ends that differ, whether or not it finds a cause.
why_differ() {
  "$engine" why --json "$@" >out 2>err || [ $? = 3 ] || fail "regengine why $*"
  answer 'answer.slowdown.verdict == "worse"'
}

# Seconds since 1970 of the next commit; each commit goes a minute on.
clock=1709287200 # 2024-03-01T10:00:00Z

# REPOSITORY MESSAGE: commits all that is there.
commit() {
  clock=$((clock + 60))
  git -C "$1" add -A
  GIT_AUTHOR_DATE="@$clock +0000" GIT_COMMITTER_DATE="@$clock +0000" git -C "$1" commit -q --allow-empty -m "$2"
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

# REPO: a repository with the commits c1 to c4 of a program that says that a step takes 0.4 s, and 1.6 s from the third
# on.
slower() {
  numbered "$1" 4 'printf "#!/bin/sh\n# $number\necho step: $([ $number -lt 3 ] && echo 0.4 || echo 1.6)0\$\$\n" >program.in'
}

# REPO: a patch on standard output that adds the file `extra` with "one" in it.
extra_patch() {
  git -C "$1" checkout -q c1
  echo one >"$1/extra"
  git -C "$1" add extra
  git -C "$1" diff --cached
  git -C "$1" reset -q --hard
  git -C "$1" checkout -q main
}

# CODE [EXIT-CODE]: a script, which ends so.
run_lua() { printf '%s\n' "$1" >case.lua; expect "${2:-0}" case.lua; }

id_of() { git -C "$1" rev-parse "$2"; }

# QUERY: one number out of ./.regengine/results.db, or the store that $store names.
ask_store() { "$engine" -e "print(reg.store.open('${store:-.regengine/results.db}'):query('$1')[1].n)"; }
