#!/bin/sh
# reg.rocprof against the tests' own rocprofv3, found in PATH as the real one would be.
. "$(dirname "$0")/lib.sh"

profile='local run = reg.rocprof.profile { cmd = { "echo", "two words" }, output = "traced" } '
run_lua "$profile" 1
complained "rocprofv3 is not installed: not found in PATH"
mkdir bin
ln -s "$source_root/tests/support/fake_rocprofv3" bin/rocprofv3
PATH=$folder/bin:$PATH; export PATH
run_lua 'local status = reg.rocprof.status() print(status.ok, status.version)'
said 'true	1.0.0'

# Two processes with three launches each. On one GPU two of them overlap: it is busy for 3 ms, and its launches took 4.
shown='print(run.gpu_time_s, run.gpu_busy_s) for _, one in ipairs(run.kernels) do print(one.name, one.count, one.total_s) end'
export FAKE_ROCPROF=one
run_lua "$profile print(run.ok, run.stdout) $shown"
said 'true	two words'
said '0.005	0.004'
said 'add	2	0.003'
said 'gemm(float*, "x")	1	0.002'
[ "$(cat traced.words)" = "--kernel-trace --output-format csv -d traced -- echo two words" ] || fail "$(cat traced.words)"
FAKE_ROCPROF= run_lua "$profile $shown"
said 'add	4	0.006'
run_lua "local run = reg.rocprof.kernels 'traced' $shown"
said 'gemm(float*, "x")	2	0.004'

# A command that fails is data; one without kernels is none.
run_lua 'local run = reg.rocprof.profile { shell = "exit 7", output = "traced" } print(run.ok, run.code, #run.kernels)'
said 'false	7	2'
export FAKE_ROCPROF=idle
run_lua "$profile" 1
complained "rocprofv3 saw no kernel"
mkdir -p odd
echo '"ID","Name"' >odd/1_kernel_trace.csv
run_lua 'reg.rocprof.kernels "odd"' 1
complained "not a kernel trace of rocprofv3"
run_lua 'reg.rocprof.profile { output = "traced" }' 2
complained "needs either 'cmd'"
echo "rocprof: all as promised"
