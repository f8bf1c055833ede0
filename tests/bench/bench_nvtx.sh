#!/bin/sh
# tests/bench/bench_nvtx.sh REGENGINE: what marking costs from Lua while no tool listens, in ns a call: a loop without its
# body's call is taken off, and a plain Lua call stands beside it. The median of nine rounds, all kinds in turn.
set -eu
unset NVTX_INJECTION64_PATH
"$1" - <<'END'
local N, ROUNDS = 300000, 9
local function plain(text) return text end
local closeable = setmetatable({}, { __close = function() end })
local function lua_range() return closeable end
local work = reg.nvtx.domain "work"
local kinds = {
  { "an empty loop", function() for _ = 1, N do end end },
  { "a call of a Lua function", function() for _ = 1, N do plain "step" end end },
  { "a <close> of a Lua table", function() for _ = 1, N do local _ <close> = lua_range "step" end end },
  { "reg.nvtx.range, open and close", function() for _ = 1, N do local _ <close> = reg.nvtx.range "step" end end, 200 },
  { "domain:range, open and close", function() for _ = 1, N do local _ <close> = work:range "step" end end, 200 },
  { "reg.nvtx.range with a payload", function()
    for i = 1, N do local _ <close> = reg.nvtx.range("step", { payload = i }) end
  end },
  { "reg.nvtx.mark", function() for _ = 1, N do reg.nvtx.mark "step" end end },
  { "reg.nvtx.push and pop", function() for _ = 1, N do reg.nvtx.push "step" reg.nvtx.pop() end end },
}
local times = {}
for round = 1, ROUNDS do
  for i, kind in ipairs(kinds) do
    local started = os.clock()
    kind[2]()
    times[i] = times[i] or {}
    times[i][round] = (os.clock() - started) / N * 1e9
  end
end
for i, kind in ipairs(kinds) do
  table.sort(times[i])
  local ns = times[i][(ROUNDS + 1) // 2] - (i > 1 and times[1][(ROUNDS + 1) // 2] or 0)
  print(string.format("%-58s %10.1f ns%s", kind[1], ns, kind[3] and "   goal <= " .. kind[3] .. " ns" or ""))
end
END
