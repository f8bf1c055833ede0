#!/bin/sh
# The prompt in a real pseudo-terminal, driven as a person would.
. "$(dirname "$0")/lib.sh"
need python3 # which drives a pseudo-terminal
python3 -B "$source_root/tests/scripts/repl_session.py" "$engine"
