#!/bin/sh
# reg.rocprof against the tests' own rocprofv3, found in PATH as the real one would be.
. "$(dirname "$0")/lib.sh"

profile='local run = reg.rocprof.profile { cmd = { "echo", "two words" }, output = "traced" } '
tells run_lua 1 "rocprofv3 is not installed: not found in PATH" "$profile"
mkdir bin
ln -s "$source_root/tests/support/fake_rocprofv3" bin/rocprofv3
PATH=$folder/bin:$PATH; export PATH
tells run_lua 0 'true	1.0.0' 'local status = reg.rocprof.status() print(status.ok, status.version)'

# Two processes with three launches each, on one GPU or two.
shown='print(run.gpu_time_s) for _, one in ipairs(run.kernels) do print(one.name, one.count, one.total_s) end'
export FAKE_ROCPROF=one
run_lua 0 "$profile print(run.ok, run.stdout) $shown"
said 'true	two words' '0.005' 'add	2	0.003' 'gemm(float*, "x")	1	0.002'
[ "$(cat traced.words)" = "--kernel-trace --output-format csv -d traced -- echo two words" ] || fail "$(cat traced.words)"
FAKE_ROCPROF= run_lua 0 "$profile $shown"
said 'add	4	0.006'
tells run_lua 0 'gemm(float*, "x")	2	0.004' "local run = reg.rocprof.kernels 'traced' $shown"

# A command that fails is data; one without kernels is none.
run_lua 0 'local run = reg.rocprof.profile { shell = "exit 7", output = "traced" } print(run.ok, run.code, #run.kernels)'
said 'false	7	2'
export FAKE_ROCPROF=idle
tells run_lua 1 "rocprofv3 saw no kernel" "$profile"
mkdir -p odd
echo '"ID","Name"' >odd/1_kernel_trace.csv
tells run_lua 1 "not a kernel trace of rocprofv3" 'reg.rocprof.kernels "odd"'
tells run_lua 2 "needs either 'cmd'" 'reg.rocprof.profile { output = "traced" }'
