#!/bin/sh
# The prompt in a real pseudo-terminal, driven as a person would.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed, which drives a pseudo-terminal"
python3 -B "$source_root/tests/scripts/repl_session.py" "$engine"
