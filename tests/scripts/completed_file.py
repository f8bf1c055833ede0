"""completed_file.py COMPLETION FOLDER BEGIN: in bash at a terminal in FOLDER, types "regengine BEGIN", Tab and Enter, and
prints the words that a command of that name gets, one a line."""
import os
import pty
import sys

completion, folder, begin = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(folder)
    os.environ.update(PS1="$ ", TERM="dumb")
    os.execvp("bash", ["bash", "--norc", "-i"])

seen = b""


def say(text, until):
    global seen
    seen = b""
    os.write(terminal, text)
    while until not in seen:
        seen += os.read(terminal, 4096)


say(b"regengine() { printf 'word: %s\\n' \"$@\"; echo en''d; }; source '" + completion.encode() + b"'; echo rea''dy\r",
    b"ready\r\n")
say(b"regengine " + begin.encode() + b"\t\x05\r", b"end\r\n")
for line in seen.decode("utf-8", "replace").splitlines():
    if line.startswith("word: "):
        print(line[len("word: "):])
os.close(terminal)
os.waitpid(pid, 0)
