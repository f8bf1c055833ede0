#!/bin/sh
# tests/bench/bench_nodes.sh REGENGINE [OPTION...]: a search on the nodes of a cluster beside one on a single node, and beside
# rivals, on simulated runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
shift
"$here/../support/private_stdlib" library
cp "$here/nodes.lua" "$here/../lua/cluster.lua" .
"$engine" --trust --quiet --stdlib library nodes.lua "$@"
