#!/bin/sh
# reg.ncu, reg.rocprof and reg.nsys against the tests' own ncu, rocprofv3 and nsys, found in PATH as the real ones would be.
. "$(dirname "$0")/lib.sh"
mkdir bin
PATH=$folder/bin:$PATH; export PATH

# --- ncu
profile='local run = reg.ncu.profile { cmd = { "echo", "two words" }, output = "run.csv" } '
tells run_lua 1 "ncu is not installed: not found in PATH" "$profile"
cp -s "$source_root/tests/support/fake_ncu" bin/ncu
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
holds some.csv.words "--metrics a.sum,b.avg --kernel-name regex:gemm|add --launch-count 3 /bin/sh -c exit 0"

# A command that fails is data; counters that are taken, forbidden or never used are not.
run_lua 0 'local run = reg.ncu.profile { shell = "exit 7", output = "run.csv" } print(run.ok, run.code, #run.launches)'
said 'false	7	2'
FAKE_NCU=dcgm run_lua 1 "$profile"
complained "ncu cannot use the GPU's counters: Profiling failed because a driver resource was unavailable"
noted "dcgmi profile --pause"
FAKE_NCU=permission run_lua 1 "$profile"
complained "ncu cannot use the GPU's counters: ERR_NVGPUCTRPERM" "NVreg_RestrictProfilingToAdminUsers=0"
FAKE_NCU=idle tells run_lua 1 "ncu profiled no kernel" "$profile"
tells run_lua 2 "ncu.profile: needs 'output', the path of its CSV" 'reg.ncu.profile { cmd = { "true" } }'
printf '%s\n' "reg.options {} $profile print(run.dry)" >case.lua
rm run.csv
says 0 true case.lua --dry-run
[ ! -e run.csv ] || fail "a dry run did something"

# --- rocprofv3
profile='local run = reg.rocprof.profile { cmd = { "echo", "two words" }, output = "traced" } '
tells run_lua 1 "rocprofv3 is not installed: not found in PATH" "$profile"
cp -s "$source_root/tests/support/fake_rocprofv3" bin/rocprofv3
tells run_lua 0 'true	1.0.0' 'local status = reg.rocprof.status() print(status.ok, status.version)'

# Two processes with three launches each, on one GPU or two.
shown='print(run.gpu_time_s) for _, one in ipairs(run.kernels) do print(one.name, one.count, one.total_s) end'
FAKE_ROCPROF=one run_lua 0 "$profile print(run.ok, run.stdout) $shown"
said 'true	two words' '0.005' 'add	2	0.003' 'gemm(float*, "x")	1	0.002'
[ "$(cat traced.words)" = "--kernel-trace --output-format csv -d traced -- echo two words" ] || fail "$(cat traced.words)"
run_lua 0 "$profile $shown"
said 'add	4	0.006'
tells run_lua 0 'gemm(float*, "x")	2	0.004' "local run = reg.rocprof.kernels 'traced' $shown"

# A command that fails is data; one without kernels is none.
FAKE_ROCPROF=one run_lua 0 'local run = reg.rocprof.profile { shell = "exit 7", output = "traced" } print(run.ok, run.code, #run.kernels)'
said 'false	7	2'
FAKE_ROCPROF=idle tells run_lua 1 "rocprofv3 saw no kernel" "$profile"
mkdir -p odd
echo '"ID","Name"' >odd/1_kernel_trace.csv
tells run_lua 1 "not a kernel trace of rocprofv3" 'reg.rocprof.kernels "odd"'
tells run_lua 2 "needs either 'cmd'" 'reg.rocprof.profile { output = "traced" }'

# --- nsys
cp -s "$source_root/tests/support/fake_nsys" bin/nsys
tells run_lua 0 'true	2025.3.2.474-253236389321v0' 'local status = reg.nsys.status() print(status.ok, status.version)'

# The cases of the profiling guide: the whole run, a capture range by API and by NVTX, the APIs, memory. The report
# holds the words.
run_lua 0 'local run = reg.nsys.profile { cmd = { "echo", "two words" }, output = "all" }
  print(run.report, run.ok, run.stdout)'
said 'all.nsys-rep	true	two words'
common="--sample=none --cpuctxsw=none --cuda-graph-trace=node"
grep -qxF -- "-o all -f true --trace=cuda,nvtx,osrt,cublas,cudnn $common echo two words" \
  all.nsys-rep || fail "the words of nsys: $(cat all.nsys-rep)"
run_lua 0 'reg.nsys.profile { shell = "exit 0", output = "part", capture = "cudaProfilerApi",
  trace = { "cuda", "nvtx" }, memory = true }'
range="--capture-range=cudaProfilerApi --capture-range-end=stop"
holds part.nsys-rep "--trace=cuda,nvtx $common $range --cuda-memory-usage=true /bin/sh -c exit 0"
run_lua 0 'local run = reg.nsys.profile { shell = "echo $NSYS_NVTX_PROFILER_REGISTER_ONLY", output = "range",
    capture = "nvtx:step@app" }
  print("register only: " .. run.stdout)'
said 'register only: 0'
holds range.nsys-rep '--capture-range=nvtx --nvtx-capture=step@app --capture-range-end=stop'

# A command that fails is data; a range that was never entered is not.
run_lua 0 'local run = reg.nsys.profile { shell = "exit 7", output = "failing" } print(run.ok, run.code, run.report)'
said 'false	7	failing.nsys-rep'
FAKE_NSYS=no_range run_lua 1 'reg.nsys.profile { shell = "true", output = "never", capture = "nvtx:step" }'
complained "nsys wrote no report never.nsys-rep" "never entered the capture range 'nvtx:step'"

# Both names of the report, a capture without kernels, and a report that nsys cannot read.
cat >all.nsys-rep.sums <<'CSV'

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,3000,2,1500.0,1500.0,1000,2000,707.1,"add(float*, int)"
25.0,1000,1,1000.0,1000.0,1000,1000,0.0,gemm
CSV
sums='for _, k in ipairs(reg.nsys.kernels "all.nsys-rep") do
  print(string.format("%d %.0f %.0f %.0f %s", k.count, k.total_s * 1e9,
  k.min_s * 1e9, k.max_s * 1e9, k.name)) end print "read"'
run_lua 0 "$sums"
said '2 3000 1000 2000 add(float*, int)' '1 1000 1000 1000 gemm'
FAKE_NSYS=old tells run_lua 0 '2 3000 1000 2000 add(float*, int)' "$sums"
FAKE_NSYS=empty run_lua 0 "$sums"
[ "$(cat out)" = read ] || fail "an empty capture gave kernels"
FAKE_NSYS=broken tells run_lua 1 "nsys cannot read the kernels of all.nsys-rep: ERROR: the file is damaged" "$sums"

# nsys keeps the export of a report beside it: one name used twice gives the numbers of the second run, also where that
# took less than a second, or read its report before.
twice='for _, ns in ipairs { 1000, 2500 } do
    reg.nsys.profile { shell = "true", output = "twice" }
    if reg.fs.exists "twice.sqlite" then print "an export of the run before" end
    reg.fs.write("twice.nsys-rep.sums", "Total Time (ns),Instances,Min (ns),Max (ns),Name\n"
      .. ns .. ",1," .. ns .. "," .. ns .. ",gemm\n")
    print(string.format("sum %.0f", reg.nsys.kernels("twice.nsys-rep")[1].total_s * 1e9))
  end'
for how in '' trusting; do
  rm -f twice.*
  FAKE_NSYS=$how run_lua 0 "$twice"
  said 'sum 1000' 'sum 2500'
  not_said 'an export of the run before'
done
# The export is of another run than the report, which was copied to its place.
sed -i s/2500/9900/g twice.nsys-rep.sums
touch -d '2001-01-01' twice.sqlite
FAKE_NSYS=trusting tells run_lua 0 'sum 9900' 'print(string.format("sum %.0f", reg.nsys.kernels("twice.nsys-rep")[1].total_s * 1e9))'
# An earlier report is not that of a run that writes none.
FAKE_NSYS=no_range run_lua 1 'reg.nsys.profile { shell = "true", output = "twice", capture = "nvtx:step" }'
complained "nsys wrote no report twice.nsys-rep"
FAKE_NSYS=no_importer run_lua 1 'reg.nsys.profile { shell = "true", output = "raw" }'
complained "nsys could not convert raw.qdstrm to a report" "nsys-rep"

# A dry run runs nothing.
run_lua 0 'reg.options {} reg.nsys.profile { cmd = { "touch", "made" }, output = "dry" }'
printf '%s\n' 'reg.options {} print(reg.nsys.profile({ cmd = { "touch", "made2" }, output = "dry2" }).dry)' >case.lua
says 0 true case.lua --dry-run
[ ! -e made2 ] && [ ! -e dry2.nsys-rep ] || fail "a dry run did something"
