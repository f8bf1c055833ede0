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

test("forms of text: strings in parts, lists, other brackets, comments, other back ends", function()
  reg.fs.write("forms.txt", [[# a comment
version: 3; results < hlo: 'ROOT r = f32[2] ' "sort(x\x41\102\")" device: "d" result { other {
  name: "Sorter" config { [type.googleapis.com/xla.Sort] { radix: [8, 16], wide: true } } } } >
dots { hlo: "f32[2,2] dot(a\\101, b)" result { custom_kernel_fusion { kernel_index: 1 } } }
convs { hlo: "f32[2] convolution(a, b)" result { run_time { seconds: 1 nanos: 500000000 } } }
]])
  local read = autotune.read "forms.txt"
  test.equal({ read.choices[1].name, read.choices[1].hlo, read.choices[1].choice }, { "sort 1",
    'ROOT r = f32[2] sort(xAB")',
    "Sorter {[type.googleapis.com/xla.Sort]: {radix: 8, radix: 16, wide: true}}" })
  test.truthy(read.choices[2].hlo:find("dot(a\\101, b)", 1, true), read.choices[2].hlo)
  test.equal({ read.choices[2].choice, read.choices[3].choice, read.choices[3].run_time_s },
    { "custom kernel 1", "nothing", 1.5 })
end)

test("what is not such a file", function()
  for _, text in ipairs { "\1\2binary", "results {", "results { hlo: 'a", "results { hlo: 'a' }", "version:",
    ("results {"):rep(200) } do
    reg.fs.write("bad.txt", text)
    test.raises("autotuning result", function() autotune.read "bad.txt" end, "corrupt")
  end
  test.raises("No such file", function() autotune.read "missing.txt" end, "not_found")
  test.raises("takes the path", function() autotune.diff(1, 2) end, "usage")
end)

test("the binary form is refused", function()
  reg.fs.write("tuned.pb", "\8\3\18\26\n\6sm_9.0\18\16ROOT r = f32[2] ")
  local why = test.raises("binary autotuning results, which cannot be read: tuned.pb", function()
    autotune.read "tuned.pb"
  end, "corrupt")
  test.truthy(why.hint:find("FILE.txt", 1, true), why.hint)
end)

return test.finish()
