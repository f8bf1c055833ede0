#!/bin/sh
# tests/bench/bench_start.sh REGENGINE: an empty chunk, ours against the plain interpreter.
set -eu
. "$(dirname "$0")/common.sh"
ours() { "$engine" -e ''; }
theirs() { lua5.4 -e ''; }
compare "regengine -e '' | lua5.4 -e ''" "<= 5" 50 ours theirs
