-- What reg.hlo reads: names of files, forms of HLO text, and text that is malformed.

local test = require "harness"

local FUSED = [[
fused {
  p = f32[8]{0} parameter(0)
  ROOT a = f32[8]{0} add(p, p)
}

ENTRY main {
  x = f32[8]{0} parameter(0)
  ROOT f = f32[8]{0} fusion(x), kind=kLoop, calls=fused
}
]]

local function module(name, body) return "HloModule " .. name .. ", is_scheduled=true\n\n" .. (body or FUSED) end

-- A folder with these files, by name.
local function folder_of(contents)
  local path = test.fresh()
  reg.fs.mkdir(path)
  for name, text in pairs(contents) do reg.fs.write(path .. "/" .. name, text) end
  return path
end

local function read_text(text)
  reg.fs.write("module.txt", text)
  return reg.hlo.read("module.txt")
end

test("platforms, time stamps and names that are missing because they are too long", function()
  local read = reg.hlo.read(folder_of {
    ["module_0001.jit_f.cpu_after_optimizations.txt"] = module "jit_f",
    ["module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt"] = "BufferAssignment:\n"
      .. "allocation 0: size 32, parameter 0, shape |f32[8]| at ShapeIndex {}:\n"
      .. "allocation 1: 0x55d0c2a4, size 16, preallocated-temp:\n",
    ["module_0002.jit_g.gpu_after_optimizations.txt"] = module "jit_g",
    ["module_0003.jit_h.sm_9.0_gpu_after_optimizations.txt"] = module "jit_h",
    ["module_0004.a.b.sm_10.0a_gpu_after_optimizations.txt"] = module "a.b",
    ["module_0005.jit_i.gfx942_gpu_after_optimizations.txt"] = module "jit_i",
    ["module_0006.gpu_after_optimizations.txt"] = module "jit_long",
    ["module_0006.jit_l.before_optimizations.txt"] = module "jit_long",
    ["1795449556176235.module_0007.jit_j.cpu_after_optimizations.txt"] = module "jit_j",
    ["module_0008.jit_k.before_optimizations.txt"] = module "jit_k",
    ["module_0001.jit_f.ir-no-opt.ll"] = "no HLO", ["module_0001.jit_f.debug_options"] = "no HLO",
    ["notes.txt"] = "no HLO",
  })
  local function facts(one) return { one.name, one.number, one.platform or "", one.optimized } end
  test.equal(test.map(read.modules, facts), { { "jit_f", 1, "cpu", true }, { "jit_g", 2, "gpu", true }, { "jit_h", 3, "sm_9.0_gpu", true },
    { "a.b", 4, "sm_10.0a_gpu", true }, { "jit_i", 5, "gfx942_gpu", true }, { "jit_long", 6, "gpu", true },
    { "jit_k", 8, "", false }, { "jit_j", 7, "cpu", true } })
  test.equal({ read.problems, read.modules[1].buffers.total, read.modules[1].buffers.temporary }, { {}, 48, 16 })
  test.truthy(read.modules[6].before:find "module_0006%.jit_l%.before")
end)

test("older text, with shapes and percent signs, is the same program as newer text without", function()
  local newer = module("jit_f", [[
region_1 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[8,4]{1,0} parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[8]{0} reduce(x, zero), dimensions={1}, to_apply=region_1
}
]])
  local older = module("jit_f.7", [[
%add_f32.3 (lhs.1: f32[], rhs.1: f32[]) -> f32[] {
  %lhs.1 = f32[] parameter(0)
  %rhs.1 = f32[] parameter(1), metadata={op_name="jit(f)/reduce[dims=(1,), \"}]" source_file="{.py" source_line=3}
  ROOT %add.9 = f32[] add(f32[] %lhs.1, f32[] %rhs.1)
}

ENTRY %main.12 (x.1: f32[8,4]) -> f32[8] {
  %x.1 = f32[8,4]{1,0} parameter(0)
  %constant.2 = f32[] constant(0)
  ROOT %reduce.5 = f32[8]{0} reduce(f32[8,4]{1,0} %x.1, f32[] %constant.2), dimensions={1}, to_apply=%add_f32.3, metadata={op_name="r"}
} // main.12
]])
  reg.fs.write("newer.txt", newer)
  reg.fs.write("older.txt", older)
  test.equal(reg.hlo.diff("newer.txt", "older.txt"), { problems = {} })
  test.equal(reg.hlo.fingerprint "newer.txt", reg.hlo.fingerprint "older.txt")
  test.truthy(reg.hlo.fingerprint "newer.txt" ~= reg.hlo.fingerprint(read_text((newer:gsub("add%(", "maximum(")))))
end)

test("loops, branches, calls, collectives and custom calls of a GPU are walked and counted", function()
  local read = read_text(module("jit_g", [[
%fused.1 (p.1: f32[8]) -> f32[8] {
  %p.1 = f32[8]{0} parameter(0)
  %t = f32[8]{0} transpose(%p.1), dimensions={0}
  ROOT %copy.7 = f32[8]{0} copy(%t)
}
%command_buffer (p.2: f32[8]) -> f32[8] {
  %p.2 = f32[8]{0} parameter(0)
  ROOT %fusion.1 = f32[8]{0} fusion(%p.2), kind=kInput, calls=%fused.1
}
%body (p.3: (f32[8], s32[])) -> (f32[8], s32[]) {
  %p.3 = (f32[8]{0}, s32[]) parameter(0)
  %g = f32[8]{0} get-tuple-element(%p.3), index=0
  %all-reduce.1 = f32[8]{0} all-reduce(%g), channel_id=4, replica_groups=[2,4]<=[8], use_global_device_ids=true, to_apply=%sum
  %i = s32[] get-tuple-element(%p.3), index=1
  ROOT %t.3 = (f32[8]{0}, /*index=1*/s32[]) tuple(%all-reduce.1, /*index=1*/%i)
}
%cond (p.4: (f32[8], s32[])) -> pred[] {
  %p.4 = (f32[8]{0}, s32[]) parameter(0)
  ROOT %yes = pred[] constant(true)
}
%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}
%ROOTED (ENTRY_w: f32[8]) -> f32[8] {
  %ENTRY_w = f32[8]{0} parameter(0)
  ROOT %all-gather.1 = f32[8]{0} all-gather(%ENTRY_w), dimensions={0}
}, execution_thread="parallel"
ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0:T(8,128)S(1)} parameter(0)
  %call = f32[8]{0} call(%x), to_apply=%command_buffer
  %zero = s32[] constant(0)
  %init = (f32[8]{0}, s32[]) tuple(%call, %zero)
  %while.1 = (f32[8]{0}, s32[]) while(%init), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"10"}}
  %out = f32[8]{0} get-tuple-element(%while.1), index=0
  %gemm = (f32[8]{0}, s8[4194304]{0}) custom-call(%out, %out), custom_call_target="__cublas$gemm", backend_config="{\"algorithm\":7}"
  %pick = f32[8]{0} conditional(%zero, %out, %out), branch_computations={%command_buffer, %ROOTED}
  %start = ((f32[8]{0}), f32[8]{0}, u32[]) async-start(%pick), calls=%ROOTED
  ROOT %done = f32[8]{0} async-done(%start)
}
]]))
  test.equal(read.problems, {})
  local counts = {}
  for i, what in ipairs { "fusion", "fusion:kInput", "copy", "transpose", "all-reduce", "all-gather", "while", "conditional",
    "custom-call:__cublas$gemm", "add" } do counts[i] = reg.hlo.count(read, what) end
  test.equal(counts, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 })
  local main = read.modules[1].by_name.main.instructions
  test.equal({ main[5].operands, main[5].calls, main[5].type }, { { "init" }, { "cond", "body" }, "f32" })
  test.equal({ main[7].target, main[7].attributes[2] }, { "__cublas$gemm", { "backend_config", [["{\"algorithm\":7}"]] } })
  test.equal(read.modules[1].by_name.body.instructions[5].operands, { "all-reduce.1", "i" })
end)

test("ids of channels do not count; what a compiler chose does", function()
  local function with(attributes)
    return read_text(module("jit_f", "ENTRY main {\n  x = f32[8]{0} parameter(0)\n  ROOT c = f32[8]{0} all-reduce(x), "
      .. attributes .. "\n}\n")).modules[1]
  end
  test.equal(#reg.hlo.diff(with "channel_id=1, replica_groups={{0,1}}", with "channel_id=9, replica_groups={{0,1}}"), 0)
  local findings = reg.hlo.diff(with 'backend_config={"a":1}', with 'backend_config={"a":2}')
  test.equal({ #findings, findings[1].kind, findings[1].what }, { 1, "content", "jit_f: c differs" })
  test.truthy(findings[1].before:find('{"a":1}', 1, true) and findings[1].after:find('{"a":2}', 1, true))
end)

test("f64 in place of f32, and a donation that is lost with the copy that it costs", function()
  local function added(type)
    return module("jit_f", "ENTRY main {\n  x = f32[8]{0} parameter(0)\n  c = " .. type .. "[8]{0} convert(x)\n  ROOT a = "
      .. type .. "[8]{0} add(c, c)\n}\n")
  end
  local function said(before, after)
    reg.fs.write("before.txt", before)
    reg.fs.write("after.txt", after)
    return table.concat(test.map(reg.hlo.diff("before.txt", "after.txt"), "what"), "\n")
  end
  test.equal(said(added "f32", added "f64"), "jit_f: f64 instead of f32 in 2 instructions (0 -> 2)")
  local donated = "HloModule jit_f, input_output_alias={ {}: (0, {}, may-alias) }\n\n" .. FUSED
  local copied = module("jit_f", (FUSED:gsub("ROOT f", "f"):gsub("calls=fused\n", "%0  ROOT copy.1 = f32[8]{0} copy(f)\n")))
  test.equal(said(donated, copied), "jit_f: donation lost: fewer outputs reuse an input's buffer (1 -> 0)\n"
    .. "jit_f: 1 more copy (0 -> 1), such as copy.1")
end)

test("the same instructions in another order", function()
  local function with(first, second)
    return read_text(module("jit_f", "ENTRY main {\n  x = f32[8]{0} parameter(0)\n" .. first .. second
      .. "  ROOT t = (f32[8]{0}, f32[8]{0}) tuple(a, b)\n}\n")).modules[1]
  end
  local sine, cosine = "  a = f32[8]{0} sine(x)\n", "  b = f32[8]{0} cosine(x)\n"
  test.equal(reg.hlo.diff(with(sine, cosine), with(cosine, sine))[1].kind, "order")
end)

test("text that is malformed gives one line, or what could be read of it", function()
  local function fails(text, why)
    reg.fs.write("bad.txt", text)
    test.equal(test.raises(why, function() reg.hlo.read "bad.txt" end, "corrupt").message, why .. ": bad.txt")
  end
  fails("", "the file is empty")
  fails("\0\1\255HloModule {{{", "not the text of an HLO module")
  fails("%{[(" .. ("("):rep(100000), "not the text of an HLO module")
  local function problems(text, wanted) test.equal(read_text(text).problems, wanted) end
  problems("HloModule x", { "no ENTRY computation: module.txt" })
  problems(module("x", FUSED .. FUSED), { "two computations are named fused: only the first counts: module.txt",
    "two computations are named main: only the first counts: module.txt" })
  problems(module("x", "ENTRY main {\n  a = f32[] constant(" .. ("("):rep(3 << 20) .. "\n}\n"),
    { "a line without an instruction: module.txt", "a line longer than 1 MiB: module.txt" })
  problems(module("x", FUSED:sub(1, -3)), { "computation main does not end: module.txt" })
  problems(module("x", "ENTRY main {\n  nothing\n  a = f32[ add(\n}\n"), { "2 lines without an instruction: module.txt" })
  local findings = reg.hlo.diff(read_text(module("x", FUSED:sub(1, -3))), read_text(module "x"))
  test.equal(findings.problems, { "computation main does not end: module.txt" })
end)

test("computations that call themselves, or each other in depth, end", function()
  local lines = { "ENTRY main {\n  ROOT a = f32[] call(), to_apply=c1\n}\n" }
  for i = 1, 2000 do
    lines[#lines + 1] = ("c%d {\n  x = f32[] call(), to_apply=c%d\n  ROOT y = f32[] call(x), to_apply=c%d\n}\n"):format(i, i + 1, i + 1)
  end
  lines[#lines + 1] = "c2001 {\n  ROOT x = f32[] call(), to_apply=c1\n}\n"
  local read = read_text(module("deep", table.concat(lines)))
  test.equal({ reg.hlo.count(read, "call"), #reg.hlo.fingerprint(read) }, { 1 + 2 * 2000 + 1, 64 })
  test.equal(#reg.hlo.diff(read, read), 0)
end)

test("a pipe or a folder with the name of a dump is not waited for", function()
  local path = folder_of { ["module_0001.jit_f.cpu_after_optimizations.txt"] = module "jit_f" }
  reg.process.run { cwd = path, shell = [[mkfifo module_0002.jit_g.cpu_after_optimizations.txt
    mkfifo module_0001.jit_f.before_optimizations.txt module_0001.jit_f.0001.a.after_b.before_c.txt
    mkfifo module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt
    mkdir module_0003.jit_h.cpu_after_optimizations.txt]] }
  local read = reg.hlo.read(path)
  test.equal({ #read.modules, read.problems }, { 1, {
    "not a file: " .. path .. "/module_0002.jit_g.cpu_after_optimizations.txt",
    "not a file: " .. path .. "/module_0003.jit_h.cpu_after_optimizations.txt" } })
  test.equal(#reg.hlo.diff(path, path), 0)
  local other = read_text(module("jit_f", (FUSED:gsub("add", "sine"))))
  other.modules[1].before, other.modules[1].passes = read.modules[1].before, read.modules[1].passes
  test.truthy(#reg.hlo.diff(read, other) > 0)
end)

test("a broken file in a folder is a problem, and the rest is read", function()
  local path = folder_of {
    ["module_0001.jit_f.cpu_after_optimizations.txt"] = module "jit_f",
    ["module_0002.jit_g.cpu_after_optimizations.txt"] = "",
    ["module_99999999999999999999999.jit_h.cpu_after_optimizations.txt"] = module "jit_h",
  }
  local read = reg.hlo.read(path)
  test.equal({ #read.modules, read.problems },
    { 2, { "the file is empty: " .. path .. "/module_0002.jit_g.cpu_after_optimizations.txt" } })
  test.equal(reg.hlo.count(path, "fusion"), 2)
end)

return test.finish()
