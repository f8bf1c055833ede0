#!/bin/sh
# docs/reference is what the stubs say; its links lead somewhere, and every function of the stubs is called by a test.
# What --stubs writes for editors, and that it takes nobody's configuration.
. "$(dirname "$0")/lib.sh"

cp -r "$source_root/docs" "$source_root/tests" "$source_root/stdlib" "$source_root/README.md" .
reference() { docs/generate "$engine" "$@" >out 2>err; }
reference --check || fail "the reference is stale"

# The check notices a page that was edited, one that is missing and one that nobody writes.
echo more >>docs/reference/git.md
mv docs/reference/time.md docs/reference/gone.md
! reference --check || fail "stale pages pass"
for name in git time gone; do said "docs/reference/$name.md is stale. Run docs/generate."; done
reference && diff -r docs "$source_root/docs" || fail "written anew, it is another"

# Every link of a page, and of the README, leads to a file, and to a heading of it.
cat >links.lua <<'LUA'
local function anchors(path)
  local found = {}
  for heading in ("\n" .. reg.fs.read(path)):gmatch "\n#+ ([^\n]+)" do
    found[heading:lower():gsub("[^%w_ -]", ""):gsub(" ", "-")] = true
  end
  return found
end
local count = 0
for _, page in ipairs(reg.fs.list "docs/reference") do
  for target in reg.fs.read("docs/reference/" .. page):gsub("```.-```", ""):gmatch "%]%(([^)]+)%)" do
    local file, anchor = target:match "^([^#]*)#?(.*)$"
    local path = "docs/reference/" .. (file == "" and page or file)
    assert(reg.fs.exists(path), page .. ": no file for the link " .. target)
    assert(anchor == "" or anchors(path)[anchor], page .. ": no heading for the link " .. target)
    count = count + 1
  end
end
for page in reg.fs.read "README.md":gmatch "%]%((docs/[^)#]+)" do
  assert(reg.fs.exists(page), "README.md: no file for the link " .. page)
end
print(count > 500 and "links lead somewhere" or "only " .. count .. " links")
LUA
says 0 "links lead somewhere" links.lua

expect 0 tests/untested.lua || fail "a function has no test"
rm tests/scripts/test_reference.sh  # it names what is taken away
sed -i 's/reg\.time\.range/range/; s/:is_ancestor/:ancestor/g' tests/lua/*.lua
expect 1 tests/untested.lua
said "no test calls reg.time.range" "no test calls git.Repo:is_ancestor"

# --- For editors.
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
