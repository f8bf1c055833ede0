"""Types at regengine's prompt and waits for what must appear. Run by test_repl.sh."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from repl_lines import chunks_session, completion_session
from typed_prompt import COLUMNS, Prompt, Silence, check, write

ATTEMPTS = 3


def first_session(engine, folder):
    p = Prompt(engine, folder)
    greeting = p.wait_for("Ctrl-D to exit.")
    p.wait_for("> ")
    check(greeting.count("\r\n") == 2 and b"\x1b[1;32m>\x1b[0m" in p.raw,
          "the greeting has three lines, and the prompt a color: %r" % p.raw)

    p.say("1 + 1", "2\r\n")
    p.say("_ * 21", "42\r\n")
    p.enter("x = { 2, 1, b = 'é', a = { true } }")
    p.say("x", '{ 2, 1, a = { true }, b = "é" }\r\n')
    p.say("{ { night = 'a', mlups = 1.5 } }", "mlups  night\r\n")
    p.say("'two\\nlines'", "two\r\nlines\r\n")
    p.say("nil, 1", "nil\r\n1\r\n")

    p.ask("for i = 1, 2 do", prompt=">> ")
    p.ask("print('turn', i)", prompt=">> ")
    p.say("end", "turn\t1\r\nturn\t2\r\n")

    p.say("error('plain')", "error: prompt:1: plain\r\n")
    p.say("reg.jsn", "did you mean 'json'?")
    p.say("x = = 1", "unexpected symbol near '='")
    p.say("reg.report.plot { values = { 1, 2 } }", "┤")

    p.type("reg.json.\t")
    p.wait_for("array   decode  encode  null")
    p.type("de\t")
    p.wait_for("code")
    p.drop()
    p.say("'after Ctrl-C'", '"after Ctrl-C"')

    # Left, Delete, Home, End and Ctrl-Left: the line becomes 1 + 6 * 7 + 11.
    p.ask("6 * 8\x1b[D\x1b[3~7\x1b[1~1 + \x1b[4~ + 1\x1b[1;5D1", "\n54\r\n")

    p.ask("if true then", prompt=">> ")
    p.type("\x03")
    p.wait_for("\r\n> ")
    p.say("'not within the if'", '"not within the if"')

    for endless in ("while true do end", "reg.sleep '1h'", "pcall(reg.sleep, 3600) while true do pcall(error) end"):
        p.type("print(6 * 7) " + endless + "\r")
        p.wait_for("42\r\n")
        p.stop()
    p.type("series = reg.sweep({ 1, 2, 3 }, { every = true, measure = function() reg.sleep '1h' end })\r")
    p.wait_for("run 1 ")
    p.wait_for("so far")  # the bar, while it works
    p.stop()
    p.say("x.a", "{ true }")  # the engine and its values live on

    p.say("help 'report.plot'", "Example:")
    p.say("help(reg.report)", "reg.report.csv(rows, path)")
    overview = p.say("help()", "shows a function")
    if max(len(line) for line in overview.split("\r\n")) > COLUMNS or "\n  bisect       Finds the commit" not in overview:
        sys.exit("FAILED: help() is not made for %d columns:\n%s" % (COLUMNS, overview))
    p.say("help 'report.polt'", "did you mean 'report.plot'?")
    p.completes("reg.container.run{ im", "age = ")
    p.completes("help 'night", "ly'")
    p.say("'remember me'", '"remember me"')
    p.type("quit()\r")
    return p.end()


def limits_session(engine, folder):
    """What a limit ended leaves a prompt that works."""
    p = Prompt(engine, folder, "--memory", "64M").ready()
    p.say("local all = {} for i = 1, 1e12 do all[i] = { i } end",
          "error: the script exceeds its memory limit of 64 MiB")
    p.say("#all > 1e5", "true\r\n")  # what took it is still there
    p.enter("all = nil", "for i = 1, 100 do local text = ('x'):rep(1 << 20) end")
    p.say("'enough again'", '"enough again"\r\n')

    p.enter("endless = setmetatable({}, { __pairs = function() while true do end end })")
    p.type("print 'waits'; a = reg.spawn(reg.sleep, 1e9); reg.spawn(function() a:wait() end):wait()\r")
    p.wait_for("waits\r\n")
    p.stop()
    p.completes("endless.", "")  # which gives up, so that the line can be dropped
    p.say("'completed'", '"completed"\r\n')
    p.say("(function() return 1 + (function(f) return f(f) end)(function(f) return 1 + f(f) end) end)()", "stack overflow")
    return p.leave()


def trust(engine, folder, name):
    subprocess.run([engine, "trust", name], cwd=folder, check=True,
                   env={**os.environ, "XDG_STATE_HOME": folder + "/state"})


def saved(folder, name, wanted):
    text, wanted = pathlib.Path(folder, name).read_text("utf-8"), wanted % time.strftime("%Y-%m-%d", time.gmtime())
    check(text == wanted, "%s holds:\n%s\nwanted:\n%s" % (name, text, wanted))


def locals_session(engine, folder):
    """A local lives on, what was typed becomes a script that does the same."""
    p = Prompt(engine, folder).ready()
    p.enter("local x <const>, list = 2, {}", "local function twice(n) return n * x end", "local type",
            "type = 'mine'")
    p.say("reg.inspect { twice(4) }", "{ 8 }")  # the standard library still has its own type()
    p.say("x + nothing", "prompt:1: attempt to perform arithmetic on a nil value (global 'nothing')")
    p.enter("local x = 20")
    p.say("twice(1) -- by the x there is now", "20\r\n")
    p.say("_ + 1", "21\r\n")
    p.enter("for i = 1, 2 do local deep = i; list[i] = deep end")
    p.say("deep", "nil\r\n")
    p.enter("counted = #list")
    p.say("return _G.counted, x, type", '2\r\n20\r\n"mine"\r\n')
    p.enter("local t <close> = setmetatable({}, { __close = function() print 'closed' end })")
    p.say("help 'json.encode'", "Example:")
    p.say("1 +* 2", "error: prompt:1: unexpected symbol near '*'\r\n")

    p.enter("function measure(n) return n end",
            "again = function() return reg.sweep({ 1, 2 }, { every = true, measure = measure }).points[2].value end")
    p.say("again()", "2.0\r\n")
    p.enter("function measure(n) return 10 * n end")
    p.say("again()", "20.0\r\n")  # another function is another measurement, whatever the store has of the first

    p.paste("local function half(n)\n\tif n then\n\t\treturn n / 2\n\tend\nend\n\nlocal six = half(12)\n")
    p.wait_for("local six = half(12)")
    p.ask("", prompt="> ")
    p.say("six", "6.0\r\n")

    p.say(".save typed.lua", "typed.lua: 20 entries; run it with: regengine typed.lua")
    p.say(".save typed.lua", "typed.lua: 20 entries")
    write(os.path.join(folder, "mine.lua"), "#!/usr/bin/env regengine\nlocal loaded = 'by load'\nif nowhere then return end\n"
          "function fails()\n  error 'here'\nend\n")
    p.say(".save mine.lua", "file exists: mine.lua")
    trust(engine, folder, "mine.lua")
    p.completes(".lo", "ad ")
    p.completes(".load mi", "ne.lua")
    p.enter(".load mine.lua")
    p.say("loaded", '"by load"')
    p.say("fails()", "error: mine.lua:5: here\r\n")
    p.say("nigthly {}", "a nil value (global 'nigthly') (did you mean 'nightly'?)")
    p.say("prnit(1)", "a nil value (global 'prnit') (did you mean 'print'?)")
    p.say(".load nowhere.lua", "error: ")
    p.say(".lod mine.lua", "no such command: .lod (did you mean 'load'?)")
    p.say(".save", ".save needs an argument: FILE")
    p.say(".help", ".save FILE")
    p.ask(".save all.lua", "all.lua: ")
    p.type(".quit\r")
    p.wait_for("closed\r\n")
    code = p.end()
    saved(folder, "typed.lua", TYPED)
    typed = subprocess.run([engine, "-q", "typed.lua"], cwd=folder, capture_output=True, text=True)
    if typed.returncode != 0 or not typed.stdout.startswith('"{ 8 }"' + "\n20\n21\n"):
        sys.exit("FAILED: typed.lua does not do what was typed:\n" + typed.stdout + typed.stderr)
    return code


TYPED = """#!/usr/bin/env regengine
--- Typed at the prompt, %s.

local _
local x, list = 2, {}
local function twice(n) return n * x end
local type
type = 'mine'
print(reg.inspect(reg.inspect { twice(4) }))
x = 20
_ = twice(1) -- by the x there is now

print(reg.inspect(_))
print(reg.inspect(_ + 1))
for i = 1, 2 do local deep = i; list[i] = deep end
print(reg.inspect(deep))
counted = #list
print(reg.inspect(_G.counted, x, type))
local t <close> = setmetatable({}, { __close = function() print 'closed' end })
function measure(n) return n end
again = function() return reg.sweep({ 1, 2 }, { every = true, measure = measure }).points[2].value end
print(reg.inspect(again()))
function measure(n) return 10 * n end
print(reg.inspect(again()))
local function half(n)
\tif n then
\t\treturn n / 2
\tend
end

local six = half(12)
print(reg.inspect(six))
"""


def strategies_session(engine, folder):
    """The strategies are globals, unless the user has variables of their names; a saved script calls them, too."""
    p = Prompt(engine, folder).ready()
    p.say("ab { 'true', 'true', budget = 2, min_effect = '90%', store = 'called.db' }", "  B  true\r\n")
    p.say("code = ab { 'true', 'true', budget = 'x' }", "error: ab: --budget: not an integer: 'x'")
    p.say("ab", "usage: ab { COMMANDS..., OPTION = VALUE, ... }")
    p.say("help(investigate)", "usage: investigate { OPTION = VALUE, ... }")
    p.completes("nightly { runtime = 'p", "odman")
    p.completes("bisect { timeout_is", "_bad = ")
    p.completes("investi", "gate")
    p.type("ab { 'sleep 1000', 'true' }\r")
    p.wait_for("A, warm-up")
    p.stop()
    p.enter("list = { 1 }")
    p.say("list", "{ 1 }\r\n")
    p.say(".save calls.lua", "calls.lua: 3 entries")
    saved(folder, "calls.lua", CALLS)
    check("not trusted" not in p.say(".load calls.lua", "  B  true\r\n"), "what .save wrote is not trusted by .load")
    return p.leave()


CALLS = """#!/usr/bin/env regengine
--- Typed at the prompt, %s.

local ab = reg.strategy "ab"
ab { 'true', 'true', budget = 2, min_effect = '90%%', store = 'called.db' }
list = { 1 }
print(reg.inspect(list))
"""


def second_session(engine, folder):
    p = Prompt(engine, folder).ready()
    p.type("\x10\x10")  # Ctrl-P: the line before quit(), of the session before
    p.wait_for("'remember me'")
    p.ask("", '"remember me"\r\n')
    os.kill(p.pid, signal.SIGTERM)
    return p.end()


def history_session(engine, folder):
    """Two prompts lose no entry of each other, nor does a file that is broken, huge, a link or a device."""
    file = folder + "/state/regengine/prompt_history"
    one, other = Prompt(engine, folder), Prompt(engine, folder)
    for p in (one, other):
        p.wait_for("> ")
    one.say("1 + 1", "2\r\n")
    other.enter("other = 'a\\n'")
    one.ask("for i = 7, 7 do", prompt=">> ")
    one.say("print(i) end", "7\r\n")
    one.leave()
    other.leave()
    check(os.stat(file).st_mode & 0o777 == 0o600, "others can read the history")
    with open(file, "a") as broken:
        broken.write("\nincomplete")
    typed(engine, folder, "incomplete", "print(i) end", "other = 'a\\n'", "1 + 1")
    write(file, "for i = 1, 2 do\0print 'a\\n'\0end\n")
    typed(engine, folder, "end", answer="a\r\n")
    write(file, "an entry\n" * 2000000 + "the newest\n")
    typed(engine, folder, "the newest")
    check(os.path.getsize(file) <= 1 << 20, "the history is not shortened")
    precious = pathlib.Path(folder, "precious")
    precious.touch()
    for target in ("/dev/zero", precious):
        os.remove(file)
        os.symlink(target, file)
        p = Prompt(engine, folder).ready()
        p.say("'works'", '"works"')
        p.leave()
    os.remove(file)
    check(not precious.read_text("utf-8"), "a link is followed")
    return 0


def typed(engine, folder, *entries, answer=None):
    """The entries of the history, the newest first. If there must be an answer, the last of them is run."""
    p = Prompt(engine, folder).ready()
    for entry in entries:
        p.type("\x10")
        p.wait_for(entry)
    if answer:
        p.ask("", answer)
    else:
        p.drop()
    p.leave()


def hostile_session(engine, folder):
    """What once brought the prompt down, or could."""
    p = Prompt(engine, folder).ready()
    for rows, columns in ((2, 10), (1, 1), (50, 200), (40, 100)):  # the line has more rows than the smaller screens
        p.type("'" + "x" * 600 + "'")
        p.wait_for("x'")
        p.resize(rows, columns)
        p.wait_for("\r\x1b[J")  # drawn anew
        p.type("\x01\x05")
        p.drop()
    for overflow in ("function f() return f() + 1 end f()", "reg.spawn(f):wait()", "coroutine.wrap(f)()",
                     "for _ = 1, 3 do pcall(f) end f()"):
        p.say(overflow, "stack overflow\r\n")
    p.enter("setmetatable({}, { __index = f, __tostring = f, __name = 1 })", "t = setmetatable({}, { __index = f })")
    p.type("t.\t")  # completion asks f
    p.drop()
    p.say("'still here'", '"still here"')
    return p.leave()


def saved_scripts(engine, folder):
    """What was saved is trusted as it is."""
    def run(script):
        done = subprocess.run([engine, script], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "XDG_STATE_HOME": folder + "/state"}, start_new_session=True)
        return done.stdout + done.stderr

    check(run("before.lua") == '"reached\\n"\n', "what .save wrote is not trusted:\n" + run("before.lua"))
    with open(os.path.join(folder, "before.lua"), "a") as file:
        file.write("reg.process.run { cmd = { 'echo', 'more' } }\n")
    check("not permitted" in run("before.lua"), "an edited script is trusted:\n" + run("before.lua"))


def loading_session(engine, folder):
    """An untrusted file is refused, and so is an untrusted module."""
    echo = "reg.process.run({ cmd = { 'echo', 'reached' } }).stdout"
    write(os.path.join(folder, "found.lua"),
          "reg.needs { process = 'true' } print(reg.process.run({ cmd = { 'true' } }).code + 7000) "
          "defined = 77 print(%s)" % echo)
    write(os.path.join(folder, "part.lua"), "reg.fs.write('ran', 'x') return " + echo)
    p = Prompt(engine, folder).ready()
    p.say(echo, "reached")
    p.say(".save before.lua", "run it with: regengine before.lua")
    p.ask(".load found.lua", "found.lua is not trusted: it cannot be loaded into what you type")
    p.say("defined", "nil\r\n")
    p.say(echo, "reached")
    p.ask("require 'part'", "./part.lua is not trusted: it cannot be loaded into what you type")
    p.say(echo, "reached")
    check(p.leave() == 0, "the prompt after a refusal")

    trust(engine, folder, "found.lua")
    p = Prompt(engine, folder).ready()
    p.enter(".load found.lua")
    p.say("defined", "77\r\n")  # trusted: nobody asks
    p.ask("require 'part'", "part.lua is not trusted")
    check(not os.path.exists(os.path.join(folder, "ran")), "a module that was refused ran")
    saved_scripts(engine, folder)
    return p.leave()


# A window title, C1 controls as one byte and as UTF-8, bidirectional controls, a carriage return: as bytes and in Lua.
ESCAPES = {
    b"\x1b]0;pwned\x07": r"\27]0;pwned\7",
    b"\x9bpwned": r"\x9bpwned",
    "\u009bpwned".encode(): r"\u{9b}pwned",
    "\u202epwned".encode(): r"\u{202e}pwned",
    "\u2066pwned".encode(): r"\u{2066}pwned",
    b"\rpwned": r"\rpwned",
}


def escapes_session(engine, folder):
    """Untrusted text never controls the terminal."""
    os.makedirs(folder + "/state/regengine", exist_ok=True)
    with open(folder + "/state/regengine/prompt_history", "wb") as history:
        for number, escape in enumerate(ESCAPES):
            open(os.path.join(folder.encode(), b"evil%d" % number + escape), "w").close()
            history.write(b"evil%d = '" % number + escape + b"'\n")
    p = Prompt(engine, folder).ready()
    p.type("reg.fs.read 'evil\t\t")
    p.drop()
    for _ in ESCAPES:
        p.type("\x10\x0c")  # the one before, drawn anew
        p.wait_for("evil")
    p.drop()
    for escape in ESCAPES.values():
        p.enter("e = '%s'" % escape)
        for line in ("print(e)", "error(e)", "reg.log.warn(e)", "e", "{ e }", "{ { [e] = e } }", "reg[e]", "help(e)",
                     "reg.fs.read(e)", "reg.git.open(e)", "reg.container.run { image = e, cmd = { e } }", "reg.process.run { cmd = { e } }",
                     "reg.time.parse(e)", "reg.options { [e] = e }", "reg.json.decode(e)", "reg.cuda.compile(e)",
                     "do local p <close> = reg.progress { title = e, total = 9 } p:update { subject = e, note = e } end",
                     "print(reg.report.plot { { name = e, values = { 1, 2 } }, { name = 'b', values = { 1, 2 } } })"):
            p.enter(line)
    p.say("'the end'", '"the end"')
    code = p.leave()
    for escape in ESCAPES:
        if escape in p.raw:
            sys.exit("FAILED: the terminal got %r: %r" % (escape, p.raw[max(0, p.raw.index(escape) - 200):][:300]))
    return code


def plain_session(engine, folder):
    """No colors for who wants none, or has a terminal without."""
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        p = Prompt(engine, folder, **environment).ready()
        p.say("6 * 7", "42\r\n")
        check(p.leave() == 0 and b"\x1b[1;32m" not in p.raw, "colors with %r: %r" % (environment, p.raw))
    return 0


def wrapping_session(engine, folder):
    """Long lines are broken at the terminal's width, whatever letters they are of."""
    p = Prompt(engine, folder).ready()
    p.say("print(reg.report.wrap('a  ' .. ('é '):rep(60) .. '\\n' .. ('─'):rep(120)))",
          "a" + "  é" + " é" * 48 + "\r\n   é" + " é" * 10 + "\r\n" + "─" * COLUMNS + "\r\n")
    return p.leave()


def attempt(engine):
    with tempfile.TemporaryDirectory() as folder:
        for session in (first_session, second_session, history_session, locals_session, chunks_session,
                        completion_session, strategies_session, limits_session, hostile_session, loading_session,
                        escapes_session, plain_session, wrapping_session):
            code = session(engine, folder)
            check(code == 0, "%s ended with %d" % (session.__name__, code))


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
