"""Answers the question of `regengine share` and `regengine report` at a pseudo-terminal. Run by test_share.sh."""

import os
import pty
import subprocess
import sys

ENGINE = os.path.abspath(sys.argv[1])
os.environ.pop("CI", None)


def run(arguments, key):
    """Starts the engine at a terminal, with its stdout in a file; answers its question, if it has one, with the key."""
    pid, fd = pty.fork()
    if pid == 0:
        out = os.open("written", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.execv(ENGINE, [ENGINE, *arguments])
    seen = b""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        if b"[y/N]" in data:
            os.write(fd, key.encode() + b"\n")
        seen += data
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()


def check(what, got, code, asked, written):
    answered = got[0] == code and ("Write it? [y/N]" in got[1]) == asked
    if not answered or (os.path.getsize(written) > 0 if os.path.exists(written) else False) != (code == 0):
        sys.exit("FAILED: %s: %r" % (what, got))
    if "line" not in got[1] and "share" in what:
        sys.exit("FAILED: %s: it does not say where: %r" % (what, got))


check("share, yes", run(["share"], "y"), 0, True, "written")
check("share, no", run(["share"], "n"), 1, True, "written")
check("share, return", run(["share"], ""), 1, True, "written")
check("share --yes", run(["share", "--yes"], "n"), 0, False, "written")
os.environ["CI"] = "true"
check("share in CI", run(["share"], "n"), 0, False, "written")
del os.environ["CI"]
check("report of names alone", run(["report", "-o", "page.html"], "n"), 0, False, "page.html")
os.remove("page.html")
token = "ghp_" + "a1B2c3D4e5" * 4
subprocess.run([ENGINE, "-e", """
local store <close> = reg.store.open "regengine.db"
local trial = store:start { investigation = 1, subject = "with a token", key = "k" }
store:finish(trial.id, { status = "test_failed", message = "%s" })""" % token], check=True)
check("report, no", run(["report", "-o", "page.html"], "n"), 1, True, "page.html")
check("report, yes", run(["report", "-o", "page.html"], "y"), 0, True, "page.html")
with open("page.html", encoding="utf-8") as file:
    if token in file.read():
        sys.exit("FAILED: the token is in the page")
