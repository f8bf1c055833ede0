"""progress_session.py ENGINE COLUMNS WORDS...: runs the engine at a pseudo-terminal of that width. Prints each status line
that appeared there as "status: ...", and each line of text as "text: ...", in their order."""

import re
import sys

from asked import run

COLUMNS = int(sys.argv[2])
ERASE = "\r\x1b[2K"

status, seen, _ = run(sys.argv[3:], columns=COLUMNS)
# A status line ends where it is erased, and text where the line does.
line = ""
for part in re.split("(%s|\n)" % re.escape(ERASE), seen):
    if part == ERASE and line:
        if len(line) >= COLUMNS:
            sys.exit("FAILED: a status line of %d columns: %s" % (len(line), line))
        print("status: " + line)
    elif part == "\n":
        print("text: " + line)
    line = "" if part in (ERASE, "\n") else part
sys.exit(status)
