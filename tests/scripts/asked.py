"""asked.py ENGINE ANSWER WORDS...: an engine at a pseudo-terminal whose questions are answered. Prints what it shows."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

ENGINE = os.path.abspath(sys.argv[1])
PATIENCE = 600  # seconds; only a broken question ever waits that long


def run(arguments, keys="", before="", question=b"\nAllow? [y/N", out=None, program=ENGINE, columns=80):
    """Starts the engine at a terminal, or with its stdout in the file `out`; types `before` at once and each of `keys` when
    a question stands there."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        if out:
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.execvp(program, [program, *arguments])
    os.write(fd, before.encode())
    seen, answered, asked, end = b"", 0, 0, time.time() + PATIENCE
    while True:
        ready = select.select([fd], [], [], max(0, end - time.time()))[0]
        try:
            data = os.read(fd, 65536) if ready else b""
        except OSError:
            break
        seen += data
        asked = seen.count(question)
        while answered < min(asked, len(keys)):
            os.write(fd, keys[answered].encode())
            answered += 1
        if not data or asked > len(keys):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            sys.exit("FAILED: it hangs, or asks once too often: %r\n%s" % (arguments, seen.decode("utf-8", "replace")))
    os.close(fd)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code, seen.decode("utf-8", "replace").replace("\r\n", "\n"), asked


if __name__ == "__main__":
    ended, shown, _ = run(sys.argv[3:], [sys.argv[2] + "\n"], question=b"? [y/N] ")
    print(shown)
    sys.exit(ended)
