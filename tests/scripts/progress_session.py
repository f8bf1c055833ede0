"""progress_session.py COLUMNS COMMAND...: runs the command at a pseudo-terminal of that width. Prints each status line
that appeared there as "status: ...", and each line of text as "text: ...", in their order."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

COLUMNS, COMMAND = int(sys.argv[1]), sys.argv[2:]
ERASE = "\r\x1b[2K"

pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, COLUMNS, 0, 0))
    os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
    os.execvp(COMMAND[0], COMMAND)
seen = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:  # the end of a terminal
        break
    if not data:
        break
    seen += data
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

# A status line ends where it is erased, and text where the line does.
line = ""
for part in re.split("(%s|\r\n)" % re.escape(ERASE), seen.decode("utf-8", "replace")):
    if part == ERASE and line:
        if len(line) >= COLUMNS:
            sys.exit("FAILED: a status line of %d columns: %s" % (len(line), line))
        print("status: " + line)
    elif part == "\r\n":
        print("text: " + line)
    line = "" if part in (ERASE, "\r\n") else part
sys.exit(status)
