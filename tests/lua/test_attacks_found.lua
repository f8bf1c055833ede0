-- Foreign files beside a script: repositories, links and pipes (attacks_outside.lua), and holes that were found by
-- attacking and are closed.

local test = require "harness"
local attacks = require "attacks"
local outside = require "attacks_outside"

local attack, sh = outside.attack, attacks.sh

-- --- repositories
local function found(more)
  return "git clone -q repo found && mkdir -p found/.git/objects/info found/.git/info && " .. more
end
local OPEN = [[local repo = reg.git.open "found" print(#repo:log {}, repo:read("main", "file"))]]
for what, more in pairs {
  ["a common folder outside"] = "rm -rf found && mkdir -p found/.git && echo 'ref: refs/heads/main' > found/.git/HEAD && " ..
    "echo ../../../outside/repo/.git > found/.git/commondir",
  ["the same by its whole path"] = "rm -rf found && mkdir -p found/.git && echo 'ref: refs/heads/main' > found/.git/HEAD && " ..
    "echo \"$PWD/../outside/repo/.git\" > found/.git/commondir",
  ["itself as a link"] = "rm -rf found && ln -s ../outside/repo found",
  ["a .git file that leads outside"] = "rm -rf found/.git && echo 'gitdir: ../../outside/repo/.git' > found/.git",
  ["alternates as a link"] = "echo x > ../outside/alternates && " ..
    "ln -sf ../../../../../outside/alternates found/.git/objects/info/alternates",
  ["alternates of alternates"] = "mkdir -p other/info && echo \"$PWD/../outside/repo/.git/objects\" > other/info/alternates && " ..
    "echo ../../../other > found/.git/objects/info/alternates",
  ["relative alternates"] = "echo ../../../../outside/repo/.git/objects > found/.git/objects/info/alternates",
  ["alternates behind a comment"] =
    "printf '# x\\n\\n%s\\n' \"$PWD/../outside/repo/.git/objects\" > found/.git/objects/info/alternates",
  ["quoted alternates"] =
    "printf '\"%s\"\\n' \"$PWD/../outside/repo/.git/objects\" > found/.git/objects/info/alternates",
  ["packs that are links"] = "git -C ../outside/repo gc -q && mkdir -p found/.git/objects/pack && " ..
    "ln -s \"$PWD\"/../outside/repo/.git/objects/pack/* found/.git/objects/pack/",
  ["one object that is a link"] = "mkdir found/.git/objects/00 && " ..
    "ln -s ../../../../../outside/secret.txt found/.git/objects/00/" .. ("0"):rep(38),
  ["a configuration that is a link"] = "cp found/.git/config ../outside/config && ln -sf ../../../outside/config found/.git/config",
  ["a HEAD that is a link"] = "cp found/.git/HEAD ../outside/head && ln -sf ../../../outside/head found/.git/HEAD",
  ["a deep ref as a link"] = "mkdir -p found/.git/refs/heads/a/b && " ..
    "ln -s ../../../../../../../outside/secret.txt found/.git/refs/heads/a/b/c",
  ["a worktree outside by core.worktree"] = "git -C found config core.worktree ../../../outside/repo",
} do
  attack("a repository with " .. what, "", OPEN, "not permitted: git=/", found(more))
end
-- What of it is a link, and where that leads.
for path, target in pairs { [""] = "repo/.git", ["/objects"] = "repo/.git/objects", ["/refs"] = "repo/.git/refs",
  ["/refs/heads/main"] = "repo/.git/refs/heads/main", ["/packed-refs"] = "secret.txt",
  ["/objects/00"] = "", ["/objects/pack"] = "", ["/objects/info"] = "", ["/index"] = "secret.txt", ["/logs"] = "",
  ["/refs/remotes"] = "", ["/refs/tags/v1"] = "secret.txt", ["/worktrees"] = "", ["/modules"] = "", ["/shallow"] = "secret.txt",
  ["/info/exclude"] = "secret.txt" } do
  local up = ("../"):rep(2 + select(2, path:gsub("/", "")))
  attack("a repository whose .git" .. path .. " is a link", "", OPEN, "not permitted: git=",
    found(("rm -rf found/.git%s && mkdir -p $(dirname found/.git%s) && ln -s %soutside/%s found/.git%s")
      :format(path, path, up, target, path)))
end
local FETCH = [[reg.git.open("found"):fetch()]]
for _, setting in ipairs { "core.gitProxy ./evil", "core.askPass ./evil", "core.editor ./evil", "core.pager ./evil",
  "core.alternateRefsCommand ./evil", "diff.external ./evil", "diff.x.textconv ./evil", "diff.x.command ./evil",
  "merge.x.driver ./evil", "gpg.program ./evil", "filter.x.process ./evil", "filter.x.clean ./evil", "alias.fetch !./evil",
  "includeIf.gitdir:/.path /dev/null", "submodule.x.update !./evil", "remote.origin.vcs evil", "CORE.SSHCOMMAND ./evil",
  "remote.origin.receivepack ./evil", "remote.origin.proxy http://evil.invalid", "http.proxy http://evil.invalid",
  "credential.https://evil.invalid.helper !./evil" } do
  attack("a fetch with " .. setting, "git=*", FETCH, "not permitted: unboxed=sh",
    found("git -C found config " .. setting:gsub("%S+", "'%0'")))
end
attack("a URL that the repository rewrites", "git=https://example.invalid/*", FETCH, "not permitted: git=/",
  found "git -C found remote set-url origin https://example.invalid/x && " ..
    "git -C found config \"url.$PWD/../outside/repo.insteadOf\" https://example.invalid/x")
attack("a remote's helper program", "git=*", FETCH, "names a helper program",
  found "git -C found remote set-url origin 'ext::sh -c \"touch REACHED\"'")
attack("a remote with .. in it", "git=https://example.invalid/good/*", FETCH, "has '..' in it",
  found "git -C found remote set-url origin https://example.invalid/good/../x")
local STEAL = [[local repo = reg.git.open "found" repo:fetch { remote = %q } print(repo:read("stolen", "file"))]]
local REMOTE = [[printf "[remote \"%s\"]\n\turl = $PWD/../outside/repo\n]] ..
  [[\tfetch = +refs/heads/main:refs/heads/stolen\n" >>found/.git/]]
attack("a remote whose name is a permitted URL", "git=https://example.invalid/*",
  STEAL:format "https://example.invalid/x", "not permitted: unboxed=sh",
  found(REMOTE:format "https://example.invalid/x" .. "config"))
attack("a remote of a worktree's configuration", "git=repo", STEAL:format "repo", "not permitted: unboxed=sh",
  found("git -C found config extensions.worktreeConfig true && " .. REMOTE:format "repo" .. "config.worktree"))
attack("a remote in .git/remotes", "git=repo", STEAL:format "repo", "not permitted: unboxed=sh",
  found [[mkdir found/.git/remotes && printf 'URL: %s\nPull: +refs/heads/main:refs/heads/stolen\n' \
    "$PWD/../outside/repo" > found/.git/remotes/repo]])
attack("what a partial clone lacks", "git=found", [[reg.git.open "found":worktree "tree":checkout "main"]],
  "not permitted: git=https://evil.invalid/x", found("git -C found config extensions.partialClone evil && " ..
    "git -C found config remote.evil.url https://evil.invalid/x"))
attack("a remote that is an option", "git=*", FETCH, "begins with '-'",
  found "git -C found config remote.origin.url '--upload-pack=touch REACHED'")
attack("a remote with a line break", "git=*", FETCH, "control character",
  found "git -C found config remote.origin.url \"$(printf 'a\\nb')\"")
for _, url in ipairs { "ext::sh", "ftp+x::y", "a::", "-u", "--config=x", "a\nb", "a\0b", "https://h/a/%2e./b",
  "h:a/../b", "https://h\\..\\x" } do
  attack(("a clone of %q"):format(url), "git=* files=*", ("reg.git.clone(%q, 'x')"):format(url), "")
end
for _, revision in ipairs { "../../../outside/repo/.git/HEAD", "refs/../../../outside/repo/.git/HEAD",
  "main:../../outside/secret.txt", "../../outside/secret.txt", "main:/etc/passwd" } do
  attack("the revision " .. revision, "", ("assert(reg.git.open 'repo':find(%q))"):format(revision), "assertion failed")
end
for _, path in ipairs { "../../outside/secret.txt", "/etc/passwd", ".git/config" } do
  attack("the text of " .. path .. " in a commit", "", ("assert(reg.git.open 'repo':read('main', %q))"):format(path),
    "assertion failed")
end
for _, path in ipairs { "../../outside/new", "../x", ".git/hooks/x", ".git", "a/../../x", "/abs", ".Git/x",
  "GIT~1/x" } do
  attack("the text of " .. path .. " at a checkout", "git=repo",
    ("reg.git.open 'repo':worktree 'tree':checkout('main', { files = { [%q] = 'x' } })"):format(path),
    "no file '" .. path .. "' in the commit")
end
local SWITCH = [[local tree = reg.git.open "found":worktree "tree" tree:checkout "one" tree:checkout "two"]]
attack("a folder of a commit that was a link in the one before", "git=found", SWITCH, nil,
  found("cd found && ln -s ../../outside d && git add d && git commit -qm 1 && git branch one && git rm -q d && " ..
    "mkdir d && echo x > d/new && git add d && git commit -qm 2 && git branch two"))
attack("a hook in a commit's tree", "git=found", SWITCH, "invalid path '.git/",
  found [[cd found && blob=$(printf x | git hash-object -w --stdin) &&
  hooks=$(printf "100755 blob $blob\tpost-checkout\n" | git mktree) &&
  bytes=$(printf %s "$hooks" | sed 's/../\\x&/g') &&
  tree=$({ printf '40000 .git\0' && env printf "$bytes"; } | git hash-object -t tree --literally -w --stdin) &&
  git branch one main && git branch two "$(git commit-tree "$tree" -m x)"]])
attack("a folder that says that it is a worktree", "git=repo", [[reg.git.open "repo":worktree "mine"]],
  "no longer knows", "mkdir mine && echo 'gitdir: /nowhere/.git/worktrees/mine' > mine/.git && touch mine/file")
local SUBMODULES = [[reg.git.open "found":worktree "tree":checkout("main", { submodules = true })]]
attack("submodules that nobody permitted", "git=found", SUBMODULES, "not permitted: git=submodules",
  found "cd found && printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = ../../outside/repo\\n' > .gitmodules && " ..
    "git add .gitmodules && git commit -qm 1")
for what, more in pairs {
  ["a URL that is a helper"] = [[url = "ext::sh -c 'touch REACHED'"]],
  ["a URL that is an option"] = [[url = "--upload-pack=touch REACHED"]],
  ["a command as its update"] = "url = ../repo\\n\\tupdate = \"!touch REACHED\"" } do
  attack("a submodule with " .. what, "git=found git=submodules", SUBMODULES, "",
    found "cd found && printf '[submodule \"x\"]\\n\\tpath = x\\n\\t" .. more:gsub("'", "'\\''") ..
      "\\n' > .gitmodules && git update-index --add --cacheinfo \"160000,$(git rev-parse HEAD),x\" && " ..
      "git add .gitmodules && git commit -qm 1")
end

-- --- stores, and the files beside them
for _, name in ipairs { "-wal", "-shm", "-journal", ".lock" } do
  for _, target in ipairs { "secret.txt", "new" } do
    attack("a link to outside/" .. target .. " as a store's " .. name, "",
      [[pcall(function() local s <close> = reg.store.open "new.db" s:begin { name = "n" } end) error "to its end"]],
      "to its end", "ln -s ../outside/" .. target .. " new.db" .. name)
  end
end
for _, path in ipairs { ".git/x.db", ".ssh/x.db", "repo/.git/x.db", "linked/x.db" } do
  attack("a store at " .. path, "", ("reg.store.open(%q)"):format(path), "not permitted: files=", "mkdir -p .git .ssh")
end
-- --- files and programs
for _, pattern in ipairs { "*=", "L*", "LD*=", "*" } do
  attack("LD_PRELOAD where " .. pattern .. " is permitted", "process=true process=" .. pattern,
    [[reg.process.run { cmd = { "true" }, env = { LD_PRELOAD = "./evil.so" } }]], "not permitted: process=LD_PRELOAD=")
end
attack("a program by a variable's pattern", "process=*=", [[reg.process.run { cmd = { "./FAST=" } }]],
  "a program's name must not end with '='", "cp evil FAST=")
attack("a library whose name matches a program's pattern", "process=true process=t*e",
  [[reg.process.run { cmd = { "true" }, env = { CUDA_INJECTION64_PATH = "tools/eve" } }]],
  "not permitted: process=CUDA_INJECTION64_PATH=")
for what, made in pairs { ["a file's first line"] = "echo 'ref: ../../../outside/secret.txt' >",
  ["a link's first line"] = "ln -s ../../../outside/secret.txt" } do
  attack(what .. " as a commit", "", [[
    local all = reg.container.commits(".", { runtime = "local", paths = { "found" } })
    for _, one in pairs(all) do print(one.commit) end]], "not permitted: process=sh",
    "mkdir -p found/.git && " .. made .. " found/.git/HEAD")
end
local TOKEN = "echo 'TOKEN = \"" .. outside.SECRET .. "\"' > "
for what, row in pairs {
  ["a link"] = { "mod", "files=/", "../outside/env && ln -s ../outside/env mod.lua" },
  ["a hidden file"] = { "mod", "files=.env", ".env && ln -s .env mod.lua" },
  ["in a folder that is a link"] = { "linked.env", "files=/", "../outside/env.lua" },
} do
  attack("a module that is " .. what, "", ("require %q print(TOKEN)"):format(row[1]), "not permitted: " .. row[2],
    TOKEN .. row[3])
end
attack("a trace whose file is a link", "", [[reg.trace.read "found"]], "not permitted: files=/",
  "mkdir found && ln -s ../../outside/secret.txt found/1.json")
attack("a dump that is a link", "", [[reg.hlo.read "found"]], "not permitted: files=/",
  "mkdir found && ln -s ../../outside/secret.txt found/module_0001.f.cpu_after_optimizations.txt")
attack("results among which is a link", "", [[reg.results.analyze { files = reg.results.files "found" }]],
  "not permitted: files=/", "mkdir found && ln -s ../../outside/secret.txt found/x.jsonl")

-- --- a pipe that nobody writes to: two Ctrl-C end what waits for it
test("pipes do not keep an engine that gets SIGINT twice", function()
  local scripts = { read = [[reg.fs.read "pipe"]], require = [[require "pipe"]], suite = [[reg.suite.load "pipe"]],
    results = [[reg.results.analyze { files = { "pipe" } }]], import = [[reg.results.import { files = { "pipe" }, into = "i.db" }]],
    store = [[reg.store.open "pipe.db"]], trace = [[reg.trace.read "pipes"]] }
  sh [[rm -rf pipes.ws && mkdir -p pipes.ws/pipes && cd pipes.ws && mkfifo pipe pipe.lua pipe.db pipes/1.json]]
  local names = {}
  for name, code in pairs(scripts) do
    reg.fs.write("pipes.ws/" .. name .. ".lua", "print 'begun' " .. code)
    names[#names + 1] = name
  end
  local ended = reg.process.run { cwd = "pipes.ws", timeout_s = 300,
    env = { XDG_STATE_HOME = reg.fs.absolute "nobody" },
    shell = "pids=\nfor name in " .. table.concat(names, " ") .. [[; do
      "$REGENGINE" $name.lua > $name.out 2>&1 < /dev/null & pids="$pids $!"
      until [ -s $name.out ]; do sleep 0.05; done
    done
    kill -INT $pids; sleep 0.5; kill -INT $pids 2> /dev/null
    wait $pids || true
    echo all ended]] }
  test.truthy(not ended.timed_out and ended.stdout:find "all ended", ended.stderr)
end)

outside.run()
return test.finish()
