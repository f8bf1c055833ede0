#!/bin/sh
# reg.ncu against the tests' own ncu, found in PATH as the real one would be.
. "$(dirname "$0")/lib.sh"

profile='local run = reg.ncu.profile { cmd = { "echo", "two words" }, output = "run.csv" } '
tells run_lua 1 "ncu is not installed: not found in PATH" "$profile"
mkdir bin
ln -s "$source_root/tests/support/fake_ncu" bin/ncu
PATH=$folder/bin:$PATH; export PATH
tells run_lua 0 'true	2025.3.1.0' 'local status = reg.ncu.status() print(status.ok, status.version)'

# One entry per launch, with numbers without their separators; what is not a number is left out.
shown='for _, launch in ipairs(run.launches) do
    local time, rate = launch.metrics["gpu__time_duration.sum"], launch.metrics["sm__throughput.avg.pct_of_peak_sustained_elapsed"]
    print(launch.id, launch.name, time.value, time.unit, rate and rate.value, launch.metrics.launch__func_cache_config)
  end'
run_lua 0 "$profile print(run.ok, run.stdout) $shown"
said 'true	two words' '0	gemm(float *, "x")	1234567	ns	77.5	nil' '1	add	2048	ns	nil	nil'
grep -qxF -- "--csv --clock-control none --print-units base --target-processes all --log-file run.csv --metrics gpu__time_duration.sum echo two words" \
  run.csv.words || fail "the words of ncu: $(cat run.csv.words)"
run_lua 0 'reg.ncu.profile { shell = "exit 0", output = "some.csv", metrics = { "a.sum", "b.avg" }, kernels = "gemm|add",
  launches = 3 }'
grep -qF -- "--metrics a.sum,b.avg --kernel-name regex:gemm|add --launch-count 3 /bin/sh -c exit 0" some.csv.words ||
  fail "the words of ncu: $(cat some.csv.words)"

# A command that fails is data; counters that are taken, forbidden or never used are not.
run_lua 0 'local run = reg.ncu.profile { shell = "exit 7", output = "run.csv" } print(run.ok, run.code, #run.launches)'
said 'false	7	2'
export FAKE_NCU=dcgm
run_lua 1 "$profile"
complained "ncu cannot use the GPU's counters: Profiling failed because a driver resource was unavailable"
noted "dcgmi profile --pause"
FAKE_NCU=permission
run_lua 1 "$profile"
complained "ncu cannot use the GPU's counters: ERR_NVGPUCTRPERM" "NVreg_RestrictProfilingToAdminUsers=0"
FAKE_NCU=idle
tells run_lua 1 "ncu profiled no kernel" "$profile"
unset FAKE_NCU
tells run_lua 2 "ncu.profile: needs 'output', the path of its CSV" 'reg.ncu.profile { cmd = { "true" } }'
printf '%s\n' "reg.options {} $profile print(run.dry)" >case.lua
rm run.csv
says 0 true case.lua --dry-run
[ ! -e run.csv ] || fail "a dry run did something"
