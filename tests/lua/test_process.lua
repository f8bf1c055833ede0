local test = require "harness"
local run = reg.process.run

-- What a command loads that sleeps for the given seconds, by its call: a slow machine only takes longer.
local function loaded(call_of)
  for _, seconds in ipairs { 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8 } do
    local found = run(call_of(seconds)).loaded
    if found then return found end
  end
  error "nothing was seen to be loaded"
end

test("a list of words reaches the command as it is, a line goes through the shell", function()
  test.equal(run({ cmd = { "printf", "%s|", "a b", "$HOME", "" } }).stdout, "a b|$HOME||")
  test.equal(run({ shell = "echo $((1 + 2)) | tr 3 x" }).stdout, "x\n")
end)

test("an exit code, a signal and a time-out are values", function()
  local failed = run { shell = "echo out; echo err >&2; exit 3" }
  test.equal({ failed.ok, failed.code, failed.signal, failed.timed_out }, { false, 3, 0, false })
  test.equal({ failed.stdout, failed.stderr, failed.stdout_bytes, failed.stderr_bytes }, { "out\n", "err\n", 4, 4 })
  local killed = run { shell = "kill -9 $$" }
  test.equal({ killed.ok, killed.code, killed.signal }, { false, 137, 9 })
  local slow = run { cmd = { "sleep", "1000" }, timeout_s = "50ms" }
  test.equal({ slow.ok, slow.timed_out, slow.signal, run({ cmd = { "true" } }).ok }, { false, true, 15, true })
end)

test("a time-out lets a command end by itself, and ends one that was stopped", function()
  local function past_ready(line)  -- with ever longer time-outs: a slow machine only takes longer
    local seconds, result = 0.2
    repeat
      result = run { shell = line, timeout_s = seconds }
      seconds = 2 * seconds
    until result.stdout:find "ready\n"
    return { result.timed_out, result.stdout, result.code, result.signal }
  end
  test.equal(past_ready "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done", { true, "ready\nbye\n", 3, 0 })
  test.equal(past_ready "echo ready; kill -STOP $$; sleep 1000", { true, "ready\n", 143, 15 })
end)

test("a command has default signals, its input whole, and its output without what keeps a pipe open", function()
  test.equal(run({ shell = "grep -E '^Sig(Ign|Blk)' /proc/self/status" }).stdout,
    "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n")
  local long = ("x"):rep(3000000)
  test.equal({ run({ shell = "wc -c", stdin = long }).stdout, run({ shell = "wc -c" }).stdout }, { "3000000\n", "0\n" })
  test.equal(run({ cmd = { "true" }, stdin = long }).code, 0)
  local left = run { shell = "sleep 1000 & setsid sleep 1000 & echo done; exit 4" }
  test.equal({ left.stdout, left.code }, { "done\n", 4 })
  local teed = run { cmd = { "bash", "-c", "exec > >(tee log) 2>&1; seq 1 20000; echo last >&2" } }
  test.equal({ #test.lines(teed.stdout), teed.stdout == reg.fs.read "log" }, { 20001, true })
end)

test("env, unset, cwd and stdin are the command's", function()
  reg.fs.mkdir "inner"
  test.equal(run { shell = "echo $A ${HOME-none}; basename $PWD; cat", env = { A = "x y" }, unset = { "HOME" },
    cwd = "inner", stdin = "input" }.stdout, "x y none\ninner\ninput")
end)

test("output goes to files too, both streams into one when they have one name", function()
  run { shell = "echo one; echo two >&2", out = "out.txt", err = "err.txt" }
  test.equal({ reg.fs.read "out.txt", reg.fs.read "err.txt" }, { "one\n", "two\n" })
  run { shell = "echo one; echo two >&2", out = "both.txt", err = "both.txt" }
  local lines = test.lines(reg.fs.read("both.txt"))
  table.sort(lines)
  test.equal(lines, { "one", "two" })
end)

test("keep_bytes bounds what comes back, not what is counted", function()
  local result = run { shell = "seq 1 100000", keep_bytes = 40 }
  test.equal(result.stdout_bytes, 588895)
  test.truthy(result.stdout:find "^1\n2\n3\n4\n5\n\n%[%.%.%. 588855 bytes omitted %.%.%.%]\n.*100000\n$", result.stdout)
  for bytes, kept in pairs { [8] = "01\n[... 12 bytes omitted ...]\nefghij", [20] = "0123456789abcdefghij",
    [19] = "0123\n[... 1 bytes omitted ...]\n56789abcdefghij", [0] = "\n[... 20 bytes omitted ...]\n" } do
    test.equal(run({ shell = "printf 0123456789abcdefghij", keep_bytes = bytes }).stdout, kept)
  end
end)

test("costs are those of the command", function()
  local result = run { shell = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done" }
  test.truthy(result.user_s > 0.01 and result.user_s + result.sys_s < result.wall_s + 0.1)
  test.truthy(result.peak_bytes > 100000)
end)

test("what a command loads from a folder, or from anywhere, is known by its build-id", function()
  reg.fs.mkdir "tree"
  run { shell = "cp $(command -v sleep) tree/sleep" }
  local folders, path = { "tree" }, reg.fs.absolute "tree/sleep"
  local id = loaded(function(seconds) return { shell = "tree/sleep " .. seconds, loaded_below = folders } end)[path]
  test.truthy(id:find "^%x+$" or id:find "^sha256:%x+$", id)
  test.truthy(next(loaded(function(seconds) return { shell = "sleep " .. seconds, loaded_below = { "/" } } end)))
  test.equal(run({ shell = "tree/sleep 0.1" }).loaded, nil)
  test.equal(run({ shell = "sleep 0.1", loaded_below = folders }).loaded, nil)
  test.raises("NUL", function() run { cmd = { "true" }, loaded_below = { "a\0b" } } end, "usage")
end)

test("a cancelled task ends its command", function()
  local task = reg.spawn(run, { shell = "echo $$ > pid.new; mv pid.new pid; exec sleep 1000" })
  while not reg.fs.exists "pid" do reg.sleep "5ms" end
  task:cancel()
  test.raises("", function() task:wait() end, "cancelled")
  test.equal(run({ shell = "kill -0 $(cat pid) 2> /dev/null" }).ok, false)
end)

test("what cannot be started raises, with the reason", function()
  reg.fs.write("plain", "text")
  test.raises("it is not executable", function() run { cmd = { "./plain" } } end, "permission")
  test.refuses("not_found", run, { { "cannot run 'no-such-program': no such program", { cmd = { "no-such-program" } } },
    { "no folder missing", { cmd = { "true" }, cwd = "missing" } },
    { "no folder plain", { cmd = { "true" }, cwd = "plain" } }, { "", { cmd = { "/no/such/program" } } },
    { "", { cmd = { "true" }, out = "none/out" } } })
  run { shell = "chmod +x plain; echo '#!/no/such/interpreter' >script; chmod +x script" }
  test.raises("#! line", function() run { cmd = { "./plain" } } end, "usage")
  test.raises("the interpreter of its #! line is missing", function() run { cmd = { "./script" } } end)
  local full = { shell = "while :; do echo line; done", out = "/dev/full" }
  test.truthy(test.raises("/dev/full: No space left on device", function() run(full) end, "io").hint)
end)

test("options that make no sense are told at the caller's line", function()
  test.refuses("usage", run, { { "either 'cmd', a list of strings, or 'shell', a string", {} },
    { "either 'cmd'", { cmd = { "true" }, shell = "true" } }, { "must be a list of strings", { cmd = "true" } },
    { "'cmd' is empty", { cmd = {} } }, { "NUL", { cmd = { "echo", "a\0b" } } },
    { "NUL", { cmd = { "true" }, stdin = "fine\0here", env = { A = "a\0b" } } },
    { "'keep_bytes' must not be negative", { cmd = { "true" }, keep_bytes = -1 } },
    { "did you mean 'timeout_s'?", { cmd = { "true" }, timeout = 3 } } })
  local why = test.raises("duration", function() run { cmd = { "true" }, timeout_s = "soon" } end, "usage")
  test.truthy(why.where:find("test_process.lua:", 1, true), "where: " .. why.where)
end)

test("a command alone sees a folder at another path", function()
  for _, name in ipairs { "first", "second" } do
    reg.fs.mkdir(name)
    reg.fs.write(name .. "/name", name)
  end
  local first, second = reg.fs.absolute "first", reg.fs.absolute "second"
  local ok, seen = pcall(run, { shell = "cat name; pwd; echo made >made; sleep 0.1; cat " .. first .. "/name", cwd = first,
    mounts = { [second] = first } })
  if not ok and seen.kind == "unavailable" then return end
  test.equal(seen.stdout, "second" .. first .. "\nsecond")
  test.equal({ reg.fs.exists "first/made", reg.fs.read "second/made" }, { false, "made\n" })
  test.equal(run({ shell = "cat name", cwd = first }).stdout, "first")
  run { shell = "cp $(command -v sleep) sleep", cwd = second }
  local found = loaded(function(seconds)
    return { cmd = { "./sleep", seconds .. "" }, cwd = first, mounts = { [second] = first }, loaded_below = { first } }
  end)
  test.truthy(found[first .. "/sleep"], "what it loads is known by the path that it sees")
  test.raises("must name absolute paths", function() run { cmd = { "true" }, mounts = { second = "first" } } end, "usage")
end)

return test.finish()
