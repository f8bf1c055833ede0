-- Scripts that would run forever or take all of the machine's memory: each is stopped, with the line of its code, or, in
-- a single call into C, its process is ended.
local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"

local STOPPED = "attack.lua:1: stopped after 3000000 Lua instructions without an effect"
local MEMORY = "attack.lua:1: the script exceeds its memory limit of 64 MiB"

-- In the code of an attack, LOOP is a function that loops, and GROW a loop that takes ever more memory.
local WORDS = { LOOP = "function() while true do end end",
  GROW = "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end" }
local function spelled(code) return (code:gsub("%u%u+", WORDS)) end

-- A variable that is open while the code behind it runs, with what closes it.
local function closed_by(code) return "local held <close> = setmetatable({}, { __close = function() " .. code .. " end }) " end
local SAYS_CLOSED = closed_by "print 'closed'"

-- The code of each attack by what tries it: all end with this error, and say this before.
local function all_end(ends, harm, codes, says)
  for what, code in pairs(codes) do
    attacks.all { { what, harm, code = spelled(code), ends = ends, says = says } }
  end
end

all_end(STOPPED, "go on for ever", {
  ["a loop"] = "while true do end",
  ["pcall around a loop"] = "while true do pcall(LOOP) end",
  ["a handler that loops"] = "xpcall(LOOP, LOOP)",
  ["a sort comparator, which cannot yield,"] = "table.sort({ 3, 2, 1 }, LOOP)",
  ["pcall within a comparator"] =
    "while true do pcall(table.sort, { 3, 2, 1 }, function() while true do pcall(LOOP) end end) end",
  ["a handler that loops within a comparator"] = "table.sort({ 3, 2, 1 }, function() xpcall(LOOP, LOOP) end)",
  ["a coroutine that loops"] = "local co = coroutine.create(LOOP) while true do coroutine.resume(co) end",
  ["many coroutines, each too short to be counted,"] =
    "while true do coroutine.wrap(function() for _ = 1, 500 do end end)() end",
  ["coroutine.yield from the script itself"] = "while true do coroutine.yield() end",
  ["a task that loops"] = "reg.spawn(LOOP):wait()",
  ["a gsub callback"] = "local s = ('a'):gsub('a', LOOP) print(s)",
  ["a __tostring in print"] = "print(setmetatable({}, { __tostring = LOOP }))",
  ["an __index under table.concat"] = "table.concat(setmetatable({}, { __index = LOOP }), '', 1, 2)",
  ["load with a reader that never ends"] = "load(function() return ' ' end)",
  ["a script among tasks that wait for each other"] =
    "local a = reg.spawn(reg.sleep, 1e9) reg.spawn(function() a:wait() end) reg.sleep(0.1) while true do end",
  -- work in C, which the count hook does not see
  ["C that takes long for one instruction"] = "local s = ('x'):rep(1e7) while true do s:upper() end",
  ["the garbage collector"] = "local t = {} for i = 1, 3e5 do t[i] = {} end while true do collectgarbage() end",
  ["the engine's own functions"] = "local t = {} for i = 1, 1e4 do t[i] = i end while true do reg.json.encode(t) end",
  ["C behind a yield"] = "while true do ('x'):rep(1e7) coroutine.yield() end",
  ["load of a long text"] = "local s = ('x=1 '):rep(1e5) while true do load(s) end",
})
all_end(STOPPED, "keep what it holds from being closed", {
  ["a loop"] = SAYS_CLOSED .. "while true do end",
  ["a __close that loops"] = SAYS_CLOSED .. closed_by "while true do end" .. "while true do end",
}, "closed")
all_end("attack.lua:1: over", "keep the engine", {
  ["a __close that catches its end"] = closed_by "while true do pcall(LOOP) end" .. "error 'over'",
  ["a __close that yields"] = closed_by "coroutine.yield() reg.spawn(function() end)" .. "error 'over'",
  ["a handler within a __close"] = closed_by "xpcall(LOOP, LOOP)" .. "error 'over'",
})

all_end(MEMORY, "take the machine's memory, and long", {
  ["tasks without an end"] = "while true do reg.spawn(type, 1) end",
  ["tasks that sleep"] = "while true do reg.spawn(reg.sleep, 1e9) end",
  ["reg.parallel"] = "local t = {} for i = 1, 1e6 do t[i] = i end "
    .. "reg.parallel(t, function() reg.sleep(1e9) end, { at_most = 1e6 })",
  ["table.concat over a list without an end"] =
    "table.concat(setmetatable({}, { __index = tostring, __len = function() return 1 << 60 end }))",
  ["a string that doubles"] = "local s = 'x' while true do s = s .. s end",
  ["a task"] = "reg.spawn(function() local t = {} while true do t[#t + 1] = ('x'):rep(1e5) .. #t end end)",
  ["string.format"] = "('%s%s'):format(('x'):rep(3e7), ('y'):rep(3e7))",
  ["string.pack"] = "string.pack('c2000000000', 'x')",
  ["gsub that grows"] = "local s = (('a'):rep(1e5)):gsub('a', ('%0'):rep(1000)) print(s)",
  ["table.concat"] = "local t, s = {}, ('x'):rep(1e6) for i = 1, 100 do t[i] = s end print(table.concat(t))",
})
all_end(MEMORY, "keep what is held from being closed", { ["an error when memory runs out"] = SAYS_CLOSED .. "GROW" }, "closed")

local LITTLE, MORE = { "--memory", "64M" }, { "--memory", "512M" }
local DEEP = "local function f() return 1 + f() end "
local TOO_DEEP = "attack.lua:1: stack overflow"

attacks.all {
  { "an error in one __close", "keep the others from running", ends = "attack.lua:1: first", says = "closed",
    code = SAYS_CLOSED .. closed_by "error 'second'" .. "error 'first'" },
  { "waiting now and then", "be mistaken for a loop", says = "came through",
    code = "for _ = 1, 20 do for _ = 1, 4e5 do end reg.sleep(0) end print 'came through'" },

  -- memory
  -- Without a line: it may be a task that has not begun.
  { "tasks that wait for one another", "take the machine's memory, and long", ends = "exceeds its memory limit",
    code = "local function f() return reg.spawn(f):wait() end f()" },
  { "a table that grows", "take the machine's memory", options = LITTLE, ends = MEMORY,
    code = "local t = {} while true do t[#t + 1] = { 1, 2, 3, 4, 5, 6, 7, 8 } end" },
  { "a coroutine", "take the machine's memory", ends = "the script exceeds its memory limit",
    code = "local co = coroutine.wrap(function() local t = {} while true do t[#t + 1] = ('x'):rep(1e5) .. #t end end) co()" },
  { "string.rep", "take the machine's memory", code = "string.rep('x', 1e12)",
    ends = "attack.lua:1: resulting string too large" },
  { "string.rep with an overflow", "take the machine's memory", ends = "resulting string too large",
    code = "string.rep(('x'):rep(1 << 16), 1 << 47)" },
  { "a name of 100 MB that reg does not have", "be compared for ever", ends = "reg has no 'x", options = { "--memory", "4G" },
    code = "local _, why = pcall(function() return reg[('x'):rep(1e8)] end) error(tostring(why):sub(1, 40), 0)" },
  { "a width of string.format", "take the machine's memory", ends = "attack.lua:1: invalid conversion",
    code = "('%999999999d'):format(1)" },
  { "a garbage collector that is stopped", "take the machine's memory", says = "came through", options = LITTLE, code =
    "collectgarbage 'stop' local x = ('x'):rep(1e6) for i = 1, 2000 do local s = x .. i end print 'came through'" },
  { "the collector's other ways", "take the machine's memory", says = "came through", options = LITTLE,
    code = "for _, how in ipairs { 'generational', 'incremental', 'generational' } do collectgarbage(how) " ..
      "for i = 1, 100 do local s = ('x'):rep(1e6) .. i end end print 'came through'" },
  { "what needs too much and is caught", "break the script that goes on", says = "false\tnot enough memory\n1",
    code = spelled "print(pcall(function() GROW end)) print(1)" },

  -- recursion
  { "a function that calls itself", "break the stack", options = MORE, ends = TOO_DEEP, code = DEEP .. "f()" },
  { "a task that calls itself", "break the stack", options = MORE, ends = TOO_DEEP, code = DEEP .. "reg.spawn(f) f()" },
  { "a stack that overflows again and again", "break the engine", options = MORE, says = "falsefalsetrue",
    code = DEEP .. "local a, b = pcall(f), pcall(f) collectgarbage() " ..
      "print(tostring(a) .. tostring(b) .. tostring(pcall(reg.sleep, 0)))" },
  { "a handler that overflows while the stack does", "break the engine", options = MORE,
    says = "false\terror in error handling", code = DEEP .. "print(xpcall(f, f))" },
  { "a coroutine whose stack overflows, in 50 others,", "break the engine", options = MORE, says = "came through",
    code = "local function g() return 1 + g() end local function f(n) if n == 0 then return g() end " ..
      "local co = coroutine.create(f) coroutine.resume(co, n - 1) coroutine.close(co) end f(50) print 'came through'" },
  { "a metamethod that calls itself", "break the stack", ends = "attack.lua:1: ",
    code = "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end print(t.x)" },
  { "an __index chain in a circle", "go on for ever", ends = "'__index' chain too long",
    code = "local t = {} setmetatable(t, { __index = t }) print(t.x)" },
  { "a pattern of many parts", "break the stack", ends = "pattern too complex",
    code = "(('a'):rep(1000)):find(('a?'):rep(1000))" },
  { "source that nests deeply", "break the stack", ends = "overflow",
    code = "assert(load(('('):rep(1e5) .. '1' .. (')'):rep(1e5)))" },
}
all_end("C stack overflow", "break the stack", {
  ["callbacks of gsub, sort and metamethods within each other"] = "local t = setmetatable({}, {}) " ..
    "function f() table.sort({ 2, 1 }, function() return ('a'):gsub('a', f) and t.x end) end getmetatable(t).__index = f f()",
  ["a gsub callback that calls gsub"] = "local function f(s) return (s:gsub('.', f)) end f 'a'",
  ["a coroutine in a coroutine in a coroutine"] = "local function f() coroutine.wrap(f)() end f()",
  ["__tostring that calls tostring"] =
    "local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) print(t)",
})
all_end("attack.lua:1: the script raised an error without a message", "keep the engine", {
  ["an error within an error's text"] = "error(setmetatable({}, { __tostring = function() error 'again' end }))",
  ["an error whose text never ends"] = "error(setmetatable({}, { __tostring = LOOP }))",
  ["an error whose fields raise"] = "error(setmetatable({}, { __index = function() error 'again' end }))",
})

-- Where Lua cannot yield, the count hook raises an error, and open variables are closed within a small budget.
local FOR_EVER = "while true do end"
reg.fs.write("looping.lua", FOR_EVER)
for where, code in pairs {
  ["a comparator"] = "table.sort({ 3, 2, 1 }, function() %s end)",
  ["a gsub callback"] = "print((('a'):gsub('a', function() %s end)))",
  ["a __tostring"] = "print(setmetatable({}, { __tostring = function() %s end }))",
  ["options"] = "reg.process.run(setmetatable({}, { __index = function() %s end }))",
  ["a reader of load"] = "load(function() %s end)",
  ["a comparator in a coroutine"] = "coroutine.wrap(function() table.sort({ 3, 2, 1 }, function() %s end) end)()",
  ["a file that is required"] = "do %s end require 'looping'",
} do
  for what, closing in pairs {
    ["a __close that loops"] = FOR_EVER,
    ["a __close that catches"] = "while true do pcall(LOOP) end",
    ["a __close that sorts"] = "table.sort({ 3, 2, 1 }, LOOP)",
    ["a __close that leaves another to close"] =
      "coroutine.wrap(function() " .. closed_by(FOR_EVER) .. "table.sort({ 3, 2, 1 }, LOOP) end)()",
  } do
    local held = closed_by(closing)
    local inside = where == "a file that is required" and held or held .. FOR_EVER
    all_end("stopped after 3000000 Lua instructions", "keep the engine", {
      [what .. " within " .. where] = code:format(inside),
      [what .. " around " .. where] = held .. code:format(FOR_EVER),
      [what .. " and is caught within " .. where] = code:format("pcall(function() " .. inside .. " end) " .. FOR_EVER),
    })
  end
end

-- One call into C that no hook can interrupt, in a script of somebody else.
local versions = sandboxed.versions()
for what, code in pairs {
  ["a pattern that tries every way"] = "(('a'):rep(40)):find(('a?'):rep(40) .. ('a'):rep(40) .. 'b')",
  ["a pattern in a pcall"] = "while true do pcall(string.match, ('a'):rep(5000), ('.-'):rep(8) .. 'b') end",
  ["gmatch"] = "for _ in (('a'):rep(5000)):gmatch(('.-'):rep(8) .. 'b') do end",
  ["gsub"] = "local _ = (('a'):rep(5000)):gsub(('.-'):rep(8) .. 'b', '')",
  ["string.rep of nothing"] = "local _ = (''):rep(math.maxinteger)",
  ["table.move of nothing"] = "table.move({}, 1, 1 << 60, 2)",
  ["a __len that lies to table.insert"] =
    "table.insert(setmetatable({}, { __len = function() return 1 << 50 end }), 1, 'x')",
  ["a __len that lies to table.remove"] =
    "table.remove(setmetatable({}, { __len = function() return 1 << 50 end }), 1)",
} do
  test(what .. " must not keep the engine for ever", function()
    if versions[#versions] < 2 then test.skip "this kernel has no Landlock of version 2" end
    sandboxed.fresh()
    local said, status, timed_out = sandboxed.script(code .. " print 'came through'", "--instructions 3000000")
    test.truthy(status ~= 0 and not timed_out and not said:find "came through", said)
  end)
end

return test.finish()
