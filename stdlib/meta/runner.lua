---@meta

--- Besides these it takes the options of reg.container.start, for the container.
---@class runner.Options: container.Settings
---@field folders (string|git.Worktree)[] for builds and tests, each at its own path; commands start in the first
---@field image? string run in one container of this image, kept until close; on the host when absent
---@field env? table<string, string> variables every command gets
---@field options? options.Values of reg.options { "container" }; they override the others

--- Runs the builds and tests of worktrees.
---@class runner.Runner
---@field folder string the folder that commands start in
---@field env? table<string, string>
---@field container? container.Container
local Runner = {}

--- Makes a runner of commands: on the host, or in a container that is kept between measurements and has every folder at
--- its own path. Close it, or declare it `<close>`. Where a sweep measures two commits in turn that take long to build,
--- there is a second place for builds: a second worktree beside each of `folders`, which commands in it see at the path
--- of the first one, by a mount of their own or in a second container. A line says why where that cannot be. Raises as
--- reg.container.start does, and usage for `options` that need a container if `image` is missing.
--- ```lua
--- local runner <close> = reg.runner { folders = { "/src/xla" }, image = "ubuntu:24.04" }
--- ```
---@param options runner.Options
---@return runner.Runner runner
function reg.runner(options) end

--- The options of trial:build, trial:run and trial:passes for a command. The timeout is in seconds or a string, "1h".
--- It raises nothing.
--- ```lua
--- trial:build(runner:command("make -s", "20m"))
--- ```
---@param command string|string[] a shell line, or a list of words
---@param timeout? number|string
---@return sweep.TrialCommand options
function Runner:command(command, timeout) end

--- Runs a command outside of a trial, where the runner runs all of them. Raises failed_trial if it fails.
--- ```lua
--- local runner <close> = reg.runner { folders = { "." } }
--- runner:run("make inputs", "10m")
--- ```
---@param command string|string[]
---@param timeout? number|string seconds, or such as "10m"
---@return process.Result run
function Runner:run(command, timeout) end

--- Builds in a trial as the options of a script say: the command --build, with the files of --artifact, and then the
--- check --check-build with --says. Without --build it only checks. Raises what Trial:build and Trial:check_build
--- raise.
--- ```lua
--- runner:build(trial, opt)
--- ```
---@param trial sweep.Trial
---@param opt options.Values build, artifact, check_build, says and timeout
function Runner:build(trial, opt) end

--- Removes the container if there is one. A second close does nothing.
--- ```lua
--- runner:close()
--- ```
function Runner:close() end

--- Several repositories side by side, each with a worktree that stays at one path, so that incremental builds stay
--- incremental.
---@class repos.Repos
---@field names string[] in the order given
---@field repos table<string, git.Repo> by name
---@field trees table<string, git.Worktree> by name
local Repos = {}

--- The state of several repositories: a subject for a sweep. Repos:between and Repos:hours return them. It also has the
--- fields of the commit that it adds to the state before it.
---@class repos.State: git.Commit
---@field id string one id for all commits
---@field label string short id of the commit; of Repos:hours the end of the hour
---@field commits table<string, git.Commit> by repository
---@field repo? string the repository of the commit that it adds

--- Opens the repositories of a script's --repo options and makes a worktree for each, FOLDER/NAME. Without a name it is
--- the last part of the path. Close it, or declare it `<close>`. Raises usage for no repository or two with the same
--- name, and as reg.git.open and Repo:worktree do.
--- ```lua
--- local repos <close> = reg.repos { "jax=/src/jax", "xla=/src/xla" }
--- ```
---@param words string[] "NAME=PATH" or "PATH"
---@param folder? string when absent, a folder below .regengine/worktrees for this set of repositories
---@return repos.Repos repos
function reg.repos(words, folder) end

--- Those of the words whose repositories are in an image, by their names; all of them if none is. The others may be
--- dependencies for reg.descend. A dry run does not look into the image. Raises as reg.container.commits does.
--- ```lua
--- local words = reg.in_image({ "jax=/src/jax", "xla=https://github.com/openxla/xla" }, "ghcr.io/nvidia/jax:latest")
--- ```
---@param words string[] "NAME=PATH" or "NAME=URL"
---@param image string
---@return string[] inside
function reg.in_image(words, image) end

--- Checks out a commit and its submodules in each worktree, or in those of the trial (Trial:worktree). A repository
--- without an entry stays as it is. Raises as Worktree:checkout does.
--- ```lua
--- repos:checkout { jax = "main", xla = "HEAD~3" }
--- ```
---@param commits table<string, string|git.Commit> by name
---@param trial? sweep.Trial
function Repos:checkout(commits, trial) end

--- The environment of builds and tests: REPO_<NAME>, in capitals, is the path of each worktree. It raises nothing.
--- ```lua
--- local runner <close> = reg.runner { folders = repos:folders(), env = repos:env() }
--- ```
---@return table<string, string> env
function Repos:env() end

--- The paths of the worktrees, in the order of the names. It raises nothing.
--- ```lua
--- print(table.concat(repos:folders(), " "))
--- ```
---@return string[] folders
function Repos:folders() end

--- The worktrees, in the order of the names. It raises nothing.
--- ```lua
--- local runner <close> = reg.runner { folders = repos:worktrees(), env = repos:env() }
--- ```
---@return git.Worktree[] trees
function Repos:worktrees() end

--- One id for a set of commits: the commit of a single repository, else "name@commit" of each, separated by spaces.
--- ```lua
--- point.id = repos:id(point.commits)
--- ```
---@param commits table<string, git.Commit> one for every name
---@return string id
function Repos:id(commits) end

--- The commits of these repositories in an image (see reg.container.commits). Raises not_found if the image lacks one,
--- and as reg.container.commits does.
--- ```lua
--- local good = repos:of_image "ghcr.io/nvidia/jax:jax-2024-03-01"
--- ```
---@param image string
---@return table<string, git.Commit> commits by name
function Repos:of_image(image) end

--- Checks that an image has repositories of these names, before time is spent on it; a dry run does not look. Raises as
--- Repos:of_image does.
--- ```lua
--- repos:check_image "ghcr.io/nvidia/jax:jax-2024-03-01"
--- ```
---@param image string
function Repos:check_image(image) end

--- Every state from one set of commits to another, each with one commit more, by time: subjects for a bisect. The first
--- is `good` itself. Raises as Repo:between does.
--- ```lua
--- local states = repos:between(repos:of_image "app:2024-03-01", repos:of_image "app:2024-03-02")
--- ```
---@param good table<string, git.Commit>
---@param bad table<string, git.Commit>
---@return repos.State[] states
function Repos:between(good, bad) end

--- Of the states of Repos:between, the last of each hour (UTC), labeled with the end of the hour. `good` and `bad` are
--- the first and the last. Raises as Repo:between does.
--- ```lua
--- local hours = repos:hours(repos:of_image "app:2024-03-01", repos:of_image "app:2024-03-02")
--- ```
---@param good table<string, git.Commit>
---@param bad table<string, git.Commit>
---@return repos.State[] states
function Repos:hours(good, bad) end

--- The states of the branch that a merge brought in, from its merge base on. The other repositories stay as they are in
--- `good`. reg.bisect { repo = repos } calls it for a merge that it found. It is nil if `merge` adds no merge.
--- Raises as Repo:between does.
--- ```lua
--- local states = repos:branch(change.lo, change.hi)
--- ```
---@param good repos.State
---@param merge repos.State
---@return repos.State[]? states
function Repos:branch(good, merge) end

--- The files that the commit which a state of Repos:between adds changed, as Repo:files gives them.
--- ```lua
--- for _, file in ipairs(repos:files(change.hi)) do print(file.path) end
--- ```
---@param state repos.State
---@return git.File[] files
function Repos:files(state) end

--- Closes the worktrees; their folders stay. A second close does nothing.
--- ```lua
--- repos:close()
--- ```
function Repos:close() end

---@class test_command.Command
---@field cmd string[]
---@field mounts? table<string, string> the mount that a container needs to run it
local TestCommand = {}

--- How to run a user's test script. In a container its folder is mounted at /dir; on the host it is run by its full
--- path. An executable script runs by its first line, any other by bash, or else by sh. Raises usage for options that
--- contradict each other or that need a container with `runtime = "local"`, and there permission for a path outside the
--- workspace.
--- ```lua
--- local test = reg.test_command("test.sh", { runtime = "docker", env = { "XLA_FLAGS=--xla_gpu_autotune_level=0" } })
--- ```
---@param path string
---@param options? options.Values of reg.options { "container" }
---@return test_command.Command command
function reg.test_command(path, options) end

--- The options of trial:run, and of reg.container.run, to run the test in an image, with all options of the container.
--- The timeout is in seconds or a string, "1h". It raises nothing.
--- ```lua
--- local run = reg.container.run(reg.test_command "test.sh":command("ubuntu:24.04", "10m"))
--- ```
---@param image string
---@param timeout? number|string
---@return container.RunOptions options
function TestCommand:command(image, timeout) end
