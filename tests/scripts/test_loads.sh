#!/bin/sh
# How much of the standard library a strategy loads: what it does not use is loaded on first use. Lines of code are those that
# are neither empty nor only a comment.
. "$(dirname "$0")/lib.sh"

# A library whose modules say that they are loaded.
cp -r "$source_root/stdlib" library
find library -name '*.lua' | while read -r file; do
  name=${file#library/}
  sed -i "1s|^|print '[loads] $name' |;1s|--|\\n--|" "$file"
done

# MODULES LINES ARGUMENTS...: no more than that.
loads() {
  modules=$1 lines=$2; shift 2
  expect 0 --stdlib library "$@"
  sed -n 's/^.*\[loads\] //p' out | sort -u >loaded
  found=$(wc -l <loaded)
  code=$(cd "$source_root/stdlib" && xargs cat <"$folder/loaded" | grep -cvE '^[[:space:]]*(--.*)?$')
  echo "$1: $found modules, $code lines of code"
  [ "$found" -le "$modules" ] || fail "$1 loads $found modules, not at most $modules: $(tr '\n' ' ' <loaded)"
  [ "$code" -le "$lines" ] || fail "$1 loads $code lines, not at most $lines"
}

numbered repo 8 'echo "echo speed: $((number < 6 ? 100 : 80))" >test.sh'
loads 55 6500 bisect --repo repo --good c1 --bad c8 --test 'sh test.sh' --metric 'speed: {number}'
loads 54 6300 bisect --repo repo --good c1 --bad c8 --test 'sh test.sh | grep -q 100'
loads 52 5700 ab --metric 'time: {number} ms' 'echo time: 10 ms' 'echo time: 12 ms'

mkdir -p nights/jax-2024-03-01 nights/jax-2024-03-02
loads 54 6100 nightly --dry-run --runtime local --image "$folder/nights/jax-{date}" --from 2024-03-01 --to 2024-03-02 \
  --test repo/test.sh --metric 'speed: {number}'

echo 'return { name = "zip", workloads = { "gzip" }, command = "gzip -c zip.lua >/dev/null" }' >zip.lua
loads 38 4200 suite --suite zip.lua --repeat 2

# --- No library of the driver or of the CUDA Toolkit is opened before its first use; /proc/self/maps would show it.
cat >maps.lua <<'END'
if ... == "use" then reg.gpu.status() end
print(reg.process.run({ shell = "cat /proc/$PPID/maps" }).stdout)
END
export REGENGINE_FAKE_NVML="$folder/nvml" XDG_STATE_HOME="$folder/unchanged"
"$engine" trust maps.lua
for name in nvml:NVML cuda:LIBCUDA nvrtc:NVRTC cublas:CUBLAS cupti:CUPTI; do
  export "REGENGINE_${name#*:}=$REGENGINE_FAKES/${name%:*}.so"
done
libraries='/fakes/|libcuda|libnvidia|libnvrtc|libcublas|libcupti|libcudart'
says 0 "$(basename "$engine")" maps.lua
! grep -E "$libraries" out || fail "a library of the GPU's is loaded without a use"
expect 0 maps.lua use
grep -qE "$libraries" out || fail "this test would not see a library that is loaded"
rm -f nvml.log
for what in "-e ''" "recover" "--version"; do
  eval "expect 0 $what"
  ! [ -e nvml.log ] || fail "regengine $what asks the driver"
done
! ls "$XDG_STATE_HOME/regengine" 2>/dev/null | grep -qv "^trusted" || fail "there is a journal without a change"
