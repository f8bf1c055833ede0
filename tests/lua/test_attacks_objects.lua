-- Repositories whose objects, refs and settings are made by hand, in the workspace and outside it: nothing that they
-- say leads git, libgit2 or a switch out of the folder (attacks_outside.lua).

local test = require "harness"
local outside = require "attacks_outside"

local attack = outside.attack
local USER, REPO = reg.fs.absolute "outside/user", reg.fs.absolute "outside/repo"

-- Everything that reads or switches; what is refused does not end it.
local USE = [[
local function try(f, ...) local ok, what = pcall(f, ...) if ok then return what end print(what) end
local function use(path, at)
  local repo = try(reg.git.open, path)
  if not repo then return end
  for _, commit in ipairs(try(repo.log, repo, {}) or {}) do print(commit.message) end
  for _, name in ipairs { "HEAD", "evil", "evil2", "main", "refs/heads/evil", "HEAD~1", "HEAD@{1}", ":/x", "evil^{tree}" } do
    print(try(repo.find, repo, name), try(repo.read, repo, name, "file"), try(repo.read, repo, name, "d/file"))
  end
  print(try(repo.branches, repo), try(repo.tags, repo))
  try(repo.fetch, repo)
  local tree = try(repo.worktree, repo, at)
  for _, how in ipairs { {}, { submodules = true }, { files = { file = "mine" } } } do
    for _, name in ipairs { "evil", "evil2", "main" } do if tree then try(tree.checkout, tree, name, how) end end
  end
  try(repo.apply, repo, "evil", "main")
  if tree then try(tree.remove, tree) end
end
]]

-- What `line` makes of a clone in the workspace, and of a repository of the user's outside, of which the script has a
-- private clone. Each is in a folder of its own, so that several can be in one workspace.
local made = {}
local function both(what, line)
  local n = #made // 2 + 1
  for at, copy in pairs { ["found" .. n] = "git clone -q repo found", [USER .. n] = "cp -a " .. USER .. " " .. USER } do
    made[#made + 1] = { what = what .. ", in " .. at, allow = "git=" .. at .. " git=repo files=trees/*",
      code = ("use(%q, 'trees/%d')\n"):format(at, #made),
      first = copy .. n .. " && (cd " .. at .. "/.git && G=$PWD && { " .. line .. "\n})" }
  end
end

-- --- trees. raw MODE NAME HASH: one entry; the hash as git has it in a tree.
local TREES = [[
raw() { printf '%s ' "$1"; env printf "$2"; printf '\0'; env printf "$(printf %s "$3" | sed 's/../\\x&/g')"; }
blob() { printf "$1" | git hash-object -w --stdin; }
tree() { git hash-object -t tree --literally -w --stdin; }
evil() { git update-ref "refs/heads/${2:-evil}" "$(git commit-tree -m x "$1")"; }
FILE=$(blob x) LINK=$(blob ../../outside) SUB=$(raw 100644 new "$FILE" | tree)
]]
-- That the others do nothing does not come from how they are made.
for path, go in pairs { found = "git clone -q repo found && cd found/.git", [USER] = "cd " .. USER .. "/.git" } do
  attack("an ordinary tree that is made by hand is checked out from " .. path, "git=" .. path, ([[
    reg.git.open(%q):worktree "tree":checkout "evil"
    assert(reg.fs.read "tree/d/file" == "x")]]):format(path), nil, go .. " && " .. TREES ..
    [[evil "$(raw 40000 d "$(raw 100644 file "$FILE" | tree)" | tree)"]])
end
for what, entries in pairs {
  ["the folder above"] = [[raw 40000 .. "$SUB"]],
  ["the folder itself"] = [[raw 40000 . "$SUB"]],
  ["no name"] = [[raw 100644 '' "$FILE"]],
  ["a path in a name"] = [[raw 100644 ../outside/new "$FILE"]],
  ["a path in the name of a folder"] = [[raw 40000 ../outside "$SUB"]],
  ["a whole path"] = [[raw 100644 "$PWD/../../../outside/new" "$FILE"]],
  [".GIT"] = [[raw 40000 .GIT "$SUB"]],
  [".git with a dot behind it"] = [[raw 40000 .git. "$SUB"]],
  [".git with a character of no width"] = [[raw 40000 '.g\xe2\x80\x8cit' "$SUB"]],
  ["the short name of .git"] = [[raw 40000 git~1 "$SUB"]],
  [".git as a stream"] = [[raw 40000 '.git::$INDEX_ALLOCATION' "$SUB"]],
  [".git as a link"] = [[raw 120000 .git "$LINK"]],
  [".git as a file"] = [[raw 100644 .git "$(blob 'gitdir: ]] .. REPO .. [[/.git')"]],
  ["a link and a folder of one name"] = [[raw 120000 d "$LINK"; raw 40000 d "$SUB"]],
  ["a link, and a file below it"] = [[raw 120000 d "$LINK"; raw 100644 d/new "$FILE"]],
  ["a folder and a link of one name"] = [[raw 40000 d "$SUB"; raw 120000 d "$LINK"]],
  ["links of other case"] = [[raw 40000 D "$SUB"; raw 120000 d "$LINK"]],
  ["modes that run as somebody else"] = [[raw 106755 setuid "$FILE"]],
  ["a mode of no kind"] = [[raw 777777777 odd "$FILE"]],
  ["a device"] = [[raw 20666 device "$FILE"]],
  [".gitmodules as a link"] = [[raw 120000 .gitmodules "$(blob ../../outside/secret.txt)"]],
  [".gitattributes as a link"] = [[raw 120000 .gitattributes "$(blob ../../outside/secret.txt)"; raw 100644 file "$FILE"]],
  [".gitattributes that names programs"] = [[raw 100644 .gitattributes "$(blob '* filter=x diff=x merge=x
* ident working-tree-encoding=UTF-16')"; raw 100644 file "$FILE"]],
  ["a submodule above"] = [[raw 160000 .. "$(git rev-parse HEAD)"]],
  ["a tree that holds itself as a file"] = [[raw 40000 d "$FILE"]],
  ["a file that is a folder"] = [[raw 100644 d "$SUB"]],
  ["objects that are not there"] = [[raw 100644 file 0000000000000000000000000000000000000001]],
  ["a name with line breaks and an escape"] = [[raw 100644 'a\n\033]0;x\007' "$FILE"]],
} do
  both("a tree with " .. what, TREES .. "evil \"$({ " .. entries .. "; } | tree)\"")
end
both("a switch from a link to a folder of its name", TREES .. [[
  evil "$(raw 120000 d "$LINK" | tree)"; evil "$(raw 40000 d "$SUB" | tree)" evil2]])
both("a switch from a link to a folder below it", TREES .. [[
  DEEP=$(raw 40000 e "$SUB" | tree)
  evil "$({ raw 120000 d "$(blob ../..)"; } | tree)"; evil "$(raw 40000 d "$(raw 40000 outside "$SUB" | tree)" | tree)" evil2]])
both("a thousand folders in one another", TREES .. [[
  at=$SUB; for i in $(seq 300); do at=$(raw 40000 d "$at" | tree); done; evil "$at"]])
both("a commit without a tree", [[printf 'parent %s\nauthor a <a> 1 +0\n\nx' "$(git rev-parse HEAD)" |
  git hash-object -t commit --literally -w --stdin >refs/heads/evil]])
both("a commit of ten thousand parents", [[H=$(git rev-parse HEAD)
  { printf 'tree %s\n' "$(git rev-parse HEAD^{tree})"
  for i in $(seq 10000); do printf 'parent %s\n' "$H"; done
  printf 'author a <a> 99999999999999999999 +9999\ncommitter a <a> -1 x\n\nx'; } |
  git hash-object -t commit --literally -w --stdin >refs/heads/evil]])
both("a tag of a tag without an end", [[A=$(git rev-parse HEAD)
  for i in $(seq 200); do
    A=$(printf 'object %s\ntype tag\ntag t\n\nx' "$A" | git hash-object -t tag --literally -w --stdin)
  done
  echo "$A" >refs/tags/evil; echo "$A" >refs/heads/evil]])
both("a blob as a branch", [[printf x | git hash-object -w --stdin >refs/heads/evil]])
both("a loose object that grows to a gigabyte", [[mkdir -p objects/11 && perl -MIO::Compress::Deflate=deflate -e '
  my $z = "blob 1000000000\0" . ("x" x 1000000); deflate(\$z => "objects/11/" . ("1" x 38))' || true
  echo 1111111111111111111111111111111111111111 >refs/heads/evil]])

-- --- refs
for what, line in pairs {
  ["names that lead outside"] = [[echo "$(git rev-parse HEAD) refs/heads/../../../../outside/new" >>packed-refs]],
  ["a whole path as a name"] = [[echo "$(git rev-parse HEAD) ]] .. REPO .. [[/.git/refs/heads/new" >>packed-refs]],
  ["no end of a line"] = [[printf '# pack-refs with: peeled fully-peeled sorted \n^' >packed-refs]],
  ["a name of a megabyte"] = [[
    { printf '%s refs/heads/' "$(git rev-parse HEAD)"; head -c 1000000 /dev/zero | tr '\0' a; } >packed-refs]],
  ["NUL bytes"] = [[head -c 100000 /dev/zero >packed-refs]],
  ["fifty thousand names"] = [[H=$(git rev-parse HEAD); seq -f "$H refs/heads/b%.0f" 50000 >packed-refs]],
  ["a ref that names itself"] = [[echo 'ref: refs/heads/evil' >refs/heads/evil]],
  ["refs that name each other"] = [[echo 'ref: refs/heads/evil2' >refs/heads/evil; echo 'ref: refs/heads/evil' >refs/heads/evil2]],
  ["a ref that names a file outside"] = [[echo 'ref: ../../../outside/secret.txt' >refs/heads/evil]],
  ["a ref that names a whole path"] = [[echo "ref: ]] .. REPO .. [[/file" >refs/heads/evil]],
  ["a HEAD of two lines"] = [[printf 'ref: refs/heads/main\nref: refs/heads/evil\n' >HEAD]],
  ["a HEAD that names a file outside"] = [[echo 'ref: ../../../outside/repo/.git/HEAD' >HEAD]],
  ["a HEAD that names the settings"] = [[echo 'ref: config' >HEAD]],
  ["a HEAD of a megabyte"] = [[{ printf 'ref: refs/heads/'; head -c 1000000 /dev/zero | tr '\0' b; } >HEAD]],
  ["no HEAD"] = "rm HEAD",
  ["a folder as HEAD"] = "rm HEAD && mkdir HEAD",
  ["a ref in the place of a folder"] = [[mkdir -p refs/heads/evil && cp refs/heads/main refs/heads/evil/x
    echo "ref: refs/heads/main" >refs/heads/evil/HEAD]],
  ["replaced objects"] = [[mkdir -p refs/replace && echo ]] .. ("1"):rep(40) .. [[ >refs/replace/$(git rev-parse HEAD)]],
  ["grafts"] = [[mkdir -p info && echo "$(git rev-parse HEAD) $(git -C ]] .. REPO .. [[ rev-parse HEAD)" >info/grafts]],
  ["a log of HEAD that is not one"] = [[mkdir -p logs && head -c 100000 /dev/urandom >logs/HEAD]],
} do
  both("refs with " .. what, line)
end

-- --- files of the repository that libgit2 and git parse
for what, line in pairs {
  ["an index of noise"] = [[head -c 10000 /dev/urandom >index]],
  ["an index of a million entries that are not there"] = [[printf 'DIRC\0\0\0\2\0\17\102\100' >index]],
  ["a graph of commits of noise"] = [[mkdir -p objects/info
    { printf 'CGPH\1\1\3\0'; head -c 5000 /dev/urandom; } >objects/info/commit-graph]],
  ["an index of packs of noise"] = [[mkdir -p objects/pack
    { printf 'MIDX\1\1\4\0\377\377\377\377'; head -c 5000 /dev/urandom; } >objects/pack/multi-pack-index]],
  ["a pack of noise"] = [[mkdir -p objects/pack
    { printf 'PACK\0\0\0\2\377\377\377\377'; head -c 5000 /dev/urandom; } >objects/pack/pack-]] .. ("1"):rep(40) ..
    [[.pack && { printf '\377tOc\0\0\0\2'; head -c 2000 /dev/zero; } >objects/pack/pack-]] .. ("1"):rep(40) .. ".idx",
  ["settings that include themselves"] = [[git config include.path config]],
  ["settings that include a secret"] = [[git config include.path ]] .. REPO .. "/../secret.txt",
  ["settings of a folder's own"] = [[git config extensions.worktreeConfig true
    git config --file config.worktree core.sshCommand 'touch REACHED']],
  ["a format that is too new"] = [[git config core.repositoryFormatVersion 99]],
  ["another hash"] = [[git config core.repositoryFormatVersion 1
    printf '[extensions]\n\tobjectFormat = sha256\n' >>config]],
  ["refs in tables"] = [[printf '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trefStorage = reftable\n' >>config]],
  ["attributes outside"] = [[git config core.attributesFile ]] .. REPO .. "/../secret.txt",
  ["files to leave out, outside"] = [[git config core.excludesFile ]] .. REPO .. "/../secret.txt",
  ["bundles elsewhere"] = [[git config fetch.bundleURI file://]] .. REPO .. "/bundle; git config transfer.bundleURI true",
  ["a remote that is ..,"] = [[printf '[remote ".."]\n\turl = ]] .. REPO .. [[\n\tfetch = +refs/heads/*:refs/heads/*\n' >>config]],
  ["a branch that follows another repository"] = [[git config branch.main.remote ]] .. REPO ..
    "; git config branch.main.merge refs/heads/main",
  ["two URLs of its remote"] = [[git config --add remote.origin.url ]] .. REPO,
  ["a URL with an option"] = [[git config remote.origin.url 'ssh://-oProxyCommand=touch REACHED/x']],
  ["a user with an option"] = [[git config remote.origin.url 'a@-oProxyCommand=touch:x']],
  ["a mirror"] = [[git config remote.origin.mirror true; git config remote.origin.prune true]],
  ["a setting of a megabyte"] = [[{ printf '[x]\n\ty = '; head -c 1000000 /dev/zero | tr '\0' c; } >>config]],
  ["settings without an end"] = [[printf '[remote "x' >>config]],
  ["a deep section"] = [[{ printf '['; head -c 100000 /dev/zero | tr '\0' .; printf ']\n'; } >>config]],
  ["only some of its files"] = [[git config core.sparseCheckout true; mkdir -p info; echo '/../*' >info/sparse-checkout]],
  ["submodules it already has"] = [[mkdir -p modules/x && git init -q --bare modules/x && git config submodule.x.url ]] .. REPO ..
    [[ && git config submodule.x.update '!touch REACHED' && git config submodule.recurse true]],
  ["a promise by another repository"] = [[git config extensions.partialClone evil; git config remote.evil.url ]] .. REPO ..
    "; git config remote.evil.promisor true",
} do
  both("a repository with " .. what, line)
end

outside.run()

-- Many in one engine: some repositories take it a second.
for from = 1, #made, 24 do
  local list, allow, first, code = table.move(made, from, math.min(from + 23, #made), 1, {}), {}, {}, {}
  for i, one in ipairs(list) do allow[i], first[i], code[i] = one.allow, one.first, one.code end
  for _, one in ipairs(list) do one.code = USE .. one.code end
  outside.together(list, { allow = table.concat(allow, " "), first = table.concat(first, " &&\n"),
    code = USE .. table.concat(code) })
end

return test.finish()
