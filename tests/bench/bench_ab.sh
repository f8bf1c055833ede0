#!/bin/sh
# tests/bench/bench_ab.sh REGENGINE: the test that reg.ab looks at after each pair, on simulated runs: how often it finds a
# difference where there is none, beside a t-test looked at as often, and how many pairs a difference takes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
"$here/../support/private_stdlib" library
"$engine" --trust --stdlib library "$here/ab_pairs.lua"
