#!/bin/sh
# tests/scripts/test_why.sh REGENGINE: the shipped why.lua, on commands whose difference is known.
. "$(dirname "$0")/lib.sh"

# loader NAME SECONDS COMMENT: a data loader that sleeps, unless the variable NAP says how long.
loader() { printf '# %s\nsleep "${NAP:-%s}"\n' "$3" "$2" | executable "$1"; }
loader fast 0.1 one
loader slow 1.5 one
loader other 0.1 two

# The newest investigation with two ends: one sleeps longer, nothing else differs, and all of it is waiting.
expect 0 ab ./fast ./slow --budget 5
expect 0 why --json
waits='waits 1\.[0-9]+ s longer(, while programs wait for a CPU)?'
first_line "^B is [0-9.]+x slower than A: $waits \([0-9]+ % of it; unexplained: [0-9]+ %\)"
sed -n 1p out >first
said "What the lost time went to:" "Not compared: program: the command does not import JAX, TensorFlow or PyTorch/XLA."
said "Not compared: kernels: no CUDA was initialized in the command."
answer 'answer.verdict == "found" and answer.top.level == "host" and answer.top.share > 0.9 and answer.unexplained < 0.1'
answer 'answer.collected_runs == 4 and answer.slowdown.verdict == "worse" and answer.top.confidence > 0.92'
answer '#answer.swaps == 0 and answer.commands[1] == "./fast" and answer.commands[2] == "./slow"'
grep -q "^  artifact .*the program differs" out || fail "the program that differs"

# The store has all of it.
says 0 "$(cat first)" show
said "What the lost time went to:"
expect 0 report -o report.html -y
holds report.html "What the lost time went to:"
grep -q "waits 1.* s longer" report.html || fail "the findings of the report"
says 0 "waits 1" share -y
grep -q "why: B is [0-9.]*x slower than A" out || fail "the title that is shared: $(head -n 1 out)"
said "What the lost time went to:"

# Two halves that can be exchanged: the variable takes it along, the command does not.
expect 0 why 'NAP=0.1 ./fast' 'NAP=1.1 ./other' --json
first_line ': NAP 0\.1 -> 1\.1 \([0-9]+ % of it moves with NAP; unexplained: [0-9]+ %\)'
answer 'answer.top.level == "swap" and answer.top.share > 0.8 and answer.swaps[1].name == "NAP" and answer.swaps[1].low > 0.5'
answer '#answer.swaps == 2 and answer.swaps[2].name == "the command" and answer.swaps[2].share < 0.2'
answer 'answer.swaps[1].pairs == 6 and answer.swaps[1].confidence > 0.95'

# The rounds of a swap are in the store, and are not run again.
runs=$("$engine" -e 'print(reg.json.decode(reg.fs.read "answer.json").runs)')
expect 0 show
answers expect 0 "answer.runs == 0 and $runs >= 12 + 2 * 14" why 'NAP=0.1 ./fast' 'NAP=1.1 ./other' --json
answer 'answer.swaps[1].share > 0.8'

# A single difference between the two has nothing to be exchanged with. The program alone, without the libraries that belong
# to it, passes over the level that needs them.
mkdir alone
cp "$engine" alone/regengine
alone/regengine why 'NAP=0.1 ./fast' 'NAP=1.1 ./fast' --store alone.db --json >out 2>err || fail "the program alone"
head -n 1 out | grep -qF ': NAP 0.1 -> 1.1 (nothing else differs between the two)' || fail "the only difference"
answer 'answer.top.only and answer.identical'

said "Not compared: kernels: tracing needs libregengine_inject.so, which is not beside $folder/alone."

# Nothing that would be collected differs, and it says so.
echo "step: 100" >one
echo "step: 150" >two
expect 3 why 'cat one' 'cat two' --metric 'step: {number}' --better lower --json
first_line "^B's step is 50 % worse than A's: (apart from the program itself, )?nothing that was collected differs"
answer 'answer.verdict == "nothing_differs" and answer.top == nil'

# Of an investigation the metric says which values are better; the runs that `why` itself made are not asked for.
echo "MLUPS: 150" >more
echo "MLUPS: 100" >less
expect 0 ab --store rates.db 'cat more' 'cat less' --metric 'MLUPS: {number}'
for _ in 1 2; do
  expect 3 why --store rates.db
  first_line "^B's MLUPS is 33.* % worse than A's"
done

# Without a slowdown nothing is collected.
expect 3 why 'cat one' 'cat ./one' --metric 'step: {number}' --better lower --json
said "No difference: all numbers of A and B are equal."
answer 'answer.verdict == "no_difference" and answer.collected_runs == 0 and #answer.levels == 0'

# What was predicted is in the store before the runs, and the answer says what became of each line.
expect 0 why ./fast ./slow --json --predict 'wall time +50 %, CPU time -100 %, kernels fewer, page faults same'
matches out '^  wall time \+50 % +met: [0-9.]+x slower \(95 % interval [0-9.]+ to [0-9.]+x\)$' \
  '^  kernels fewer +not measured: no CUDA was initialized in the command$'
answer '#answer.predictions == 4 and answer.predictions[1].verdict == "met" and answer.predictions[2].verdict ~= "met"'
says 0 "  kernels fewer      not measured: no CUDA" show
expect 0 report -o report.html -y
holds report.html "  kernels fewer      not measured: no CUDA"
says 0 "  kernels fewer      not measured: no CUDA" share -y
expect 1 why --store failed.db 'exit 3' ./fast --predict 'wall time same'
query_gives failed.db 1 "SELECT count(*) FROM investigations WHERE facts LIKE '%predicted%wall time same%'"
expect 3 why 'cat one' 'cat ./one' --metric 'step: {number}' --better lower --json --predict 'step -10 %, CPU time less'
said "  step -10 %      not met: 0 %"
answer 'answer.verdict == "no_difference" and answer.collected_runs == 4'
answer 'answer.predictions[2].verdict ~= "not measured" or answer.predictions[2].measured:find "^inconclusive"'
expect 2 why ./slow ./fast --predict 'kernel fewer'
complained "why: cannot measure 'kernel', which is predicted here (did you mean 'kernels'?)"

# A kernel that takes twice as long, in a program that says its own step time.
if [ -x "$REGENGINE_FAKES/cuda_program" ]; then
  for end in good:4000 bad:8000; do
    { echo "kernel other 1000 2000"; echo "kernel _Z4gemmPf 3000 $((3000 + ${end#*:})) 0 7"; echo "call 7"; } >"${end%%:*}"
  done
  executable train <<END
export REGENGINE_CUPTI="$REGENGINE_FAKES/cupti.so" REGENGINE_FAKE_CUPTI="$folder/\$1"
"$REGENGINE_FAKES/cuda_program" init push step play pop
awk '/gemm/ { print "step time: " \$4 - \$3 " ns" }' "$folder/\$1"
END
  expect 0 why './train good' './train bad' --metric 'step time: {number}' --better lower --json \
    --predict 'kernels fewer, kernel time more, metric +50 %'
  head -n 1 out | grep -qF ': gemm(float*): 4 us -> 8 us (100 % of it; unexplained: 0 %)' || fail "the kernel"
  answer 'answer.top.level == "kernels" and answer.unexplained == 0'
  # The program has ranges only where it was built with the headers of NVTX.
  ! grep -q InitializeInjectionNvtx "$REGENGINE_FAKES/cuda_program" || said "  range step: 4 us -> 8 us"
  said "  kernels fewer      not met: 2 -> 2" "  kernel time more   met: " "  metric +50 %       met: 2x slower"
fi

# What torch compiles again, of a program that runs with TORCH_LOGS=recompiles: the log that torch 2.6 writes to stderr.
cp "$source_root/tests/data/jit/logs/torch-2.6.log" torch.log
executable model 'sleep $1; [ $2 = same ] || cat torch.log >&2'
expect 0 why 'TORCH_LOGS=recompiles ./model .2 same' 'TORCH_LOGS=recompiles ./model .5 varies' --json
first_line "fn is recompiled 2 times, never before: tensor 'x' size mismatch at index 0\. expected 3, actual 4"
answer 'answer.top.level == "jit" and answer.top.share == nil'
not_said "To see why JAX traces it again"

# Mistakes, and a dry run.
says 0 "would compare both ends in pairs" why ./fast ./slow --dry-run
says 2 "takes two commands or one investigation, not 3" why ./fast ./slow ./other
says 2 "has no investigation '99'" why 99
grep -Eq 'name: [0-9]+ \(why[^)]*\), [0-9]+ \(' err || fail "the newest is not named first"
says 2 "no such store: empty.db" why --store empty.db
says 2 "has no investigation with a change between two ends that can be run again" why --store failed.db
expect 1 why 'exit 3' ./slow
noted "A failed: exit code 3"
