#!/bin/sh
# What --stubs writes for editors, and that it takes nobody's configuration.
. "$(dirname "$0")/lib.sh"

says 0 "project/.luarc.json: written" --stubs project
for stub in "$source_root"/stdlib/meta/*.lua; do
  head -c "$(wc -c <"$stub")" "project/regengine-stubs/$(basename "$stub")" | cmp - "$stub" ||
    fail "the stub is not as it is in the source"
done
for stub in project/regengine-stubs/*.lua; do
  head -n 1 "$stub" | grep -qx -- '---@meta' || fail "$stub does not begin with ---@meta"
done
# What is written in Lua: the comments of its modules, also beside functions of C++ and for methods of its objects.
grep -qx 'function reg.ab(a, b, options) end' project/regengine-stubs/ab.lua || fail "no reg.ab"
grep -q '^function reg.container.nights(' project/regengine-stubs/container.lua || fail "no reg.container.nights"
grep -B 1 '^local Trial = {}' project/regengine-stubs/sweep.lua | grep -q -- '---@' || fail "no sweep.Trial"
"$engine" -e 'local luarc = reg.json.decode(reg.fs.read "project/.luarc.json")
  assert(luarc["runtime.version"] == "Lua 5.4")
  assert(luarc["workspace.library"][1] == "regengine-stubs")
  assert(luarc["diagnostics.globals"][1] == "reg")' || fail ".luarc.json"

# Again: its own files are made new, and the configuration is known.
echo old >project/regengine-stubs/gpu.lua
says 0 ".luarc.json: exists, and already names regengine-stubs" --stubs project
cmp "$source_root/stdlib/meta/gpu.lua" project/regengine-stubs/gpu.lua || fail "an old stub was left"

# Somebody's own configuration stays as it is, and what it lacks is said.
mkdir other
echo '{ "diagnostics.disable": ["lowercase-global"] }' >other/.luarc.json
cp -r other before
expect 0 --stubs other
cmp other/.luarc.json before/.luarc.json || fail ".luarc.json was changed"
said '"workspace.library": ["regengine-stubs"]'

expect 0 --dry-run --stubs dry
[ ! -e dry ] || fail "a dry run wrote"
says 2 "--stubs" --stubs
touch file
says 1 "file" --stubs file
