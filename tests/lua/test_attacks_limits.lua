-- Scripts that would run forever or take all of the machine's memory: each is stopped, with the line of its code, or, in
-- a single call into C, its process is ended.
local test = require "harness"
local attacks = require "attacks"
local sandboxed = require "sandboxed"

local STOPPED = "attack.lua:1: stopped after 3000000 Lua instructions without an effect"
local MEMORY = "attack.lua:1: the script exceeds its memory limit of 64 MiB"

attacks.all {
  -- instructions
  { "a loop", "go on for ever", code = "while true do end", ends = STOPPED },
  { "pcall around a loop", "catch its end", code = "while true do pcall(function() while true do end end) end",
    ends = STOPPED },
  { "a handler that loops", "outlive the loop it handles", ends = STOPPED,
    code = "xpcall(function() while true do end end, function() while true do end end)" },
  { "a sort comparator, which cannot yield,", "go on for ever", ends = STOPPED,
    code = "table.sort({ 3, 2, 1 }, function() while true do end end)" },
  { "pcall within a comparator", "catch its end", ends = STOPPED,
    code = "while true do pcall(table.sort, { 3, 2, 1 }, function() while true do pcall(function() while true do " ..
      "end end) end end) end" },
  { "a handler that loops within a comparator", "run where no hook runs", ends = STOPPED,
    code = "table.sort({ 3, 2, 1 }, function() xpcall(function() while true do end end, function() while true do " ..
      "end end) end)" },
  { "a coroutine that loops", "hide from the count", ends = STOPPED,
    code = "local co = coroutine.create(function() while true do end end) while true do coroutine.resume(co) end" },
  { "many coroutines, each too short to be counted,", "hide from the count", ends = STOPPED,
    code = "while true do coroutine.wrap(function() for _ = 1, 500 do end end)() end" },
  { "coroutine.yield from the script itself", "hide from the count", code = "while true do coroutine.yield() end",
    ends = STOPPED },
  { "a task that loops", "go on for ever", code = "reg.spawn(function() while true do end end):wait()",
    ends = STOPPED },
  { "a gsub callback", "go on for ever", code = "local s = ('a'):gsub('a', function() while true do end end) print(s)",
    ends = STOPPED },
  { "a __tostring in print", "go on for ever", ends = STOPPED,
    code = "print(setmetatable({}, { __tostring = function() while true do end end }))" },
  { "an __index under table.concat", "go on for ever", ends = STOPPED,
    code = "table.concat(setmetatable({}, { __index = function() while true do end end }), '', 1, 2)" },
  { "load with a reader that never ends", "go on for ever", code = "load(function() return ' ' end)", ends = STOPPED },
  { "a loop", "keep what it holds from being closed", ends = STOPPED, says = "closed",
    code = "local held <close> = setmetatable({}, { __close = function() print 'closed' end }) while true do end" },
  { "an error in one __close", "keep the others from running", ends = "attack.lua:1: first", says = "closed",
    code = "local a <close> = setmetatable({}, { __close = function() print 'closed' end }) " ..
      "local b <close> = setmetatable({}, { __close = function() error 'second' end }) error 'first'" },
  { "a __close that loops", "keep the engine, or the others from running", ends = STOPPED, says = "closed",
    code = "local a <close> = setmetatable({}, { __close = function() print 'closed' end }) " ..
      "local b <close> = setmetatable({}, { __close = function() while true do end end }) while true do end" },
  { "a __close that catches its end", "keep the engine", ends = "attack.lua:1: over",
    code = "local a <close> = setmetatable({}, { __close = function() while true do pcall(function() while true " ..
      "do end end) end end }) " ..
      "error 'over'" },
  { "a __close that yields", "stay alive", ends = "attack.lua:1: over",
    code = "local a <close> = setmetatable({}, { __close = function() coroutine.yield() reg.spawn(function() end) " ..
      "end }) error 'over'" },
  { "waiting now and then", "be mistaken for a loop", says = "came through",
    code = "for _ = 1, 20 do for _ = 1, 4e5 do end reg.sleep(0) end print 'came through'" },

  { "a handler within a __close", "run where no hook runs", ends = "attack.lua:1: over",
    code = "local a <close> = setmetatable({}, { __close = function() " ..
      "xpcall(function() while true do end end, function() while true do end end) end }) error 'over'" },
  { "tasks without an end", "take the machine's memory, and long", code = "while true do reg.spawn(type, 1) end",
    ends = MEMORY },
  { "tasks that sleep", "take the machine's memory, and long", code = "while true do reg.spawn(reg.sleep, 1e9) end",
    ends = MEMORY },
  -- Without a line: it may be a task that has not begun.
  { "tasks that wait for one another", "take the machine's memory, and long", ends = "exceeds its memory limit",
    code = "local function f() return reg.spawn(f):wait() end f()" },
  { "reg.parallel", "take the machine's memory, and long", ends = MEMORY,
    code = "local t = {} for i = 1, 1e6 do t[i] = i end reg.parallel(t, function() reg.sleep(1e9) end, { at_most " ..
      "= 1e6 })" },
  { "tasks that wait for each other", "keep the script from being stopped", ends = STOPPED,
    code = "local a = reg.spawn(reg.sleep, 1e9) reg.spawn(function() a:wait() end) reg.sleep(0.1) while true do end" },

  -- work in C, which the count hook does not see
  { "C that takes long for one instruction", "go on for ever", ends = STOPPED,
    code = "local s = ('x'):rep(1e7) while true do s:upper() end" },
  { "the garbage collector", "go on for ever", ends = STOPPED,
    code = "local t = {} for i = 1, 3e5 do t[i] = {} end while true do collectgarbage() end" },
  { "the engine's own functions", "go on for ever", ends = STOPPED,
    code = "local t = {} for i = 1, 1e4 do t[i] = i end while true do reg.json.encode(t) end" },
  { "C behind a yield", "go on for ever", code = "while true do ('x'):rep(1e7) coroutine.yield() end", ends = STOPPED },
  { "load of a long text", "go on for ever", code = "local s = ('x=1 '):rep(1e5) while true do load(s) end",
    ends = STOPPED },
  { "table.concat over a list without an end", "keep it for ever", ends = MEMORY,
    code = "table.concat(setmetatable({}, { __index = tostring, __len = function() return 1 << 60 end }))" },

  -- memory
  { "a table that grows", "take the machine's memory", options = { "--memory", "64M" },
    code = "local t = {} while true do t[#t + 1] = { 1, 2, 3, 4, 5, 6, 7, 8 } end", ends = MEMORY },
  { "a string that doubles", "take the machine's memory", code = "local s = 'x' while true do s = s .. s end",
    ends = MEMORY },
  { "a task", "take the machine's memory", ends = MEMORY,
    code = "reg.spawn(function() local t = {} while true do t[#t + 1] = ('x'):rep(1e5) .. #t end end)" },
  { "a coroutine", "take the machine's memory", ends = "the script exceeds its memory limit",
    code = "local co = coroutine.wrap(function() local t = {} while true do t[#t + 1] = ('x'):rep(1e5) .. #t end " ..
      "end) co()" },
  { "string.rep", "take the machine's memory", code = "string.rep('x', 1e12)",
    ends = "attack.lua:1: resulting string too large" },
  { "string.rep with an overflow", "take the machine's memory", ends = "resulting string too large",
    code = "string.rep(('x'):rep(1 << 16), 1 << 47)" },
  { "string.format", "take the machine's memory", ends = MEMORY,
    code = "('%s%s'):format(('x'):rep(3e7), ('y'):rep(3e7))" },
  { "a name of 100 MB that reg does not have", "be compared for ever", ends = "reg has no 'x",
    options = { "--memory", "4G" },
    code = "local _, why = pcall(function() return reg[('x'):rep(1e8)] end) error(tostring(why):sub(1, 40), 0)" },
  { "a width of string.format", "take the machine's memory", ends = "attack.lua:1: invalid conversion",
    code = "('%999999999d'):format(1)" },
  { "string.pack", "take the machine's memory", code = "string.pack('c2000000000', 'x')", ends = MEMORY },
  { "gsub that grows", "take the machine's memory", ends = MEMORY,
    code = "local s = (('a'):rep(1e5)):gsub('a', ('%0'):rep(1000)) print(s)" },
  { "table.concat", "take the machine's memory", ends = MEMORY,
    code = "local t, s = {}, ('x'):rep(1e6) for i = 1, 100 do t[i] = s end print(table.concat(t))" },
  { "a garbage collector that is stopped", "take the machine's memory", says = "came through",
    options = { "--memory", "64M" },
    code = "collectgarbage 'stop' local x = ('x'):rep(1e6) for i = 1, 2000 do local s = x .. i end print 'came " ..
      "through'" },
  { "the collector's other ways", "take the machine's memory", says = "came through", options = { "--memory", "64M" },
    code = "for _, how in ipairs { 'generational', 'incremental', 'generational' } do collectgarbage(how) " ..
      "for i = 1, 100 do local s = ('x'):rep(1e6) .. i end end print 'came through'" },
  { "what needs too much and is caught", "break the script that goes on", says = "false\tnot enough memory\n1",
    code = "print(pcall(function() local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end)) print(1)" },
  { "an error for want of memory", "keep what is held from being closed", ends = MEMORY, says = "closed",
    code = "local held <close> = setmetatable({}, { __close = function() print 'closed' end }) " ..
      "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end" },

  -- recursion
  { "a function that calls itself", "break the stack", options = { "--memory", "512M" },
    code = "local function f() return 1 + f() end f()", ends = "attack.lua:1: stack overflow" },
  { "a task that calls itself", "break the stack", options = { "--memory", "512M" },
    ends = "attack.lua:1: stack overflow",
    code = "local function f() return 1 + f() end reg.spawn(f) f()" },
  { "a stack that overflows again and again", "break the engine", options = { "--memory", "512M" },
    says = "falsefalsetrue",
    code = "local function f() return 1 + f() end local a, b = pcall(f), pcall(f) collectgarbage() " ..
      "print(tostring(a) .. tostring(b) .. tostring(pcall(reg.sleep, 0)))" },
  { "a handler that overflows while the stack does", "break the engine", options = { "--memory", "512M" },
    says = "false\terror in error handling", code = "local function f() return 1 + f() end print(xpcall(f, f))" },
  { "a coroutine whose stack overflows, in 50 others,", "break the engine", options = { "--memory", "512M" },
    says = "came through",
    code = "local function g() return 1 + g() end local function f(n) if n == 0 then return g() end local co = " ..
      "coroutine.create(f) " ..
      "coroutine.resume(co, n - 1) coroutine.close(co) end f(50) print 'came through'" },
  { "callbacks of gsub, sort and metamethods within each other", "break the stack", ends = "C stack overflow",
    code = "local t = setmetatable({}, {}) function f() table.sort({ 2, 1 }, function() return ('a'):gsub('a', f) " ..
      "and t.x end) end " ..
      "getmetatable(t).__index = f f()" },
  { "a metamethod that calls itself", "break the stack", ends = "attack.lua:1: ",
    code = "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end print(t.x)" },
  { "an __index chain in a circle", "go on for ever", ends = "'__index' chain too long",
    code = "local t = {} setmetatable(t, { __index = t }) print(t.x)" },
  { "a gsub callback that calls gsub", "break the stack", ends = "C stack overflow",
    code = "local function f(s) return (s:gsub('.', f)) end f 'a'" },
  { "a coroutine in a coroutine in a coroutine", "break the stack", ends = "C stack overflow",
    code = "local function f() coroutine.wrap(f)() end f()" },
  { "__tostring that calls tostring", "break the stack", ends = "C stack overflow",
    code = "local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) print(t)" },
  { "a pattern of many parts", "break the stack", ends = "pattern too complex",
    code = "(('a'):rep(1000)):find(('a?'):rep(1000))" },
  { "source that nests deeply", "break the stack", ends = "overflow",
    code = "assert(load(('('):rep(1e5) .. '1' .. (')'):rep(1e5)))" },
  { "an error within an error's text", "break the engine",
    ends = "attack.lua:1: the script raised an error without a message",
    code = "error(setmetatable({}, { __tostring = function() error 'again' end }))" },
  { "an error whose text never ends", "keep the engine",
    ends = "attack.lua:1: the script raised an error without a message",
    code = "error(setmetatable({}, { __tostring = function() while true do end end }))" },
  { "an error whose fields raise", "break the engine",
    ends = "attack.lua:1: the script raised an error without a message",
    code = "error(setmetatable({}, { __index = function() error 'again' end }))" },
}

-- Where Lua cannot yield, the count hook raises an error, and open variables are closed within a small budget.
local FOR_EVER = "while true do end"
local CLOSING = { ["a __close that loops"] = FOR_EVER,
  ["a __close that catches"] = "while true do pcall(function() while true do end end) end",
  ["a __close that sorts"] = "table.sort({ 3, 2, 1 }, function() while true do end end)",
  ["a __close that leaves another to close"] = "coroutine.wrap(function() local x <close> = setmetatable({}, { " ..
    "__close = function() while true do end end }) table.sort({ 3, 2, 1 }, function() while true do end end) end)()" }
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
  for what, closing in pairs(CLOSING) do
    local held = "local x <close> = setmetatable({}, { __close = function() " .. closing .. " end }) "
    local inside = where == "a file that is required" and held or held .. FOR_EVER
    attacks.all {
      { what .. " within " .. where, "keep the engine", code = code:format(inside),
        ends = "stopped after 3000000 Lua instructions" },
      { what .. " around " .. where, "keep the engine", code = held .. code:format(FOR_EVER),
        ends = "stopped after 3000000 Lua instructions" },
      { what .. " and is caught within " .. where, "keep the engine", ends = "stopped after 3000000 Lua instructions",
        code = code:format("pcall(function() " .. inside .. " end) " .. FOR_EVER) },
    }
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
