#!/bin/sh
# tests/scripts/test_repl.sh REGENGINE: the prompt in a real pseudo-terminal, driven as a person would.
set -eu
if ! command -v python3 > /dev/null; then
  echo "SKIPPED: the prompt's test drives a pseudo-terminal with python3, which is not installed"
  exit 77
fi
exec python3 -B "$(dirname "$0")/repl_session.py" "$1"
