#!/bin/sh
# docs/reference is what the stubs say; its links lead somewhere, and every function of the stubs is called by a test.
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
