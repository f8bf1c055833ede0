"""regengine's prompt in a pseudo-terminal: what is typed, and what must appear."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 120  # seconds for an answer; only a broken prompt ever waits that long
COLUMNS = 100
NO_TEXT = re.compile(r"\x1b\[(\?2004[hl]|[0-9;]*m)")  # requests for paste marks, and colors


class Silence(Exception):
    """Nothing at all came back, not even an echo: what is typed while the prompt switches the terminal's mode is thrown
    away by the kernel. A person types again; so does main()."""


def check(so, otherwise):
    if not so:
        sys.exit("FAILED: " + otherwise)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Prompt:
    def __init__(self, engine, folder, *options, **environment):
        self.seen, self.raw = "", b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": folder + "/state", "HOME": folder,
                               **environment})
            os.execv(engine, [engine, *options])
        self.resize(40, COLUMNS)

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, text):
        """Returns what appeared before `text`, and passes over both."""
        end = time.time() + PATIENCE
        while text not in self.seen:
            ready = select.select([self.fd], [], [], max(0, end - time.time()))[0]
            try:
                data = os.read(self.fd, 65536) if ready else b""
            except OSError:
                data = b""
            if not data and not self.seen.strip():
                os.kill(self.pid, signal.SIGKILL)
                raise Silence("FAILED: waited for %r, and nothing came" % text)
            if not data:
                sys.exit("FAILED: waited for %r, saw:\n%s" % (text, self.seen))
            self.raw += data
            self.seen += data.decode("utf-8", "replace")
            self.seen = NO_TEXT.sub("", self.seen)
        before, _, self.seen = self.seen.partition(text) if text else ("", "", self.seen)
        return before

    def type(self, text):
        os.write(self.fd, text.encode())

    def say(self, line, answer):
        """A line, and the answer that must come after its echo."""
        self.type(line + "\r")
        self.wait_for("\r\n")
        before = self.wait_for(answer)
        self.wait_for("> ")
        return before

    def enter(self, *lines):
        """Lines without an answer."""
        for line in lines:
            self.say(line, "")

    def ask(self, line, *texts, prompt="> "):
        """A line that is not echoed as it is, what must appear after it, and the prompt."""
        self.type(line + "\r")
        for text in (*texts, prompt):
            self.wait_for(text)

    def ready(self):
        self.wait_for("> ")
        return self

    def stop(self):
        """Ctrl-C, which ends what runs."""
        self.type("\x03")
        self.wait_for("stopped\r\n")
        self.wait_for("> ")

    def paste(self, text):
        """As a terminal hands it over that was asked for paste marks."""
        self.type("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def completes(self, typed, wanted):
        """What is typed, then Tab, and what must come to it in the line. The line is dropped."""
        self.type(typed)
        self.wait_for(typed)
        self.type("\t")
        self.wait_for(wanted)
        self.drop()

    def drop(self):
        self.type("\x03")
        self.wait_for("^C\r\n")
        self.wait_for("> ")

    def leave(self):
        """Ctrl-D; again where the kernel has thrown it away."""
        for _ in range(PATIENCE):
            self.type("\x04")
            while select.select([self.fd], [], [], 1)[0]:
                try:
                    self.raw += os.read(self.fd, 65536)
                except OSError:
                    return self.end()
        sys.exit("FAILED: Ctrl-D does not leave")

    def end(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
