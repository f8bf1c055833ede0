#!/bin/sh
# An engine built without NVTX's headers (tests/CMakeLists.txt links one) has the same functions; they do nothing.
. "$(dirname "$0")/lib.sh"
absent=$(dirname "$engine")/regengine_no_nvtx
[ -x "$absent" ] || fail "no $absent: build the tests"
export NVTX_INJECTION64_PATH="$REGENGINE_FAKES/nvtx_recorder.so" REGENGINE_FAKE_NVTX="$folder/heard"

cat >all.lua <<'END'
local names = {}
for name in pairs(reg.nvtx) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, " "))
do
  local _ <close> = reg.nvtx.range("r", { category = "c" })
  local other = reg.nvtx.range "other"
  other:close()
end
print(select(2, pcall(reg.nvtx.range, "r", { color = 1 })))
reg.process.run { cmd = { "true" } }
END
expect 0 all.lua
mv out out.built
rm -f heard
built=$engine
engine=$absent
expect 0 all.lua
cmp -s out out.built || { cat out.built; fail "another surface than that of $built, which is above"; }
[ ! -e heard ] || fail "a tool was attached"
expect 0 -e 'local s = reg.nvtx.status() print(s.ok, s.message) print(s.hint)'
said "false	this regengine was built without NVTX"
said "CUDA Toolkit"
echo "nvtx: absent, and nobody minds"
