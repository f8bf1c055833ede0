-- reg.autotune: what XLA's autotuner chose, from files written after XLA's source.

local test = require "harness"
local autotune = reg.autotune

local DATA = reg.process.run({ shell = 'printf %s "$REGENGINE_TEST_DATA"' }).stdout .. "/autotune"
reg.process.run { shell = ('cp "%s"/*.txt . && chmod u+w *.txt'):format(DATA) }

test("the choices of a file", function()
  local read = autotune.read "before.txt"
  local rows = {}
  for i, one in ipairs(read.choices) do rows[i] = one.name .. ": " .. one.choice end
  test.equal(rows, { "gemm 1: cuBLAS algorithm 5", "gemm 2: cuBLAS algorithm 0", "gemm 3: Triton block 64x64x32",
    "convolution 1: cuDNN algorithm 28, tensor cores, knobs 2=3" })
  local fusion = read.choices[3]
  test.equal({ read.version, fusion.run_time_s, fusion.device:sub(1, 9) }, { 3, 31744e-9, "CUDA: 9.0" })
  test.truthy(fusion.hlo:find("parameter(0)\n  tmp_1", 1, true), fusion.hlo)
end)

test("what two files chose differently: the largest difference in time first", function()
  local texts = {}
  for i, finding in ipairs(autotune.diff("before.txt", "after.txt")) do texts[i] = finding.what end
  test.equal(texts, {
    "gemm 1 chose cuBLAS algorithm 7, before Triton block 64x64x32",
    "convolution 1 chose cuDNN algorithm 28, tensor cores, knobs 2=1, before cuDNN algorithm 28, tensor cores, knobs 2=3",
    "gemm 1 is not tuned, before cuBLAS algorithm 5",
    "gemm 3 chose Triton block 128x64x32, 3 stages, 8 warps, not tuned before" })
  test.equal(#autotune.diff("before.txt", autotune.read "before.txt"), 0)
end)

test("other kinds of choices, and how strings and messages are written", function()
  reg.fs.write("forms.txt", [[
version: 3 results { hlo: "ROOT r = f32[2] sort(x\101\102\"\n)" device: "d" result { other {
  name: "Sorter" config { [type.googleapis.com/xla.Sort] { radix: 8 radix: 16 wide: true } } } } }
dots { hlo: "f32[2,2] dot(a\\101, b)" result { custom_kernel_fusion { kernel_index: 1 } } }
dots { hlo: "f32[4,4] dot(a, b)" result { gemm { algorithm: -1 } } }
dots { hlo: "f32[9,9] dot(a, b)" result { triton {
  block_m: 16 block_n: 256 block_k: 64 split_k: 4 num_warps: 4 is_tma_allowed: true } } }
convs { hlo: "f32[2] convolution(a, b)" result { run_time { seconds: 1 nanos: 500000000 } } }
convs { hlo: "f32[3] convolution(a, b)" result { cuda_conv_plan { exec_plan_id: "eng3" } } }
convs { hlo: "f32[4] convolution(a, b)" result { conv { algorithm: 4 } } }
]])
  local read, choices = autotune.read "forms.txt", {}
  for i, one in ipairs(read.choices) do choices[i] = one.name .. ": " .. one.choice end
  test.equal(choices, { "sort 1: Sorter {[type.googleapis.com/xla.Sort]: {radix: 8, radix: 16, wide: true}}",
    "gemm 1: custom kernel 1", "gemm 2: cuBLAS algorithm -1", "gemm 3: Triton block 16x256x64, 4 split, TMA",
    "convolution 1: nothing", "convolution 2: cuDNN plan eng3", "convolution 3: cuDNN algorithm 4" })
  test.equal({ read.version, read.choices[1].device, read.choices[1].hlo, read.choices[5].run_time_s },
    { 3, "d", 'ROOT r = f32[2] sort(xAB"\n)', 1.5 })
  test.truthy(read.choices[2].hlo:find("dot(a\\101, b)", 1, true), read.choices[2].hlo)
end)

test("what is not such a file", function()
  for _, text in ipairs { "\1\2binary", "results {", "results { hlo: 'a", "version: 3 results { hlo: 'a' }", "version:", "", "results {}",
    ("results {"):rep(200) } do
    reg.fs.write("bad.txt", text)
    test.raises("autotuning result", function() autotune.read "bad.txt" end, "corrupt")
  end
  local why = test.raises("as text: it is in binary form: bad.txt", function()
    reg.fs.write("bad.txt", "\8\3\34\2")
    autotune.read "bad.txt"
  end, "corrupt")
  test.truthy(why.hint:find("FILE.txt", 1, true), why.hint)
  test.raises("No such file", function() autotune.read "missing.txt" end, "not_found")
  test.raises("takes the path", function() autotune.diff(1, 2) end, "usage")
end)

return test.finish()
