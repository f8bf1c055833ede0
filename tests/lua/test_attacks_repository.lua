-- A permitted repository outside the folder, outside/user, of which the script has a private clone: attacks on it, and
-- on the user, through what the script does to the clone or what the repository says (attacks_outside.lua).

local test = require "harness"
local attacks = require "attacks"
local outside = require "attacks_outside"

local sh = attacks.sh
local USER, REPO = reg.fs.absolute "outside/user", reg.fs.absolute "outside/repo"
local ALLOW = "git=" .. USER .. " git=repo"

-- Everything that a script can ask of a repository. It goes on where it is refused.
local USE = ([[
local function try(f, ...) local ok, what = pcall(f, ...) if ok then return what end print(what) end
local function use(repo)
  for _, commit in ipairs(try(repo.log, repo, {}) or {}) do print(commit.message) end
  print(try(repo.read, repo, "HEAD", "file"), try(repo.branches, repo), try(repo.tags, repo))
  try(repo.fetch, repo)
  local tree = try(repo.worktree, repo, "tree")
  for _, how in ipairs { {}, { patch = "p.diff" }, { files = { file = "mine" } }, { submodules = true } } do
    if tree then try(tree.checkout, tree, "origin/main", how) end
  end
  try(repo.revert, repo, "HEAD", "HEAD")
  try(repo.apply, repo, "HEAD", "HEAD~1")
  if tree then try(tree.remove, tree) end
end
local function open() return try(reg.git.open, "%s") end
]]):format(USER)
local PATCH = "printf -- '--- /dev/null\\n+++ b/new\\n@@ -0,0 +1 @@\\n+new\\n' >p.diff && "

-- What a permitted program does to the private clone while the script has it open; then both go on, and once more from
-- the beginning.
for what, line in pairs {
  ["its objects as a link"] = "rm -rf objects && ln -s USER/.git/objects objects",
  ["its packs as a link"] = "rm -rf objects/pack && ln -s USER/.git/objects/pack objects/pack",
  ["one of its folders of objects as a link"] = "for name in USER/.git/objects/??; do " ..
    "rm -rf objects/${name##*/} && ln -s $name objects; done",
  ["objects/info as a link"] = "rm -rf objects/info && ln -s USER/.git/objects/info objects/info",
  ["its refs as a link"] = "rm -rf refs && ln -s USER/.git/refs refs",
  ["its heads as a link"] = "rm -rf refs/heads refs/remotes && ln -s USER/.git/refs/heads USER/.git/refs/remotes refs",
  ["its replayed commits as a link"] = "rm -rf refs/regengine && ln -s USER/.git/refs refs/regengine",
  ["its worktrees as a link"] = "rm -rf worktrees && ln -s USER/.git worktrees",
  ["its packed refs as a link"] = "ln -sf USER/.git/packed-refs packed-refs",
  ["its HEAD as a link"] = "ln -sf USER/.git/HEAD HEAD",
  ["its configuration as a link"] = "ln -sf USER/.git/config config",
  ["its shallow file as a link"] = "ln -sf USER/.git/new shallow",
  ["a common folder"] = "echo USER/.git >commondir",
  ["itself as a link"] = "here=$PWD && cd .. && rm -rf \"$here\" && ln -s USER/.git \"$here\"",
  ["all of them as a link"] = "cd ../.. && rm -rf repos && ln -s USER repos",
  ["itself as a file that leads there"] = "here=$PWD && cd .. && rm -rf \"$here\" && echo 'gitdir: USER/.git' >\"$here\"",
  ["the worktree as the user's"] = "cd ../../.. && rm -rf tree && mkdir tree && echo 'gitdir: USER/.git' >tree/.git",
  ["objects of a repository that is not permitted"] = "echo REPO/.git/objects >objects/info/alternates && " ..
    "echo SECRET >refs/heads/main && rm packed-refs && mkdir -p refs/remotes/origin && " ..
    "echo SECRET >refs/remotes/origin/main",
  ["a core.worktree"] = "git config core.bare false && git config core.worktree USER",
  ["a remote at the user's repository"] = "git config remote.origin.pushurl USER && git config remote.origin.url USER",
  ["a refspec out of the refs"] = "git config remote.origin.fetch " ..
    "'+refs/heads/*:refs/../../../../../../outside/user/.git/refs/heads/*'",
} do
  line = line:gsub("USER", USER):gsub("REPO", REPO):gsub("SECRET", "$(cat \"$WS/secret-commit\")")
  outside.attack("a private clone with " .. what, ALLOW .. " process=sh files=tree/* files=p.diff", USE .. ([[
    local repo = open()
    local run = reg.process.run { shell = "export WS=$PWD && cd .regengine/repos/user-* && { " .. %q .. "\n}" }
    print(run.stdout, run.stderr)
    if repo then use(repo) end
    repo = open()
    if repo then use(repo) end
  ]]):format(line), nil, PATCH .. "git -C ../outside/repo rev-parse HEAD >secret-commit")
end

-- What git would run, if the configuration of either repository counted.
local PROGRAM = "sh -c 'touch " .. reg.fs.absolute "REACHED" .. "'"
local keys = {}
for _, key in ipairs { "core.sshCommand", "core.fsmonitor", "core.gitProxy", "core.editor", "core.pager",
  "core.askPass", "core.alternateRefsCommand", "credential.helper", "uploadpack.packObjectsHook", "diff.external",
  "remote.origin.uploadpack", "filter.x.smudge", "filter.x.clean", "filter.x.process", "gpg.program" } do
  keys[#keys + 1] = ("git config --file \"$CONFIG\" %s \"%s\""):format(key, PROGRAM)
end
local HOOKS = "for hook in pre-auto-gc post-checkout reference-transaction post-merge post-index-change " ..
  "fsmonitor-watchman; do printf '#!/bin/sh\\ntouch " .. reg.fs.absolute "REACHED" .. "\\n' " ..
  ">\"$FOLDER/hooks/$hook\"; chmod +x \"$FOLDER/hooks/$hook\"; done"
local PROGRAMS = table.concat(keys, " && ") .. " && " ..
  "git config --file \"$CONFIG\" core.hooksPath \"$FOLDER/hooks\" && mkdir -p \"$FOLDER/info\" \"$FOLDER/hooks\" && " ..
  "echo '* filter=x diff=x' >\"$FOLDER/info/attributes\" && " .. HOOKS
outside.attack("programs that the user's repository names", ALLOW .. " files=p.diff",
  USE .. "local repo = open() assert(repo) use(repo)", nil,
  PATCH .. "export FOLDER=" .. USER .. "/.git && export CONFIG=$FOLDER/config && " .. PROGRAMS)
outside.attack("programs that an included configuration names", ALLOW .. " files=p.diff",
  USE .. "local repo = open() if repo then use(repo) end", nil,
  PATCH .. "export FOLDER=" .. USER .. "/.git && export CONFIG=" .. reg.fs.absolute "outside/included" .. " && " ..
    PROGRAMS .. " && git config --file $FOLDER/config include.path $CONFIG && " ..
    "git config --file $FOLDER/config includeIf.gitdir:/.path $CONFIG")
outside.attack("programs that the private clone names", ALLOW .. " process=sh files=p.diff", USE .. ([[
  local repo = open()
  assert(reg.process.run { shell = "cd .regengine/repos/user-* && export FOLDER=$PWD CONFIG=$PWD/config && " .. %q }.ok)
  use(repo)
  use(open())
]]):format((PROGRAMS:gsub(reg.fs.absolute "REACHED", reg.fs.absolute "outside/REACHED"))), nil, PATCH .. "true")

-- What a repository that is not permitted would give away, by links in the permitted one.
local OPEN = ([[local repo = reg.git.open "%s" print(repo:log {}[1].message, repo:read("HEAD", "file"))]]):format(USER)
for what, line in pairs {
  ["packs that are a link"] = "rm -rf objects/pack && ln -s REPO/.git/objects/pack objects/pack",
  ["one folder of objects that is a link"] = "rm -rf objects/00 && ln -s REPO/.git/objects/00 objects/00",
  ["all objects as a link"] = "rm -rf objects && ln -s REPO/.git/objects objects && " ..
    "cat REPO/.git/refs/heads/main >refs/heads/main",
  ["a branch that is a link"] = "ln -sf REPO/.git/refs/heads/main refs/heads/main",
  ["a HEAD that is a link"] = "ln -sf REPO/.git/HEAD HEAD",
  ["alternates"] = "echo REPO/.git/objects >objects/info/alternates && cat REPO/.git/refs/heads/main >refs/heads/main",
  ["a shallow file that is a link"] = "ln -s REPO/../secret.txt shallow",
  ["a common folder elsewhere"] = "echo REPO/.git >commondir",
} do
  outside.attack("a permitted repository with " .. what, ALLOW, OPEN, "not permitted: git=",
    "(cd " .. USER .. "/.git && " .. line:gsub("REPO", REPO) .. ")")
end

-- What the script has of it, it has by reading.
for what, code in pairs {
  ["writing into it"] = ([[reg.fs.write("%s/.git/config", "x")]]):format(USER),
  ["removing from it"] = ([[reg.fs.remove("%s/.git/HEAD")]]):format(USER),
  ["a worktree beside it"] = ([[reg.git.open("%s"):worktree("%s-tree")]]):format(USER, USER),
  ["a clone into it"] = ([[reg.git.clone("repo", "%s/new")]]):format(USER),
} do
  outside.attack(what, ALLOW, code, "not permitted: files=/")
end
for _, line in ipairs { "git -C USER commit -q --allow-empty -m x", "git -C USER gc -q", "git -C USER branch x",
  "git -C USER worktree add -q /dev/shm/x", "git -C tree update-ref refs/heads/x HEAD", "touch USER/x",
  "git push -q USER HEAD:refs/heads/x", "git -C tree push -q USER HEAD:refs/heads/x" } do
  outside.attack("a program that tries " .. line, ALLOW .. " process=sh", ([[
    local tree = reg.git.open("%s"):worktree "tree"
    tree:checkout "HEAD"
    reg.process.run { shell = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a " ..
      "GIT_COMMITTER_EMAIL=a@b; " .. %q }
  ]]):format(USER, line:gsub("USER", USER)))
end
sh "rm -rf /dev/shm/x"

outside.run()
return test.finish()
