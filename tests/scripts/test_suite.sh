#!/bin/sh
# tests/scripts/test_suite.sh REGENGINE: the shipped suite.lua, as a user starts it, and what reads its results.
. "$(dirname "$0")/lib.sh"

cat >zip.lua <<'LUA'
return {
  name = "zip",
  workloads = { "gzip", "bzip2" },
  axes = { { level = { 1, 9 } } },
  tiers = { quick = { "gzip" } },
  where = function(c) return not (c.workload == "bzip2" and c.level == 9) end,
  prepare = "seq 20000 > data",
  command = function(c) return c.workload .. " -" .. c.level .. " -c data > /dev/null && echo done" end,
}
LUA
records() { lines_in output/results.jsonl; }

# What would run, and nothing runs.
says 0 "gzip -9 -c data" suite.lua --suite zip.lua --dry-run
[ ! -e output ] || fail "a dry run made its folder"

says 0 "6 processes were run; 3 new" suite.lua --suite zip.lua --repeat 2
[ "$(records)" = 3 ] || fail "not three records"
says 0 "0 processes were run; 3 reused" suite.lua --suite zip.lua --repeat 2
[ "$(records)" = 3 ] || fail "records were made twice"
answers expect 0 'answer.ran == 0' suite.lua --suite zip.lua --repeat 2 --json
mkdir elsewhere
within elsewhere 0 suite.lua --suite ../zip.lua --repeat 2 --output-dirname ../output
said "0 processes were run; 3 reused"
says 2 "no experiment matches" suite.lua --suite zip.lua -k nosuch
says 0 "2 processes were run; 1 new" suite.lua --suite zip.lua --repeat 2 -k GZIP --shard 2/2 --no-resume
says 0 "done" suite.lua --suite zip.lua --repeat 1 --config '{"workload":"gzip","level":1}'
[ "$(records)" = 5 ] || fail "a single configuration leaves its record"
expect 0 analyze.lua --output-dirname output
[ "$(lines_in output/metric_report.csv)" = 6 ] || fail "analyze.lua does not read the records"
head -n 1 output/metric_report.csv | grep -q ',outputs_file,level,min_per_iter_time,' || fail "the axis is not a column"
says 0 "old (s)" compare.lua output output
grep -q '"units":{"total_time":"s"}' output/results.jsonl || fail "no unit in the record"

# Misuse is one line, and nothing is run.
says 2 "--config" suite.lua --suite zip.lua --config '{"workload":'
says 2 "--repeat must be at least 1: '0'" suite.lua --suite zip.lua --repeat 0
says 2 "(did you mean 'timeout'?)" suite.lua --suite zip.lua --redo timout
says 2 "missing.lua" suite.lua --suite missing.lua

# A failed experiment is recorded, and the exit code is 3; the others are recorded too.
cat >fails.lua <<'LUA'
return { name = "fails", workloads = { "works", "hangs", "eats" }, command = function(c)
  return ({ works = "true", hangs = "sleep 100",
    eats = "echo RuntimeError: CUDA out of memory. >&2; exit 1" })[c.workload]
end }
LUA
says 3 "1 new, 2 failed" suite.lua --suite fails.lua --repeat 1 --warmup 0 --timeout 0.5 --output-dirname fails
holds fails/results.jsonl '"status":"timeout"' '"status":"oom"'

# kill -9 in its middle: the same command goes on, and no experiment is recorded twice.
cat >slow.lua <<'LUA'
return { name = "slow", workloads = { "a", "b" }, axes = { { n = { 1, 2 } } },
  command = function(c) return "echo " .. c.workload .. c.n .. " >> ran; sleep 0.1" end }
LUA
slow="suite.lua --suite slow.lua --repeat 5 --warmup 0 --output-dirname slow"
for stop in 3 8 14; do
  launch -q $slow
  kill_when has_lines ran $stop
done
expect 0 -q $slow
[ "$(lines_in slow/results.jsonl)" = 4 ] || fail "not four records after kill -9"
# Twenty that count, and at most one more for each kill.
[ "$(lines_in ran)" -ge 20 ] && [ "$(lines_in ran)" -le 23 ] || fail "$(lines_in ran) processes"
[ "$("$engine" -e 'local one = {} for line in reg.fs.read("slow/results.jsonl"):gmatch "[^\n]+" do
  local r = reg.json.decode(line) one[#one + 1] = #r.metrics.total_time .. "@" .. r.timestamp end
  for _, other in ipairs(one) do assert(other == one[1]) end print(one[1]:match "^%d+")')" = 5 ] ||
  fail "the records are not of one run"

# In a container: the processes run there, its memory ends one of them, and the record names the image.
[ -n "${REGENGINE_TEST_IMAGE:-}" ] && docker version >/dev/null 2>&1 ||
  skip "there is no docker daemon with the tests' image"
cat >boxed.lua <<'LUA'
return { name = "boxed", workloads = { "small", "big" }, memory = "30m", metric = { total_time = "took {number} s" },
  command = function(c)
    return (c.workload == "big" and "tail -c 300m /dev/zero; " or "") .. "test $? = 0 || exit 137; echo took 1 s"
  end }
LUA
expect 3 suite.lua --suite boxed.lua --image "$REGENGINE_TEST_IMAGE" --runtime docker --output-dirname boxed
grep '"small"' boxed/results.jsonl >out
answer 'answer.status == "ok" and answer.metrics.total_time[1] == 1 and answer.image_digest:find "sha256:"'
grep '"big"' boxed/results.jsonl >out
answer 'answer.status == "oom"'
