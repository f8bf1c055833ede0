-- Holes that were found by attacking, and are closed (attacks_outside.lua).

local test = require "harness"
local outside = require "attacks_outside"

local attack, SECRET = outside.attack, outside.SECRET

local FOUND = "git clone -q repo found && mkdir -p found/.git/objects/info && "
attack("a program by a variable's pattern", "process=*=", [[reg.process.run { cmd = { "./FAST=" } }]],
  "a program's name must not end with '='", "cp evil FAST=")
for _, pattern in ipairs { "*=", "L*", "LD*=", "*" } do
  attack("LD_PRELOAD where " .. pattern .. " is permitted", "process=true process=" .. pattern,
    [[reg.process.run { cmd = { "true" }, env = { LD_PRELOAD = "./evil.so" } }]], "not permitted: process=LD_PRELOAD=")
end
attack("a library whose name matches a program's pattern", "process=true process=t*e",
  [[reg.process.run { cmd = { "true" }, env = { CUDA_INJECTION64_PATH = "tools/eve" } }]],
  "not permitted: process=CUDA_INJECTION64_PATH=")
local COMMITS = [[local all = reg.container.commits(".", { runtime = "local", paths = { "found" } })
  for _, one in pairs(all) do print(one.commit) end]]
attack("a file's first line as a commit", "", COMMITS, "not permitted: process=sh",
  "mkdir -p found/.git && echo 'ref: ../../../outside/secret.txt' > found/.git/HEAD")
attack("the same by a link", "", COMMITS, "not permitted: process=sh",
  "mkdir -p found/.git && ln -s ../../../outside/secret.txt found/.git/HEAD")
attack("a module that is a link", "", [[require "mod" print(TOKEN)]], "not permitted: files=/",
  "echo 'TOKEN = \"" .. SECRET .. "\"' > ../outside/env && ln -s ../outside/env mod.lua")
attack("a module that is a hidden file", "", [[require "mod" print(TOKEN)]], "not permitted: files=.env",
  "echo 'TOKEN = \"" .. SECRET .. "\"' > .env && ln -s .env mod.lua")
attack("a module in a folder that is a link", "", [[require "linked.env" print(TOKEN)]], "not permitted: files=/",
  "echo 'TOKEN = \"" .. SECRET .. "\"' > ../outside/env.lua")
attack("a trace whose file is a link", "", [[reg.trace.read "found"]], "not permitted: files=/",
  "mkdir found && ln -s ../../outside/secret.txt found/1.json")
attack("a dump that is a link", "", [[reg.hlo.read "found"]], "not permitted: files=/",
  "mkdir found && ln -s ../../outside/secret.txt found/module_0001.f.cpu_after_optimizations.txt")
attack("packs that are links", "", [[print(reg.git.open("found"):read("main", "file"))]], "not permitted: git=/",
  FOUND .. "git -C ../outside/repo gc -q && mkdir -p found/.git/objects/pack && " ..
    "ln -s \"$PWD\"/../outside/repo/.git/objects/pack/* found/.git/objects/pack/")
attack("one object that is a link", "", [[reg.git.open "found"]], "not permitted: git=/",
  FOUND .. "mkdir found/.git/objects/00 && ln -s ../../../../../outside/secret.txt found/.git/objects/00/" ..
    ("0"):rep(38))
attack("quoted alternates", "", [[reg.git.open "found"]], "not permitted: git=/",
  FOUND .. "printf '\"%s\"\\n' \"$PWD/../outside/repo/.git/objects\" > found/.git/objects/info/alternates")
local FETCH = [[local repo = reg.git.open "found" repo:fetch { remote = %q } print(repo:read("stolen", "file"))]]
local REMOTE = "[remote \"%s\"]\\n\\turl = $PWD/../outside/repo\\n\\tfetch = +refs/heads/main:refs/heads/stolen\\n"
attack("a remote whose name is a permitted URL", "git=https://example.invalid/*",
  FETCH:format "https://example.invalid/x",
  "not permitted: unboxed=sh", FOUND .. "printf \"" .. REMOTE:format("https://example.invalid/x"):gsub('"', '\\"') ..
    "\" >> found/.git/config")
attack("a remote of a worktree's configuration", "git=repo", FETCH:format "repo", "not permitted: unboxed=sh",
  FOUND .. "git -C found config extensions.worktreeConfig true && printf \"" .. REMOTE:format("repo"):gsub('"', '\\"') ..
    "\" > found/.git/config.worktree")
attack("a remote in .git/remotes", "git=repo", FETCH:format "repo", "not permitted: unboxed=sh", FOUND ..
  "mkdir found/.git/remotes && printf 'URL: %s\\nPull: +refs/heads/main:refs/heads/stolen\\n' " ..
    "\"$PWD/../outside/repo\" > found/.git/remotes/repo")
attack("what a partial clone lacks", "git=found", [[reg.git.open "found":worktree "tree":checkout "main"]],
  "not permitted: git=https://evil.invalid/x", FOUND .. "git -C found config extensions.partialClone evil && " ..
    "git -C found config remote.evil.url https://evil.invalid/x")

outside.run()
return test.finish()
