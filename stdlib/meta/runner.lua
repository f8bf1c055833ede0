---@meta

---@class runner.Options
---@field folders string[] what builds and tests see, each at its own path; commands start in the first
---@field image? string run in one container of it, kept until close; on the host when absent
---@field env? table<string, string> variables every command gets
---@field mounts? table<string, string> further host path -> path inside, with an image
---@field gpus? string "all" or "0,1", with an image
---@field network? string "none", "host" or a network's name, with an image
---@field memory? string the most the container may use, "24g"
---@field shm_size? string size of its /dev/shm, "1g"

--- Where builds and tests of worktrees run.
---@class runner.Runner
---@field folder string where commands start
---@field env? table<string, string>
---@field container? container.Container
local Runner = {}

--- Makes a place where commands run: the host, or a container that is kept between measurements and sees every folder at its own
--- path. Close it, or declare it `<close>`. Raises as reg.container.start does.
--- ```lua
--- local runner <close> = reg.runner { folders = { "/src/xla" }, image = "ubuntu:24.04" }
--- ```
---@param options runner.Options
---@return runner.Runner runner
function reg.runner(options) end

--- The options with which trial:build, trial:run and trial:passes run a command there. The time-out is seconds or a text, "1h".
--- It raises nothing.
--- ```lua
--- trial:build(runner:command("make -s", "20m"))
--- ```
---@param command string|string[] a line for the shell, or a list of words
---@param timeout? number|string
---@return sweep.TrialCommand options
function Runner:command(command, timeout) end

--- Removes the container, where there is one. Closing twice does nothing.
--- ```lua
--- runner:close()
--- ```
function Runner:close() end

--- Several repositories side by side, each with a worktree that stays at one path, so that incremental builds stay incremental.
---@class repos.Repos
---@field names string[] in the order given
---@field repos table<string, git.Repo> by name
---@field trees table<string, git.Worktree> by name
local Repos = {}

--- The state of several repositories: what Repos:between and Repos:hours list, subjects for a sweep. It has the fields of the
--- commit that was added last, too.
---@class repos.State: git.Commit
---@field id string one id for all commits
---@field label string short id of the commit; for hours the hour it stands for
---@field commits table<string, git.Commit> by repository
---@field repo? string which repository the commit was added to

--- Opens the repositories of a script's --repo options and makes a worktree for each, FOLDER/NAME. Without a name it is the
--- path's last part. Close it, or declare it `<close>`. Raises usage for none or two of the same name, and as reg.git.open and
--- Repo:worktree do.
--- ```lua
--- local repos <close> = reg.repos { "jax=/src/jax", "xla=/src/xla" }
--- ```
---@param words string[] "NAME=PATH" or "PATH"
---@param folder? string ".regengine/worktrees" when absent
---@return repos.Repos repos
function reg.repos(words, folder) end

--- Checks out a commit in each worktree, submodules too; a repository without one stays where it is. Raises as
--- Worktree:checkout does.
--- ```lua
--- repos:checkout { jax = "main", xla = "HEAD~3" }
--- ```
---@param commits table<string, string|git.Commit> by name
function Repos:checkout(commits) end

--- The environment for a build: REPO_<NAME>, in capitals, is the path of each worktree. It raises nothing.
--- ```lua
--- local runner <close> = reg.runner { folders = repos:folders(), env = repos:env() }
--- ```
---@return table<string, string> env
function Repos:env() end

--- Paths of the worktrees, the first repository's first. It raises nothing.
--- ```lua
--- print(table.concat(repos:folders(), " "))
--- ```
---@return string[] folders
function Repos:folders() end

--- One id for a set of commits: a lone repository's commit, else "name@commit" of each, with blanks between.
--- ```lua
--- point.id = repos:id(point.commits)
--- ```
---@param commits table<string, git.Commit> one for every name
---@return string id
function Repos:id(commits) end

--- The commits of these repositories that an image holds (see reg.container.commits). Raises not_found where it lacks one, and
--- as reg.container.commits does.
--- ```lua
--- local good = repos:of_image "ghcr.io/nvidia/jax:jax-2024-03-01"
--- ```
---@param image string
---@return table<string, git.Commit> commits by name
function Repos:of_image(image) end

--- Every state between two sets of commits, one commit further each, by the commits' times: subjects for a bisect. The first is
--- `good` itself. Raises as Repo:between does.
--- ```lua
--- local states = repos:between(repos:of_image "app:2024-03-01", repos:of_image "app:2024-03-02")
--- ```
---@param good table<string, git.Commit>
---@param bad table<string, git.Commit>
---@return repos.State[] states
function Repos:between(good, bad) end

--- As Repos:between, but the last state of each hour (UTC) alone, labelled with the hour's end; good and bad stay at the ends.
--- ```lua
--- local hours = repos:hours(repos:of_image "app:2024-03-01", repos:of_image "app:2024-03-02")
--- ```
---@param good table<string, git.Commit>
---@param bad table<string, git.Commit>
---@return repos.State[] states
function Repos:hours(good, bad) end

--- Closes the worktrees; their folders stay. Closing twice does nothing.
--- ```lua
--- repos:close()
--- ```
function Repos:close() end

---@class test_command.Command
---@field cmd string[]
---@field mounts? table<string, string> what a container needs to see it

--- How to run a user's test script: in a container its folder is mounted at /dir; on the host it is named by its full path. It
--- runs by its own first line where it is executable, else by bash, else by sh. Raises permission for a path outside the
--- workspace with `local`.
--- ```lua
--- local test = reg.test_command("test.sh", reg.container.use {})
--- local run = reg.container.run { image = "ubuntu:24.04", cmd = test.cmd, mounts = test.mounts }
--- ```
---@param path string
---@param runtime? string "local" for the host, as reg.container.use says it
---@return test_command.Command command
function reg.test_command(path, runtime) end
