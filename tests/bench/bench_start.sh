#!/bin/sh
# tests/bench/bench_start.sh REGENGINE: an empty chunk, ours against the plain interpreter; an untrusted script against a trusted one.
set -eu
. "$(dirname "$0")/common.sh"
ours() { "$engine" -e 'return'; }
theirs() { lua5.4 -e 'return'; }
echo '' >own.lua; cp own.lua foreign.lua
"$engine" trust --forget "$folder"; "$engine" trust own.lua
own() { setsid -w "$engine" own.lua; }
foreign() { setsid -w "$engine" foreign.lua; }
compare "regengine foreign.lua | own.lua" "<= 8 ms more" 50 foreign own
compare "regengine -e 'return' | lua5.4 -e 'return'" "<= 3" 50 ours theirs
