local test = require "harness"

test("parallel keeps the list's order, whatever ends first, and runs no more than at_most at a time", function()
  test.equal(reg.parallel({ 30, 10, 20 }, function(ms) reg.sleep(ms / 1000) return ms end), { 30, 10, 20 })
  local now, most = 0, 0
  reg.parallel({ 1, 2, 3, 4, 5 }, function()
    now = now + 1
    most = math.max(most, now)
    reg.sleep("2ms")
    now = now - 1
  end, { at_most = 2 })
  test.equal(most, 2)
end)

test("an error in one of parallel stops the others, closes what they hold, and is raised", function()
  local closed = false
  test.raises("the second failed", function()
    reg.parallel({ 1, 2 }, function(i)
      if i == 2 then error("the second failed") end
      local held <close> = setmetatable({}, { __close = function() closed = true end })
      reg.sleep(600)
      return held
    end)
  end)
  reg.sleep(0)
  test.truthy(closed)
end)

test("a task hands over its results, and its error", function()
  test.equal({ reg.spawn(function(a, b) return b, a end, 1, 2):wait() }, { 2, 1 })
  local task = reg.spawn(function() error("lost") end)
  test.raises("lost", function() task:wait() end)
  test.equal(task:done(), true)
end)

test("several may wait for one task, and one who stops waiting stops nothing", function()
  local slow = reg.spawn(function() reg.sleep("20ms") return 5 end)
  local function waiting() return slow:wait() end
  local first, second, third = reg.spawn(waiting), reg.spawn(waiting), reg.spawn(waiting)
  reg.sleep(0)
  second:cancel()
  test.raises("stopped", function() second:wait() end)
  test.equal({ first:wait(), third:wait(), slow:wait() }, { 5, 5, 5 })
end)

test("tasks that would wait for each other for ever are a mistake", function()
  local first
  first = reg.spawn(function() reg.spawn(function() first:wait() end):wait() end)
  test.raises("that task is waiting for this one", function() first:wait() end)
end)

test("a task that has ended takes no memory, and its results are there for as long as it is", function()
  local function once() return reg.spawn(string.rep, "x", 100):wait() end
  once()
  collectgarbage()
  local before = collectgarbage "count"
  for _ = 1, 1000 do once() end
  local kept = reg.spawn(string.rep, "y", 3)
  reg.sleep(0)
  for _ = 1, 2 do collectgarbage() end  -- what a weak table held is found by the second
  test.truthy(collectgarbage "count" < before + 200, collectgarbage "count" - before)
  test.equal(kept:wait(), "yyy")
end)

test("the results and errors of a coroutine are Lua's own", function()
  local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error({ b }) end)
  test.equal({ coroutine.resume(co, 1) }, { true, 2 })
  local ok, why = coroutine.resume(co, 7)
  test.equal({ ok, why, coroutine.status(co) }, { false, { 7 }, "dead" })
  test.equal({ coroutine.resume(co) }, { false, "cannot resume dead coroutine" })
  local closed
  local own = coroutine.wrap(function(...)
    local _ <close> = setmetatable({}, { __close = function(_, error_value) closed = error_value end })
    coroutine.yield(...)
    error "mine"
  end)
  test.equal({ own(1, nil, 3) }, { 1, nil, 3 })
  test.raises("mine", own)
  test.truthy(closed:find "mine$")
  test.raises("cannot resume dead coroutine", own)
  co = coroutine.create(function() local _ <close> = setmetatable({}, { __close = function() error("late", 0) end }) coroutine.yield() end)
  coroutine.resume(co)
  test.equal({ coroutine.close(co) }, { false, "late" })
  test.equal({ coroutine.close(co) }, { true })
end)

test("a yield crosses pcall, metamethods and generic for; where Lua cannot yield, a primitive waits as well", function()
  local list = { 3, 1, 2 }
  table.sort(list, function(a, b) reg.sleep("1ms") return a < b end)
  test.equal(list, { 1, 2, 3 })
  local own = coroutine.wrap(function() reg.sleep("1ms") coroutine.yield("mine") end)
  test.equal(own(), "mine")
  local object = setmetatable({}, { __index = function(_, key) reg.sleep("1ms") return key end })
  test.equal(select(2, pcall(function() return object.x end)), "x")
  local function steps() return function(_, i) reg.sleep("1ms") if i < 2 then return i + 1 end end, nil, 0 end
  local sum = 0
  for i in steps() do sum = sum + i end
  test.equal(sum, 3)
end)

test("misuse names the function, the mistake and the script's line", function()
  test.raises("unknown option 'form' (did you mean 'from'?)", function() reg.time.range { form = 1 } end, "usage")
  test.raises("reg has no 'tim' (did you mean 'time'?)", function() return reg.tim end, "usage")
  local why = test.raises("not a valid duration", function() reg.sleep("soon") end, "usage")
  test.truthy(why.where:find("test_task.lua:", 1, true), "where: " .. why.where)
  test.raises("read-only", function() reg.new = 1 end, "usage")
end)

return test.finish()
