#!/bin/sh
# A suite's records name the GPU that its processes had, and its driver; on the fake driver.
. "$(dirname "$0")/lib.sh"
fake_driver

printf '%s\n' gpus=3 driver=580.65.06 "gpu0.name=Quadro T400" "gpu1.name=NVIDIA H100" "gpu2.name=NVIDIA H100" >nvml
cat >one.lua <<'LUA'
return { name = "one", workloads = { "a" }, command = "true" }
LUA
ran=0
record() { # TEXT OPTIONS...: what the record has of the accelerator
  text=$1; shift
  ran=$((ran + 1))
  expect 0 suite.lua --suite one.lua --output-dirname out$ran --repeat 1 --warmup 0 "$@"
  "$engine" -e 'local r = reg.json.decode(reg.fs.read("'out$ran'/results.jsonl"))
    print(r.experiment.accelerator .. " " .. r.experiment.accelerator_model .. " " .. tostring(r.driver))' >out
  said "$text"
}
record 'cuda Quadro T400, NVIDIA H100 580.65.06'
record 'cuda NVIDIA H100 580.65.06' --gpus 1
record 'cuda NVIDIA H100 580.65.06' --gpus 1,2
export CUDA_VISIBLE_DEVICES=2,0
record 'cuda NVIDIA H100, Quadro T400 580.65.06'
record 'cuda NVIDIA H100 580.65.06' --gpus 1
# Without any, it is the processor's.
CUDA_VISIBLE_DEVICES=
record 'cpu '
grep -q 'nil$' out || fail "a driver of no GPU"
