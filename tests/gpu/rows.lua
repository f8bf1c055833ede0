-- What the parts of tests/gpu/run share: a table of what was measured and what it should be, printed as it comes.
--   local t = require "rows"
--   t.row("what", "0.3 %", "<= 0.5 %", 0.003 <= 0.005)
--   return t.finish()

-- Kernels of different kinds: bound by memory, by arithmetic, and next to nothing. PTX, so that no compiler is needed.
local PTX = [[
.version 6.0
.target sm_50
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry copy(.param .u64 to, .param .u64 from, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .f32 %f<2>;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [n];
  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d2, %d3; add.u64 %d5, %d1, %d3;
  ld.global.f32 %f1, [%d4];
  st.global.f32 [%d5], %f1;
DONE:
  ret;
}
.visible .entry multiply(.param .u64 out, .param .u32 rounds)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<3>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [rounds];
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  cvt.rn.f32.u32 %f1, %r5; mov.f32 %f2, 0f3F7FFF58; mov.f32 %f3, 0f3A83126F;
ROUND:
  fma.rn.f32 %f1, %f1, %f2, %f3;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ROUND;
  mul.wide.u32 %d2, %r5, 4; add.u64 %d1, %d1, %d2;
  st.global.f32 [%d1], %f1;
  ret;
}]]

local t = { PTX = PTX }
local failed, begun = 0, false

local function line(what, got, wanted, verdict)
  local form = "%-58s %-26s %-26s %s"
  if not begun then print(form:format("check", "expected", "seen", "ok")) end
  begun = true
  print(form:format(what, wanted or "", got, verdict or ""))
end

-- `holds` is nil for a number that only informs.
function t.row(what, got, wanted, holds)
  if holds == false then failed = failed + 1 end
  line(what, got, wanted, holds == nil and "" or holds and "ok" or "NOT SO")
end

-- Runs f, whose error is a row of its own.
function t.part(what, f)
  local ok, why = pcall(f)
  if not ok then t.row(what, tostring(why):match "[^\n]*", "no error", false) end
end

--- The output of a command, without its last line end.
function t.shell(command) return (reg.process.run({ shell = command }).stdout:gsub("\n$", "")) end

--- Whether a command succeeds.
function t.can(command) return reg.process.run({ shell = command }).ok end

--- The program that runs this script.
function t.engine() return t.shell "readlink /proc/$PPID/exe" end

--- Builds ./launches of launches.c; false without a C compiler.
function t.build_launches()
  local source = t.shell "tr '\\0' '\\n' </proc/$PPID/cmdline":match "([^\n]*)/%w+%.lua"
  local built = reg.process.run {
    shell = 'for c in cc gcc clang; do command -v $c >/dev/null && exec $c -O1 -pthread -o launches "' .. source
      .. '/launches.c" -ldl; done; exit 127' }
  assert(built.ok or built.code == 127, built.stderr)
  return built.ok
end

--- Writes a script that has a GPU, a module of these kernels, and `nothing` bound to one thread.
function t.script(name, code)
  reg.fs.write(name, "local gpu <close> = reg.cuda.open()\nlocal module = gpu:load [[" .. PTX .. "]]\n"
    .. "local nothing = module:kernel('nothing'):bind { grid = 1, block = 1 }\n" .. code)
end

--- The launches of a kernel in a trace; without a name, the most of any.
function t.launches(trace, name)
  local most = 0
  for _, kernel in ipairs(trace.kernels or {}) do
    if not name or kernel.name == name then most = math.max(most, kernel.count) end
  end
  return most
end

--- A range of a trace by its name, or nil.
function t.range(trace, name)
  for _, range in ipairs(trace.ranges or {}) do
    if range.name == name then return range end
  end
end

--- Says why, if this machine has no GPU: the script then returns 77.
function t.lacks_gpu()
  local status = reg.gpu.status()
  if not status.ok then print("SKIPPED: " .. status.message) end
  return not status.ok
end

function t.finish() return failed == 0 and 0 or 1 end

return t
