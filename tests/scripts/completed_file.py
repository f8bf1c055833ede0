"""completed_file.py COMPLETION FOLDER BEGIN: in bash at a terminal in FOLDER, types "regengine BEGIN", Tab and Enter, and
prints the words that a command of that name gets, one a line."""
import shutil
import sys

from typed_prompt import Prompt

completion, folder, begin = sys.argv[1:]
bash = Prompt(shutil.which("bash"), folder, "--norc", "-i", PS1="> ", TERM="dumb").ready()
bash.ask("regengine() { printf 'word: %s\\n' \"$@\"; echo en''d; }; source '" + completion + "'; echo rea''dy",
         "ready\r\n")
bash.type("regengine " + begin + "\t\x05\r")
for line in bash.wait_for("end\r\n").splitlines():
    if line.startswith("word: "):
        print(line[len("word: "):])
bash.leave()
