"""What the prompt makes of a line, and how it completes one: sessions of repl_session.py."""

import os
import subprocess

from typed_prompt import Prompt, check

CHUNK = """local a, b <const> = 1, 2
local function f(x) local inside = x if x then local deep = 1 end return inside end
do local hidden end
for i = 1, 2 do local hidden = i end
repeat local hidden until true
while false do local hidden end
local c
local text, long = "local no = 1", [==[ local no ]==] -- local no
local g = function() local hidden return function() local hidden end end
local d <close> = nil"""


def chunks_session(engine, folder):
    """The locals of a chunk are those outside every block. What was only looked at makes no other script."""
    p = Prompt(engine, folder).ready()
    p.enter("inside, deep, hidden, i, no = 1, 1, 1, 1, 1")
    p.paste(CHUNK)
    p.ask("", prompt="> ")
    p.say("{ a, b, c, type(f), text, long, type(g), d }",
          '{ 1, 2, nil, "function", "local no = 1", " local no ", "function" }')
    p.say("inside + deep + hidden + i + no", "5\r\n")
    p.enter("options = { into = 'go.db', exact = true, measure = function() return 1 end }",
            "go = function() return reg.sweep({ 1 }, options).investigation end")
    p.say("go()", "1\r\n")
    p.say("a", "1\r\n")
    p.say("go()", "1\r\n")
    p.enter("a = 2")
    p.say("go()", "2\r\n")
    for first in (1, 101, 201):  # more than a function may have
        p.paste("; ".join("local v%d = %d" % (i, i) for i in range(first, first + 100)))
        p.ask("", prompt="> ")
    p.say("v1 + v300", "301\r\n")
    p.say(".save chunks.lua", "chunks.lua: ")
    code = p.leave()
    saved = subprocess.run([engine, "-q", "chunks.lua"], cwd=folder, capture_output=True, text=True)
    check(saved.stdout.endswith("\n301\n"), "chunks.lua does not do what was typed:\n" + saved.stdout + saved.stderr)
    return code


# What Tab adds, and what it lists.
COMPLETED = (("reg.report.pl", "ot"), ("reg.prog", "ress"), ("print(string.for", "mat"), ("whi", "le"),
             ("'a' .. nex", "t"),
             ("reg.report.plot(s, { wi", "dth = "), ("reg.report.table(x, { co", "lumns = "),
             ("reg.container.run({ env = { A = '1' }, shell = f(1, 2), me", "mory = "),
             ("reg.container.run { image = pri", "nt"), ("reg.help 'container.ins", "pect'"),
             ("repo:log { fi", "rst_parent = "),
             ("reg.fs.read 'some", "file.txt'"), ("reg.fs.read('folder/", "inner'"), ("loud:", "pull"))
LISTED = (("x = { co", "collectgarbage", "coroutine"),  # a table that no function takes
          ("print(1, { co", "collectgarbage", "coroutine"),
          ("reg.progress { title = 'a', ", "done", "total", "unit"),
          ("repo:b", "between", "branches"), ("loud.", "pull", "quiet"),
          ("reg.container.run { runtime = '", "docker", "local", "podman"),
          ("reg.sweep(nights, { measure = function(n) return reg.container.run { sh", "shell", "shm_size"))


def completion_session(engine, folder):
    """Completion knows reg, globals, methods, files and the options of the call that is open; it calls nothing."""
    subprocess.run(["git", "init", "-q", "-b", "main", "repo"], cwd=folder, check=True)
    os.mkdir(folder + "/folder")
    for name in ("some file.txt", "some') print 'x.txt", "folder/inner"):  # what would end the string is not offered
        open(os.path.join(folder, name), "w").close()
    p = Prompt(engine, folder).ready()
    p.enter("repo = reg.git.open 'repo'", "call = function() called = true end",
            "loud = setmetatable({}, { __index = { pull = print, quiet = 1 }, __call = call })")
    for line, added in COMPLETED:
        p.completes(line, added)
    for line, *names in LISTED:
        p.type(line + "\t")
        p.wait_for("\r\n")
        for name in names:
            p.wait_for(name)
        p.drop()
    for line in ("loud().x", "nowhere.at.", "-- reg.re"):
        p.type(line + "\t")
        p.drop()
    p.enter("s = 'reg.re\t'")
    p.say("{ s, called }", '{ "reg.re" }')
    return p.leave()
