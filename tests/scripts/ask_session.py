"""Answers regengine's questions at a pseudo-terminal. Run by test_permissions.sh, in a folder of its own."""

import json
import os
import pathlib
import subprocess
import sys

from asked import ENGINE, run
from typed_prompt import check, write

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TRUSTED = pathlib.Path(os.environ["XDG_STATE_HOME"], "regengine/trusted")


def expect(what, got, code, questions, *texts):
    if got[0] != code or got[2] != questions or not all(text in got[1] for text in texts):
        sys.exit("FAILED: %s: code %d, %d questions:\n%s" % (what, got[0], got[2], got[1]))


def forget():
    TRUSTED.unlink(missing_ok=True)


def undeclared():
    write("own.lua", "print(reg.process.run { cmd = { 'echo', 'reached' } }.stdout)")
    expect("refused", run(["own.lua"]), 1, 0, "not permitted: process=echo (echo reached)",
           'Add reg.needs { process = "echo" } to the script\'s head.')


def declared():
    write("says.lua", """
reg.needs { process = { "echo", "sh" }, gpu = "lock", git = "https://github.com/jax-ml/*" }
print "before"
reg.process.run { cmd = { "echo" } }
print(reg.process.run { shell = "echo reached" }.stdout)
""")
    text = ("run the program echo ", "run any command ", "(through sh)",
            "change the GPU clocks", "clone and fetch https://github.com/jax-ml/*")
    refused = run(["says.lua"], "n")
    expect("no", refused, 1, 1, "says.lua was not run: you answered no", *text)
    check("before" not in refused[1], "it ran before the question: %s" % refused[1])
    expect("Enter is no", run(["says.lua"], "\r"), 1, 1)
    expect("Ctrl-C stops", run(["says.lua"], "\x03"), 130, 1)
    expect("other keys do not count", run(["says.lua"], ["xq n"]), 1, 1)
    expect("what runs anything is red and first", run(["says.lua"], "n"), 1, 1,
           "permission to:\n\x1b[1;31m  ! run any command")
    expect("one key for all of it", run(["says.lua"], "y"), 0, 1, "reached", *text)
    expect("kept", run(["says.lua"]), 0, 0, "reached")
    kept = json.loads(TRUSTED.read_text("utf-8"))
    permits = kept["permits"]["process"]
    if kept["path"] != os.path.realpath("says.lua") or permits != ["echo", "sh"] or kept["everything"]:
        sys.exit("FAILED: what is kept: %r" % kept)
    expect("not with other options", run(["says.lua", "--more"], "n"), 1, 1, "Its options: --more")
    os.makedirs("elsewhere", exist_ok=True)
    os.chdir("elsewhere")
    expect("not in another folder", run(["../says.lua"], "n"), 1, 1, "In the folder " + os.getcwd())
    os.chdir("..")
    text = pathlib.Path("says.lua").read_text("utf-8")
    write("moved.lua", text)
    expect("not for the same text elsewhere", run(["moved.lua"], "n"), 1, 1)
    write("says.lua", text + "\n")
    expect("not for another text", run(["says.lua"], "n"), 1, 1)
    write("beyond.lua", "reg.needs { process = 'echo' } reg.process.run { cmd = { 'echo' } } reg.fs.write('new', '')")
    expect("more than declared", run(["beyond.lua"], "y"), 1, 1, "not permitted: files=new",
           'Add reg.needs { files = "new" } to the script\'s head.')
    forget()


def of_options():
    """What options name is asked for: a repository and a file outside, which a copy of bisect.lua looks at first."""
    text = pathlib.Path(SOURCE, "scripts/bisect.lua").read_text("utf-8")
    write("my.lua", text + "-- edited\n")
    write("../outside.patch", "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n")
    options = ["--repo", "../outside", "--good", "HEAD~1", "--bad", "HEAD", "--test", "git log -1 --format=%s | grep -v three"]
    expect("a repository outside", run(["my.lua", *options], "y"), 0, 1, "outside and check out its commits", "first bad")
    expect("and the same again", run(["my.lua", *options]), 0, 0, "first bad")
    expect("a file outside", run(["my.lua", *options, "--patch", "../outside.patch"], "y"), 0, 1, "outside.patch")
    page = '```lua options=%s\n%s\n```\n' % (json.dumps(options[2:]), text)
    write("page.md", page)
    expect("a page", run(["page.md", *options[:2]], "y"), 0, 1, "first bad")
    forget()


def on_other_machines():
    """--hosts and --runtime slurm are asked for by what they amount to. This ssh only shows that the sandbox is not around it."""
    os.makedirs("../bin", exist_ok=True)
    write("../hidden", "Permission denied, as hidden says\n")
    write("../bin/ssh", "#!/bin/sh\ncat %s >&2\nexit 255\n" % os.path.abspath("../hidden"))
    os.chmod("../bin/ssh", 0o755)
    os.environ["PATH"] = os.path.abspath("../bin") + ":" + os.environ["PATH"]
    write("away.lua", """
local opt = reg.options { "container", "cluster", "metric", "exact", test = { "command", type = "command" } }
return reg.answer(reg.sweep({ "1", "2" }, { metric = opt.metric, exact = opt.exact, into = opt.store,
  measure = function(_, trial) return trial:test({ shell = opt.test }, opt) end }))
""")
    options = ["--exact", "--metric", "speed: {number}", "--test", "echo speed: 1"]
    slurm, hosts = ["away.lua", "--runtime", "slurm", *options], ["away.lua", "--hosts", "a,b", *options]
    text = "run any command with all your rights, here and on other machines (through %s)"
    expect("no", run(hosts, "n"), 1, 1, "away.lua was not run: you answered no", text % "ssh")
    expect("no for Slurm", run(slurm, "n"), 1, 1, text % "sbatch", "squeue with all your rights")
    alone = subprocess.run([ENGINE, *hosts], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                           start_new_session=True)
    check(alone.returncode == 1 and "--allow unboxed=ssh" in alone.stderr, "without a terminal: %r" % alone)
    expect("yes", run(hosts, "y"), 1, 1, "cannot be used: Permission denied, as hidden says")
    expect("and the same again", run(hosts), 1, 0, "as hidden says")
    expect("not on other hosts", run(["away.lua", "--hosts", "a,c", *options], "n"), 1, 1, text % "ssh")
    forget()


def folded():
    write("many.lua", "for i = 1, 50 do reg.needs { files = 'many/' .. i } end reg.needs { files = 'many', process = 'p\u0443thon' } "
          "reg.fs.mkdir('many') reg.fs.write('many/7', '')")
    seen = run(["many.lua"], "n")
    expect("folded", seen, 1, 1, "many/1\n", "... and 48 more of files", "p\\u{443}thon", "[y/N, l lists all]")
    check("many/17" not in seen[1], "not folded: %s" % seen[1])
    expect("listed", run(["many.lua"], "ly"), 0, 2, "many/50\n")


def typed_before_does_not_count():
    write("slow.lua", "reg.needs { process = 'touch' } reg.sleep(1) reg.process.run { cmd = { 'touch', 'reached' } }")
    expect("typed ahead", run(["slow.lua"], "n", before="yyyy\n"), 1, 1)
    check(not os.path.exists("reached"), "what was typed before the question answered it")


def foreign_words_stay_words():
    write("dressed.lua", r"reg.needs { process = 'echo' } reg.process.run { cmd = { 'echo', 'a\nAllow? [y/N] yes\n\27[2J\27[8mhidden' } }")
    code, seen, _ = run(["dressed.lua"], "n")
    if code != 1 or "\x1b[2J" in seen or "\x1b[8m" in seen or "\nAllow? [y/N] yes" in seen:
        sys.exit("FAILED: the script's words drive the terminal: %r" % seen)


def standard_input_is_no_answer():
    write("piped.lua", "reg.needs { process = 'echo' } print(reg.process.run { cmd = { 'echo', 'reached' } }.stdout)")
    code, _, asked = run(["-c", 'yes | "$0" piped.lua >log 2>&1', ENGINE], "n", program="sh")
    check("reached\n" not in pathlib.Path("log").read_text("utf-8"), "a pipe answered")
    check((code, asked) == (1, 1), "it ends with %d" % code)


def the_module_counts():
    write("part.lua", "return 1")
    write("whole.lua", "require 'part' reg.needs { process = 'echo' } reg.process.run { cmd = { 'echo' } }")
    expect("first", run(["whole.lua"], "y"), 0, 1, "It loads ")
    expect("known", run(["whole.lua"]), 0, 0)
    write("part.lua", "return 2")
    expect("its module changed", run(["whole.lua"], "n"), 1, 1)
    forget()


def allowed_is_not_asked():
    write("small.lua", "reg.needs { process = 'echo' } reg.process.run { cmd = { 'echo' } }")
    expect("--allow", run(["--allow", "process=echo", "small.lua"]), 0, 0)
    expect("--trust", run(["--trust", "small.lua"]), 0, 0)
    expect("--dry-run", run(["--dry-run", "small.lua"]), 0, 0)
    expect("trust FILE", run(["trust", "small.lua"]), 0, 0)
    expect("and the file", run(["small.lua"]), 0, 0)
    forget()


def files_of_a_shipped_script():
    """A shipped script that is given files of others asks about them, with a decision for each."""
    suite = ["suite", "--repeat", "1", "--warmup", "0", "--suite"]
    for name in ("one.lua", "two.lua"):
        write(name, "reg.needs { process = 'sh', files = { 'output', 'output/*' } } return { name = '%s', workloads = { 'a' }, "
              "command = function() return 'true' end }" % name[:3])
        expect("asked", run([*suite, name], "y"), 0, 1, name + " is not trusted yet")
    for name in ("one.lua", "two.lua"):
        expect("known", run([*suite, name]), 0, 0)
    forget()


for part in (undeclared, declared, of_options, on_other_machines, folded, typed_before_does_not_count, foreign_words_stay_words, standard_input_is_no_answer,
             the_module_counts, files_of_a_shipped_script, allowed_is_not_asked):
    part()
print("asking: all as promised")
