--- regengine --trust tests/bench/results_records.lua FILE: 100,000 records as pytorch/xla's benchmarks write them, the same ones each time.
--- 100 nights of 125 models in two batch sizes and four backends; each has ten values of two metrics.

local opt = reg.options { file = { "file to write", type = "output", list = true, words = true, required = true } }
local file = opt.file[1]

local NIGHTS, MODELS, BATCHES, FIRST = 100, 125, { 1, 16 }, 1699680738
local BACKENDS = { { '"inductor"', "null" }, { '"openxla"', '"PJRT"' }, { "null", '"PJRT"' }, { "null", "null" } }
local HEAD = '{"model": {"suite_name": "torchbench", "model_name": "model_%03d"}, "experiment": {"accelerator": "cuda", '
  .. '"accelerator_model": "One of Tesla V100-SXM2-16GB, Tesla V100-SXM2-16GB, Tesla V100-SXM2-16GB", "xla": %s, "xla_flags": null, '
  .. '"dynamo": %s, "torch_xla2": null, "keep_model_data_on_cuda": false, "test": "eval", "batch_size": %d, '
  .. '"enable_functionalization": false}, "repeat": 10, "iterations_per_run": 1, "metrics": {"total_time": '
local REST = ', "per_iter_time": '
local TAIL = '}, "timestamp": %s, "verification_code": "PASS"}\n'

-- A number from 0 to 1 with all digits that a clock's difference has.
local state = 20231111
local function random()
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 11) / 9007199254740992
end

local function list(first, usual)
  local values = { first + random() }
  for i = 2, 10 do values[i] = usual * (1 + 0.02 * random()) end
  return (reg.json.encode(values):gsub(",", ", "))
end

reg.fs.write(file, "")
for night = 0, NIGHTS - 1 do
  local lines, timestamp = {}, reg.json.encode(FIRST + 86400 * night + (night % 3) / 7)
  for model = 1, MODELS do
    for _, batch in ipairs(BATCHES) do
      for backend, words in ipairs(BACKENDS) do
        local usual = (0.01 + model * 0.002) * (1 + 0.2 * backend) * (night < 60 and 1 or 0.9)
        lines[#lines + 1] = HEAD:format(model, words[2], words[1], batch) .. list(9, usual) .. REST .. list(9, usual)
          .. TAIL:format(timestamp)
      end
    end
  end
  reg.fs.append(file, table.concat(lines))
end
