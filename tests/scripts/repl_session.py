"""Types at regengine's prompt and waits for what must appear. Run by test_repl.sh."""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

PATIENCE = 30  # seconds for an answer; only a broken prompt ever waits that long
ATTEMPTS = 3


class Silence(Exception):
    """Nothing at all came back, not even an echo: what is typed while the prompt switches the terminal's mode is thrown
    away by the kernel. A person types again; so does main()."""



class Prompt:
    def __init__(self, engine, folder):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", XDG_STATE_HOME=folder + "/state", HOME=folder)
            os.execv(engine, [engine])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))

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
            self.seen += data.decode("utf-8", "replace")
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

    def end(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def first_session(engine, folder):
    p = Prompt(engine, folder)
    p.wait_for("Ctrl-D leaves.")
    p.wait_for("> ")

    p.say("1 + 1", "2\r\n")
    p.say("_ * 21", "42\r\n")
    p.say("x = { 2, 1, b = 'é', a = { true } }", "")
    p.say("x", '{ 2, 1, a = { true }, b = "é" }\r\n')
    p.say("{ { night = 'a', mlups = 1.5 } }", "mlups  night\r\n")
    p.say("'two\\nlines'", "two\r\nlines\r\n")
    p.say("nil, 1", "nil\r\n1\r\n")
    p.say("local y = 1", "a local ends with its chunk")

    p.type("for i = 1, 2 do\r")
    p.wait_for(">> ")
    p.type("print('turn', i)\r")
    p.wait_for(">> ")
    p.say("end", "turn\t1\r\nturn\t2\r\n")

    p.say("error('plain')", "error: prompt:1: plain\r\n")
    p.say("reg.jsn", "did you mean 'json'?")
    p.say("x = = 1", "unexpected symbol near '='")
    p.say("reg.report.plot { values = { 1 } , 2 }", "┤")

    p.type("reg.report.\t")
    p.wait_for("csv    plot   table")
    p.type("ta\t")
    p.wait_for("ble")
    p.type("\x03")
    p.wait_for("^C\r\n")
    p.wait_for("> ")
    p.say("'after Ctrl-C'", '"after Ctrl-C"')

    p.type("if true then\r")
    p.wait_for(">> ")
    p.type("\x03")
    p.wait_for("\r\n> ")
    p.say("'not within the if'", '"not within the if"')

    for endless in ("while true do end", "reg.sleep '1h'", "pcall(reg.sleep, 3600) while true do pcall(error) end"):
        p.type("print(6 * 7) " + endless + "\r")
        p.wait_for("42\r\n")
        p.type("\x03")
        p.wait_for("stopped\r\n")
        p.wait_for("> ")
    p.say("x.a", "{ true }")  # the engine and its values live on

    p.say("help 'report.plot'", "Example:")
    p.say("help(reg.report)", "reg.report.csv(rows, path)")
    p.say("help 'report.polt'", "did you mean 'report.plot'?")
    p.say("'remember me'", '"remember me"')
    p.type("\x04")
    p.wait_for("\r\n")
    return p.end()


def second_session(engine, folder):
    p = Prompt(engine, folder)
    p.wait_for("> ")
    p.type("\x10")  # Ctrl-P: the line before, of the session before
    p.wait_for("'remember me'")
    p.type("\r")
    p.wait_for('"remember me"\r\n')
    p.wait_for("> ")
    os.kill(p.pid, signal.SIGTERM)
    return p.end()


def attempt(engine):
    folder = tempfile.mkdtemp()
    try:
        for session in (first_session, second_session):
            code = session(engine, folder)
            if code != 0:
                sys.exit("FAILED: %s ended with %d" % (session.__name__, code))
    finally:
        shutil.rmtree(folder)


def main():
    for number in range(1, ATTEMPTS + 1):
        try:
            attempt(os.path.abspath(sys.argv[1]))
            print("prompt: all as promised")
            return
        except Silence as silence:
            if number == ATTEMPTS:
                sys.exit(str(silence))


main()
