"""Answers the question of `regengine share` and `regengine report` at a pseudo-terminal. Run by test_share.sh."""

import os
import pathlib
import subprocess
import sys

from asked import ENGINE, run


def check(arguments, key, code, asked, written):
    got = run(arguments, [key + "\n"], question=b"[y/N]", out="written")
    size = os.path.getsize(written) if os.path.exists(written) else 0
    if got[0] != code or ("Write it? [y/N]" in got[1]) != asked or (size > 0) != (code == 0):
        sys.exit("FAILED: %s, %r: %r" % (arguments, key, got))


TOKEN, WORD = "ghp_" + "a1B2c3D4e5" * 4, "plumtractorviolin"
check(["share"], "n", 0, False, "written")
check(["share", "--with-output"], "n", 1, True, "written")
check(["share", "--with-output"], "", 1, True, "written")
check(["share", "--with-output"], "y", 0, True, "written")
check(["share", "--with-output", "--yes"], "n", 0, False, "written")
os.environ["CI"] = "true"
check(["share", "--with-output"], "y", 2, False, "written")
del os.environ["CI"]
subprocess.run([ENGINE, "-e", """
local store <close> = reg.store.open ".regengine/results.db"
local trial = store:start { investigation = 1, subject = "with a token", key = "k" }
store:finish(trial.id, { status = "test_failed", message = "exit code 1: %s %s" })""" % (TOKEN, WORD)], check=True)
check(["report", "-o", "page.html"], "n", 0, False, "page.html")
page = pathlib.Path("page.html")
if WORD in page.read_text("utf-8"):
    sys.exit("FAILED: the output is in the page")
page.unlink()
check(["report", "--with-output", "-o", "page.html"], "n", 1, True, "page.html")
check(["report", "--with-output", "-o", "page.html"], "y", 0, True, "page.html")
if TOKEN in page.read_text("utf-8") or WORD not in page.read_text():
    sys.exit("FAILED: the page has the token, or lacks the output")
