#!/bin/sh
# tests/scripts/test_gpu_start.sh REGENGINE: no library of the driver or of the CUDA Toolkit is opened before
# its first use, so that starting costs nothing; /proc/self/maps would show it.
. "$(dirname "$0")/lib.sh"
export REGENGINE_FAKE_NVML="$folder/nvml"
for name in nvml:NVML cuda:LIBCUDA nvrtc:NVRTC cublas:CUBLAS cupti:CUPTI; do
  export "REGENGINE_${name#*:}=$REGENGINE_FAKES/${name%:*}.so"
done
cat >maps.lua <<'END'
if ... == "use" then reg.gpu.status() end
print(reg.process.run({ shell = "cat /proc/$PPID/maps" }).stdout)
END
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
