-- Where builds and tests run: reg.runner, reg.repos and reg.test_command, and the commits that a bisect walks.

local test = require "harness"
local real_git = require "real_git"

local git, new_repo = real_git.git, real_git.new_repo

local NOON <const> = reg.time.parse "2024-03-01T12:00"

local function commit(folder, text, minutes) return real_git.commit(folder, "version", text, NOON + 60 * minutes) end

new_repo "xla"
new_repo "jax"
local x = { commit("xla", "x1", 0), commit("xla", "x2", 70), commit("xla", "x3", 80) }
local j = { commit("jax", "j1", 5), commit("jax", "j2", 75) }

test("repositories lie side by side, and go where they are told", function()
  local repos <close> = reg.repos({ "xla=xla", "the-jax=jax" }, "trees")
  test.equal(repos.names, { "xla", "the-jax" })
  local folders = { reg.fs.absolute "trees/xla", reg.fs.absolute "trees/the-jax" }
  test.equal(repos:folders(), folders)
  test.equal(repos:env(), { REPO_XLA = folders[1], REPO_THE_JAX = folders[2] })
  repos:checkout { xla = x[2], ["the-jax"] = repos.repos["the-jax"]:resolve "main~1" }
  test.equal({ reg.fs.read "trees/xla/version", reg.fs.read "trees/the-jax/version" }, { "x2", "j1" })
  repos:checkout { xla = "main" }
  test.equal({ reg.fs.read "trees/xla/version", reg.fs.read "trees/the-jax/version" }, { "x3", "j1" })
  repos:close()
  test.raises("the object is closed", function() repos.trees.xla:head() end)
end)

test("a repository without a name has its folder's; none, or two of a name, are refused", function()
  local repos <close> = reg.repos({ "xla/" }, "lone")
  test.equal(repos.names, { "xla" })
  test.refuses("usage", reg.repos, { { "no repository given", {} },
    { "two repositories have the name 'xla'", { "xla", "xla=jax" }, "twice" } })
end)

local function labels(states)
  return test.map(states, function(state) return state.repo and state.repo .. " " .. state.subject or state.label end)
end

test("states between two sets of commits go by the commits' times, one commit further each", function()
  local repos <close> = reg.repos({ "xla", "jax" }, "between")
  local good = { xla = repos.repos.xla:resolve(x[1]), jax = repos.repos.jax:resolve(j[1]) }
  local bad = { xla = repos.repos.xla:resolve(x[3]), jax = repos.repos.jax:resolve(j[2]) }
  local states = repos:between(good, bad)
  test.equal({ #states, states[1].id }, { 4, "xla@" .. x[1]:sub(1, 12) .. " jax@" .. j[1]:sub(1, 12) })
  test.equal(states[1].id, repos:id(good))
  test.equal({ labels(states)[2], labels(states)[3], labels(states)[4] }, { "xla x2", "jax j2", "xla x3" })
  test.equal({ states[3].commits.xla.id, states[3].commits.jax.id }, { x[2], j[2] })
  test.equal({ states[4].id, repos:files(states[3])[1].path, #repos:files(states[3]) }, { repos:id(bad), "version", 1 })

  local hours = repos:hours(good, bad)  -- 12:00 good; 13:10, 13:15 and 13:20 in one hour
  test.equal({ #hours, hours[2].id, hours[2].label }, { 2, repos:id(bad), "2024-03-01T14:00:00Z" })
end)

test("the branch of a merge has the other repositories as they are at the merge", function()
  new_repo "merged"
  local base = commit("merged", "m1", 0)
  git("merged", "checkout", "-q", "-b", "side")
  local side = commit("merged", "m2", 1)
  git("merged", "checkout", "-q", "main")
  git("merged", "merge", "-q", "--no-ff", "-m", "the merge", "side")
  local repos <close> = reg.repos({ "merged", "jax" }, "branch")
  local commits = { merged = repos.repos.merged:resolve "main", jax = repos.repos.jax:resolve(j[1]) }
  local merge = { repo = "merged", parents = commits.merged.parents, commits = commits }
  local states = repos:branch(merge)
  test.equal({ #states, states[1].commits.merged.id, states[2].commits.merged.id }, { 2, side, commits.merged.id })
  test.equal({ states[1].commits.jax.id, states[2].commits.jax.id, states[2].repo }, { j[1], j[1], "merged" })
  test.equal(states[2].id, repos:id(commits))
  local first = repos:with(merge, base)
  test.equal({ first.commits.merged.id, first.commits.jax.id, first.short }, { base, j[1], base:sub(1, 10) })
end)

test("the commits of an image are those of these repositories", function()
  reg.fs.mkdir "image/opt"
  for _, name in ipairs { "xla", "jax" } do git(".", "clone", "-q", name, "image/opt/" .. name) end
  reg.container.use { runtime = "local" }
  local repos <close> = reg.repos({ "xla", "jax" }, "of_image")
  local inside = repos:of_image "image"
  test.equal({ inside.xla.id, inside.jax.id }, { x[3], j[2] })
  repos:check_image "image"
  local other <close> = reg.repos({ "tensor=xla" }, "of_image_too")
  test.raises("no repository 'tensor' in the image", function() other:check_image "image" end, "not_found")
  local why = test.raises("no repository 'tensor' in the image", function() other:of_image "image" end, "not_found")
  test.has(why.hint, "a name from the image: jax, xla")
end)

test("a place runs commands in the first folder, with its variables, also outside of a trial", function()
  local repos <close> = reg.repos({ "xla", "jax" }, "place")
  repos:checkout { xla = x[1], jax = j[1] }
  local runner <close> = reg.runner { folders = repos:folders(), env = repos:env() }
  local run = reg.process.run(runner:command("cat version \"$REPO_JAX/version\"", "1m"))
  test.equal({ run.stdout, reg.process.run(runner:command { "cat", "version" }).stdout }, { "x1j1", "x1" })
  test.equal(reg.process.run(runner:command("sleep 60", 0.1)).timed_out, true)
  test.equal(runner:run("cat version \"$REPO_JAX/version\"", "1m").stdout, "x1j1")
  test.raises("'exit 3' failed with exit code 3", function() runner:run "exit 3" end, "failed_trial")
  runner:close()
  runner:close()
end)

test("a commit that is measured again is built again only if another one was built since", function()
  local repos <close> = reg.repos({ "xla", "jax" }, "kept")
  local runner <close> = reg.runner { folders = repos:folders(), env = repos:env() }
  local builds, tests, said = 0, 0, {}
  local series = reg.sweep({ x[1], x[3] }, { into = "kept.db", flaky = true, max_error = 1e-6,
    build = function(id, trial)
      builds = builds + 1
      repos:checkout({ xla = id, jax = j[1] }, trial)
      trial:build(runner:command "sleep 0.2; cp version built; cp version ../jax/built")
    end,
    passes = function(id, trial)
      tests = tests + 1
      said[id .. trial:run(runner:command "echo $(cat version built ../jax/built)").stdout] = true
      return id == x[1] or tests % 2 == 0
    end })
  test.equal({ series.verdict, series.changes[1].first_bad }, { "changes", x[3] })
  test.equal(said, { [x[1] .. "x1x1x1\n"] = true, [x[3] .. "x3x3x3\n"] = true })
  test.truthy(builds <= tests / 2, builds .. " builds for " .. tests .. " tests")
end)

test("a place has the variables, GPUs and working directory of a command line, and refuses what needs a container",
  function()
    reg.fs.mkdir "host/sub"
    local function output(options)
      local runner <close> = reg.runner { folders = { reg.fs.absolute "host" }, env = { A = "own", B = "own" },
        options = options }
      return reg.process.run(runner:command 'echo "$A $B $CUDA_VISIBLE_DEVICES ${PWD##*/}"').stdout
    end
    test.equal(output {}, "own own  host\n")
    test.equal(output { env = { "A=line" }, gpus = "0,1", workdir = "sub" }, "line own 0,1 sub\n")
    test.equal(output { mount = { "host" }, input = { reg.fs.absolute "host/sub" } }, "own own  host\n")
    test.refuses("usage", output, { { "--mount host:/data: needs a container", { mount = { "host:/data" } } },
      { "--input: mounted twice", { mount = { "host" }, input = { reg.fs.absolute "host" } } } })
  end)

test("a test script runs by its first line where it is executable, else by a shell, and gets its arguments", function()
  reg.fs.mkdir "tests"
  reg.fs.write("plain.sh", "echo plain $1\n")
  reg.fs.write("own.sh", "#!/bin/echo\n")
  assert(reg.process.run({ cmd = { "chmod", "+x", "own.sh" } }).ok)
  local function run(file)
    local command = reg.test_command(file, { runtime = "local" })
    test.equal(command.mounts, nil)
    table.insert(command.cmd, "word")
    return reg.process.run({ cmd = command.cmd }).stdout
  end
  test.equal(run "plain.sh", "plain word\n")
  test.equal(run "own.sh", reg.fs.absolute "own.sh" .. " word\n")
  local inside = reg.test_command("tests/bench.sh", { runtime = "docker" })
  test.equal({ inside.mounts, inside.cmd[#inside.cmd] }, { { tests = "/dir" }, "/dir/bench.sh" })
  test.equal(reg.test_command("bench.sh", { runtime = "podman" }).mounts, { ["."] = "/dir" })
end)

test("the history of a bisect is the line from the good commit to the bad one, both in it", function()
  local repo = reg.git.open "xla"
  test.equal(test.map(reg.history(repo, x[1], "main"), "id"), x)
  test.raises("are the same commit", function() reg.history(repo, "main", x[3]) end, "usage")
  local why = test.raises("is not an ancestor of the bad", function() reg.history(repo, "main", x[1]) end, "usage")
  test.has(why.hint, "Swap the two")
  test.raises("nowhere", function() reg.history(repo, "nowhere", "main") end, "not_found")
  git("xla", "checkout", "-q", "--orphan", "other")
  commit("xla", "of its own", 90)
  test.raises("is not an ancestor of the bad", function() reg.history(repo, "other", "main") end, "usage")
  git("xla", "checkout", "-q", "main")
end)

test("the largest change is a step before a dip, and by its ratio either way", function()
  local small, large = { kind = "step", ratio = 0.9 }, { kind = "step", ratio = 1.3 }
  local dip = { kind = "dip", ratio = 0.1 }
  test.equal(reg.largest { changes = { small, dip, large } }, large)
  test.equal(reg.largest { changes = { dip } }, dip)
  test.equal(reg.largest { changes = {} }, nil)
end)

return test.finish()
