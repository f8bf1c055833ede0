-- What a script asks of reg.nvtx is what a tool hears: a second engine runs it under the recorder of
-- tests/support/fakes.

local test = require "harness"

-- Runs the script in an engine with the recorder attached; returns what the tool heard, a line each, and the run.
local function heard(script)
  reg.fs.write("case.lua", script)
  if reg.fs.exists "heard" then reg.fs.remove "heard" end
  local run = reg.process.run { env = { REGENGINE_FAKE_NVTX = "heard" }, shell = [[
    test -e "$REGENGINE_FAKES/nvtx_recorder.so" || exit 77
    NVTX_INJECTION64_PATH="$REGENGINE_FAKES/nvtx_recorder.so" exec "$REGENGINE" case.lua]] }
  if run.code == 77 then test.skip "no NVTX recorder: it needs the CUDA Toolkit's nvtx3 headers" end
  local lines = {}
  for line in (reg.fs.exists "heard" and reg.fs.read "heard" or ""):gmatch "[^\n]+" do
    lines[#lines + 1] = line:gsub("\t", " ")
  end
  return lines, run
end

local function hears(script, wanted)
  local lines, run = heard(script)
  test.equal(run.stderr, "")
  test.equal(lines, wanted)
end

test("a mark has its category, colour and payload", function()
  hears([[
    reg.nvtx.mark "plain"
    reg.nvtx.mark("all", { category = "io", colour = 0x80112233, payload = -7 })
    reg.nvtx.mark("again", { category = "io", colour = "red", payload = 0.5 })
    reg.nvtx.mark(12)]],
    { "mark - - - - plain", "category - 1 io", "mark - io 80112233 -7 all", "mark - io ffd62728 0.5 again",
      "mark - - - - 12" })
end)

test("a range ends where its block does, or where it is closed, and once", function()
  hears([[
    do local range <close> = reg.nvtx.range("a", { payload = 9007199254740993 }) end
    local b, c = reg.nvtx.range "b", reg.nvtx.range "c"
    b:close() b:close() c:close()]],
    { "start 1 - - - 9007199254740993 a", "end 1 -", "start 2 - - - - b", "start 3 - - - - c", "end 2 -", "end 3 -" })
end)

test("domains have ranges, stacks and categories of their own; a name is one domain", function()
  hears([[
    local one, two = reg.nvtx.domain "one", reg.nvtx.domain "two"
    one:mark("m", { category = "y" })
    two:mark("m", { category = "x" })
    reg.nvtx.domain("one"):mark("m", { category = "y" })
    one:push "outer" two:push "other" one:push("inner", { colour = "grey" })
    one:pop() one:pop() two:pop()
    local r <close> = two:range "r"]],
    { "domain one", "domain two", "category one 1 y", "mark one y - - m", "category two 1 x", "mark two x - - m",
      "mark one y - - m", "push one - - - outer", "push two - - - other", "push one - ff7f7f7f - inner", "pop one",
      "pop one",
      "pop two", "start 1 two - - - r", "end 1 two" })
end)

test("ranges of tasks that take turns may overlap; each ends its own", function()
  local lines = heard [[
    reg.parallel({ 0.2, 0.05 }, function(seconds)
      local range <close> = reg.nvtx.range("r" .. seconds)
      reg.sleep(seconds)
    end)]]
  test.equal(lines, { "start 1 - - - - r0.2", "start 2 - - - - r0.05", "end 2 -", "end 1 -" })
end)

test("what a script leaves open, by error or by oversight, is ended with it", function()
  local lines, run = heard [[
    reg.nvtx.push "pushed"
    kept = reg.nvtx.range "kept"
    local range <close> = reg.nvtx.range "closed"
    error "oops"]]
  test.equal(run.code, 1)
  local open = 0
  for _, line in ipairs(lines) do
    if line:find "^start" or line:find "^push" then open = open + 1 end
    if line:find "^end" or line:find "^pop" then open = open - 1 end
  end
  test.equal(open, 0, "open at the end")
  test.equal(#lines, 6)
end)

-- Each line is one misuse, and the words it must be answered with.
local MISUSES = {
  { "reg.nvtx.mark {}", "nvtx.mark: the text must be a string, not a table" },
  { "reg.nvtx.range()", "nvtx.range: the text must be a string, not nothing" },
  { "reg.nvtx.mark('m', { color = 1 })", "unknown option 'color' (did you mean 'colour'?)" },
  { "reg.nvtx.range('m', { colour = 'rod' })", "not a valid colour: 'rod' (did you mean 'red'?)" },
  { "reg.nvtx.mark('m', { colour = -1 })", "'colour' must be a number 0xAARRGGBB, not -1" },
  { "reg.nvtx.mark('m', { payload = 'much' })", "'payload'" },
  { "reg.nvtx.domain ''", "the name is empty" },
  { "reg.nvtx.pop()", "no open range" },
  { "reg.nvtx.domain('d'):pop()", "no open range" },
  { "reg.nvtx.domain('d').mark('m')", "must be a nvtx.Domain" },
  { "reg.nvtx.push 'mine' reg.spawn(reg.nvtx.pop):wait()", "was pushed by another task" },
}

test("misuse is said in the same words with and without a tool", function()
  local script = ""
  for _, misuse in ipairs(MISUSES) do
    local code, words = misuse[1], misuse[2]
    test.raises(words, load(code), "usage")
    script = script .. string.format("print(select(2, pcall(load(%q))).message)\n", code)
  end
  reg.nvtx.pop()
  local _, run = heard(script)
  local said = {}
  for line in run.stdout:gmatch "[^\n]+" do said[#said + 1] = line end
  for i, misuse in ipairs(MISUSES) do test.truthy(said[i]:find(misuse[2], 1, true), said[i]) end
end)

test("without a tool all of it may be called, and the status says why nothing is heard", function()
  reg.nvtx.mark("m", { category = "c", colour = "blue", payload = 1 })
  local range = reg.nvtx.range "r"
  local other = reg.nvtx.domain("d"):range "o"
  range:close() range:close() other:close()
  local status = reg.nvtx.status()
  test.equal(status.ok, false)
  test.truthy(status.message:find "^no tool listens" or status.message:find "built without NVTX", status.message)
  test.truthy(#status.hint > 0)
end)

test("with a tool the status is plain ok; one that does not load is named", function()
  local _, run = heard [[ print(reg.json.encode(reg.nvtx.status())) ]]
  test.equal(reg.json.decode(run.stdout), { ok = true, message = "", hint = "" })
  run = reg.process.run { shell = [["$REGENGINE" -e 'print(reg.nvtx.status().message)']],
    env = { NVTX_INJECTION64_PATH = "/nowhere/tool.so" } }
  test.truthy(run.stdout:find("/nowhere/tool.so", 1, true), run.stdout)
end)

return test.finish()
