#!/bin/sh
# tests/bench/bench_results.sh REGENGINE: `aggregate` of 300,000 records as pytorch/xla writes them, beside a program that
# only parses them with the JSON library that the engine uses.
set -eu
. "$(dirname "$0")/common.sh"
python3 - >results.jsonl <<'PYTHON'
import json, random
random.seed(1)
for i in range(300000):
    inductor = i // 60 % 2 == 1
    times = {name: [1 + random.random() for _ in range(8)] for name in ("total_time", "per_iter_time", "trace_per_iter_time")}
    print(json.dumps({
        "model": {"suite_name": "torchbench", "model_name": "model_%d" % (i % 60)},
        "experiment": {"accelerator": "cuda", "accelerator_model": "NVIDIA A100-SXM4-40GB", "test": "eval", "batch_size": 16,
                       "xla": None if inductor else "PJRT", "dynamo": "inductor" if inductor else "openxla",
                       "xla_flags": None, "torch_xla2": None, "keep_model_data_on_cuda": False, "outputs_file": None},
        "repeat": 8, "iterations_per_run": 1, "metrics": times, "timestamp": 1700000000.0 + i // 600 * 86400}))
PYTHON
cat >parse.cpp <<'CPP'
#include <fstream>
#include <nlohmann/json.hpp>
int main() {
  std::ifstream lines("results.jsonl");
  std::size_t fields = 0;
  for (std::string line; std::getline(lines, line);) fields += nlohmann::ordered_json::parse(line).size();
  return fields == 0;
}
CPP
c++ -O2 -o parse parse.cpp
aggregate() { "$engine" aggregate results.jsonl --output report.csv; }
compare "aggregate of 300,000 results | parsing them" "<= 2.5" 3 aggregate ./parse
