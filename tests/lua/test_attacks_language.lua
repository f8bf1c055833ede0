-- Scripts that use the language to reach what the sandbox removes, to fool the engine, or to crash it.
local test = require "harness"
local attacks = require "attacks"

attacks.all {
  { "bytecode", "be loaded", says = "nil\tattempt to load a binary chunk (mode is 't')",
    code = [[print(load("\27Lua\x54\0", "x", "b"))]] },
  { "bytecode from a reader", "be loaded", says = "true",
    code = [[local n = 0 print((select(2, load(function() n = n + 1 return n == 1 and "\27Lua" or nil end)):find "binary") ~= nil)]] },
  { "string.dump", "be there, by its name or by a string's method", says = "nil\tnil",
    code = "print(string.dump, (''):rep(1).dump)" },
  { "load with an environment", "bring back what was taken out", says = "nil\tnil\tnil\tnil\tnil",
    code = "print(load('return io, debug, package, dofile, loadfile', 'x', 't', setmetatable({}, { __index = _G }))())" },
  { "debug", "be reached by require", ends = "no such file", exit = 2, code = "require 'debug'" },
  { "package.loadlib", "be reached by require", ends = "no such file", exit = 2, code = "require 'package'" },
  { "os.execute and its like", "be there", says = "clock date difftime time",
    code = "local names = {} for name in pairs(os) do names[#names + 1] = name end table.sort(names) "
      .. "print(table.concat(names, ' '))" },
  { "os.execute", "be reached by require", says = "true\tnil\tnil",
    code = "print(require 'os' == os, require('os').execute, require('_G').os.remove)" },
  { "core", "be a global", says = "nil\tnil", code = "print(core, _ENV.core)" },
  { "a file of the stdlib's own", "be required", ends = "not a valid module name", exit = 2,
    code = "require 'lib/sweep/trial'" },
  { "a finalizer", "run where no hook runs", ends = "attack.lua:1: setmetatable: __gc is not available to scripts",
    code = "setmetatable({}, { __gc = function() while true do end end }) collectgarbage()" },
  { "a finalizer that is added later", "run after the end", says = "over",
    code = "local m = {} X = setmetatable({}, m) m.__gc = function() print 'ran' end X = nil collectgarbage() " ..
      "print 'over'" },
  { "a task's coroutine", "be resumed by another task",
    says = "false\tthis coroutine is a task; only the engine may resume or close it",
    code = "local main = coroutine.running() reg.spawn(function() print(pcall(coroutine.resume, main)) end):wait()" },
  { "a task's coroutine", "be closed by another task", says = "false",
    code = "local main = coroutine.running() reg.spawn(function() print((pcall(coroutine.close, main))) end):wait()" },
  { "coroutines that close each other", "break the stack", says = "true",
    code = "local all = {} for i = 1, 20000 do all[i] = coroutine.create(function() local x <close> = setmetatable({}, " ..
      "{ __close = function() if all[i + 1] then coroutine.close(all[i + 1]) end end }) coroutine.yield() end) " ..
      "coroutine.resume(all[i]) if i % 1000 == 0 then reg.sleep(0) end end print((coroutine.close(all[1])))" },
  { "a coroutine that closes itself", "break the stack", says = "false\tcannot close a running coroutine\n" ..
    "false\tcannot close a normal coroutine", code = "local co co = coroutine.create(function() " ..
      "print(pcall(coroutine.close, co)) coroutine.wrap(function() print(pcall(coroutine.close, co)) end)() end) " ..
        "coroutine.resume(co)" },
  { "a thousand arguments of a task", "go beyond its stack", says = "1000",
    code = "local t = {} for i = 1, 1000 do t[i] = i end print((reg.spawn(select, '#', table.unpack(t)):wait()))" },
  { "a thousand results of a task", "go beyond its stack", says = "1000",
    code = "local t = {} for i = 1, 1000 do t[i] = i end print(select('#', reg.spawn(table.unpack, t):wait()))" },
  { "a metatable of an object", "be had or changed", says = "Task\tfalse",
    code = "local t = reg.spawn(type, 1) print(getmetatable(t), (pcall(setmetatable, t, {})))" },
  { "an object", "be passed to another's method", says = "false",
    code = "local t = reg.spawn(type, 1) local p = reg.progress { title = 'x' } print((pcall(p.update, t, {})))" },
  { "reg", "be written", ends = "read-only", exit = 2, code = "reg.process = {}" },
  { "reg's metatable", "be had", says = "reg\tfalse",
    code = "print(getmetatable(reg), (pcall(setmetatable, reg, {})))" },
  { "an order that contradicts itself", "read beyond the table", says = "true",
    code = "local t = {} for i = 1, 100 do t[i] = i end pcall(table.sort, t, function() return true end) print(#t " ..
      "== 100)" },
  { "an error that pretends to be the engine's", "look like success", ends = "attack.lua",
    code = "error({ kind = 'nonsense', message = 'attack.lua' })" },
  { "an error that pretends to be the engine's, without words,", "end in silence", ends = "attack.lua:1: in main chunk",
    code = "error({ kind = 'usage' })" },
  { "table.unpack without an end", "break the stack", ends = "too many results to unpack",
    code = "print(table.unpack({}, 1, 1e9))" },
  { "string.byte of all", "break the stack", ends = "string slice too long",
    code = "print((('x'):rep(3e6)):byte(1, -1))" },
  { "utf8.char out of range", "write what is no text", ends = "value out of range",
    code = "print(utf8.char(1 << 40))" },
  { "string.pack sizes out of range", "write beyond", ends = "out of limits", code = "print(string.pack('i99', 1))" },
  { "a NUL in a pattern", "end it early", says = "3", code = [[print((("a\0b"):find("b", 1)))]] },
}

return test.finish()
