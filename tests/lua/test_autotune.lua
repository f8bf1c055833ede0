-- reg.autotune: what XLA's autotuner chose, from files written after XLA's source.

local test = require "harness"
local autotune = reg.autotune

local DATA = reg.process.run({ shell = 'printf %s "$REGENGINE_TEST_DATA"' }).stdout .. "/autotune"
reg.process.run { shell = ('cp "%s"/*.txt "%s"/*.pb . && chmod u+w *.txt *.pb'):format(DATA, DATA) }

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
  for _, text in ipairs { "\1\2binary", "results {", "results { hlo: 'a", "version: 3 results { hlo: 'a' }", "version:", "", "results {}",
    ("results {"):rep(200) } do
    reg.fs.write("bad.txt", text)
    test.raises("autotuning result", function() autotune.read "bad.txt" end, "corrupt")
  end
  test.raises("No such file", function() autotune.read "missing.txt" end, "not_found")
  test.raises("takes the path", function() autotune.diff(1, 2) end, "usage")
end)

test("the binary form says what the text does", function()
  for _, name in ipairs { "before", "after" } do
    test.equal(autotune.read(name .. ".pb"), autotune.read(name .. ".txt"))
  end
  test.equal(#autotune.diff("before.pb", "after.txt"), 4)
  local read, rows = autotune.read "others.pb", {}
  for i, one in ipairs(read.choices) do rows[i] = one.name .. ": " .. one.choice end
  test.equal(rows, { "sort 1: Sorter {type_url: type.googleapis.com/xla.Sort, value: 0807}",
    "gemm 1: cuBLAS algorithm -1", "gemm 2: custom kernel 300", "gemm 3: Triton block 16x256x64, 4 split, TMA",
    "convolution 1: cuDNN plan eng3", "convolution 2: cuDNN algorithm 4" })
  test.equal({ read.version, read.choices[2].run_time_s, read.choices[1].device }, { 3, 1.5, "d" })
end)

local function field(number, bytes) return string.char(number << 3 | 2, #bytes) .. bytes end

test("binary results under the field numbers that they had before", function()
  local gemm = field(3, field(6, "\8\7"))
  reg.fs.write("older.pb", "\8\1" .. field(2, field(2, "dot(") .. gemm) .. field(3, field(2, "convolution(") .. gemm)
    .. "\88\1\97" .. ("x"):rep(8) .. "\101wxyz" .. field(15, "unknown"))
  local read = autotune.read "older.pb"
  test.equal({ read.version, #read.choices, read.choices[1].choice, read.choices[2].kind },
    { 1, 2, "cuBLAS algorithm 7", "convolution" })
end)

test("binary results that are cut or damaged", function()
  local whole = reg.fs.read "others.pb"
  local function read(data)
    reg.fs.write("bad.pb", data)
    return autotune.read "bad.pb"
  end
  local ends = { [2] = true }  -- where one of the results ends: the rest is whole
  local at = 3
  while at <= #whole do
    at = at + 2 + whole:byte(at + 1)
    ends[at - 1] = true
  end
  for length = 1, #whole - 1 do
    if ends[length] then
      read(whole:sub(1, length))
    else
      test.raises("not autotuning results in binary form: ", function() read(whole:sub(1, length)) end, "corrupt")
    end
  end
  local why = test.raises("a field that is cut at byte 4: bad.pb", function() read(whole:sub(1, 40)) end, "corrupt")
  test.truthy(why.hint:find("FILE.txt", 1, true), why.hint)
  for data, said in pairs { ["\8\3\34\255"] = "a number without an end at byte 3",
    ["\8" .. ("\255"):rep(11)] = "a number of more than 64 bits at byte 1", ["\0\1"] = "no field at byte 0",
    ["\8\3\35"] = "no field at byte 3", ["\8\3\34\2\16\1"] = "another type of hlo at byte 4",
    ["\34\2\18\0"] = "no version", ["\8\3\34\2\18\0"] = "a result without an operation",
    ["\8\3\34\255\255\255\255\255\255\255\255\255\1"] = "a field that is cut" } do
    test.raises(said, function() read(data) end, "corrupt")
  end
  math.randomseed(1)
  for _ = 1, 2000 do
    local place = math.random(#whole)
    local ok, problem = pcall(read, whole:sub(1, place - 1) .. string.char(math.random(0, 255)) .. whole:sub(place + 1))
    test.truthy(ok or problem.kind == "corrupt", tostring(problem))
  end
end)

return test.finish()
