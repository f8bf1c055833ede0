---@meta

--- Repositories, the states of several at the same hour, and worktrees that switch from commit to commit. Reading is
--- libgit2's; clone, fetch, patches and submodules are the git program's, with its credentials and configuration.
---@class reg.git
reg.git = {}

---@class git.Commit
---@field id string 40 hex digits
---@field short string the first 10 of them
---@field time integer Unix seconds, of the committer
---@field date string the same, as "2023-08-24T13:00:00Z"
---@field author string
---@field email string
---@field author_date string when its author wrote it, which a rebase leaves as it was
---@field subject string
---@field message string
---@field parents string[] ids, the first parent first

---@class git.File
---@field path string
---@field status "added"|"deleted"|"modified"|"type changed"
---@field insertions integer lines
---@field deletions integer lines
---@field binary boolean then no lines are counted

--- A repository, for reading; git.Worktree is what changes files. A revision is a text (branch, tag, id, "HEAD~3") or a
--- commit that another function returned.
---@class git.Repo
---@field path string its root, absolute
local Repo = {}

--- Opens the repository whose root is `path`, a clone or a bare one. Raises not_found where there is none.
--- ```lua
--- local xla = reg.git.open "/src/xla"
--- ```
---@param path string
---@return git.Repo repo
function reg.git.open(path) end

---@class git.CloneOptions
---@field branch? string checked out; the remote's default when absent
---@field filter? string a partial clone: "blob:none" or "blob:limit=SIZE"; a checkout fetches what it lacks
---@field bare? boolean without a working tree

--- Clones `url` to `path` and opens it; nothing in a dry run. A clone that was broken off is begun anew. Raises conflict
--- when `path` is there already, usage when `url` or the branch begins with '-', io with git's own words.
--- ```lua
--- local xla = reg.git.clone("https://github.com/openxla/xla", "xla", { filter = "blob:none" })
--- ```
---@param url string
---@param path string
---@param options? git.CloneOptions
---@return git.Repo? repo
function reg.git.clone(url, path, options) end

---@class git.TimelineOptions
---@field repos table<string, git.Repo> by a name of your choice
---@field branch? string|table<string, string> exactly this ref, or one for each name; repo:default_branch() when absent
---@field from string|integer first instant: UTC text such as "2023-08-24T13:00", or Unix seconds
---@field to string|integer last instant, included
---@field every? string|number step, "1h" when absent; a number is seconds

---@class git.Point
---@field time integer the instant, Unix seconds
---@field at string the same, as "2023-08-24T13:00:00Z"
---@field commits table<string, git.Commit> each repository's commit then
---@field moved string[] names of those that differ from the point before; none at the first

--- What several repositories looked like at the same instants: for each the last first-parent commit of its branch at or
--- before then, the one `git rev-list -1 --first-parent --before=TIME BRANCH` prints. Instants at which nothing moved are
--- left out. Raises usage for from after to, not_found for a missing branch or where a repository has no commit at `from`.
--- ```lua
--- local hours = reg.git.timeline { repos = { xla = xla, jax = jax }, branch = "main", from = "2023-08-24", to = "2023-08-26" }
--- ```
---@param options git.TimelineOptions
---@return git.Point[] points
function reg.git.timeline(options) end

--- The commit, or nil where there is none. Raises usage when the revision begins with '-' or is ambiguous.
--- ```lua
--- if not repo:find("v5.4.0") then repo:fetch() end
--- ```
---@param revision string|git.Commit
---@return git.Commit? commit
function Repo:find(revision) end

--- The commit. Raises not_found, with the branch or tag that may have been meant.
--- ```lua
--- print(repo:resolve("main").subject)
--- ```
---@param revision string|git.Commit
---@return git.Commit commit
function Repo:resolve(revision) end

---@class git.LogOptions
---@field from? string this commit and its ancestors are left out
---@field to? string where to begin, "HEAD" when absent
---@field first_parent? boolean follow first parents alone
---@field since? string|integer UTC text or Unix seconds, included
---@field until? string|integer the same
---@field limit? integer at most so many commits

--- Commits, newest first, in the order of `git log`; `since` and `until` hold each commit's own time against them.
--- Raises not_found.
--- ```lua
--- for _, commit in ipairs(repo:log { limit = 10 }) do print(commit.short, commit.subject) end
--- ```
---@param options? git.LogOptions
---@return git.Commit[] commits
function Repo:log(options) end

---@class git.BetweenOptions
---@field first_parent? boolean only commits on the first-parent line of `bad`

--- The commits of `bad` that `good` lacks, oldest first, parents before children: `good` is not among them, `bad` is the
--- last. Raises not_found.
--- ```lua
--- local suspects = repo:between("v5.3.4", "v5.4.0", { first_parent = true })
--- ```
---@param good string|git.Commit
---@param bad string|git.Commit
---@param options? git.BetweenOptions
---@return git.Commit[] commits
function Repo:between(good, bad, options) end

--- The best common ancestor, or nil where there is none. Raises not_found.
--- ```lua
--- local base = repo:merge_base("main", "topic")
--- ```
---@param a string|git.Commit
---@param b string|git.Commit
---@return git.Commit? commit
function Repo:merge_base(a, b) end

--- Whether `ancestor` can be reached from `descendant`; a commit is its own ancestor. Raises not_found.
--- ```lua
--- assert(repo:is_ancestor("v1.0", "main"))
--- ```
---@param ancestor string|git.Commit
---@param descendant string|git.Commit
---@return boolean
function Repo:is_ancestor(ancestor, descendant) end

--- What the commit changed against its first parent, by path; renames show as deleted and added. Raises not_found.
--- ```lua
--- for _, file in ipairs(repo:files("HEAD")) do print(file.path, file.insertions, file.deletions) end
--- ```
---@param revision string|git.Commit
---@return git.File[] files
function Repo:files(revision) end

--- Names of the local branches, then of the remote ones ("origin/main").
--- ```lua
--- print(table.concat(repo:branches(), " "))
--- ```
---@return string[] names
function Repo:branches() end

--- Names of the tags.
--- ```lua
--- print(#repo:tags())
--- ```
---@return string[] names
function Repo:tags() end

--- The branch that origin/HEAD names, else "main", else "master", else "HEAD".
--- ```lua
--- print(repo:default_branch())
--- ```
---@return string name
function Repo:default_branch() end

---@class git.FetchOptions
---@field remote? string "origin" when absent

--- `git fetch`, while other tasks go on. Raises io with git's own words.
--- ```lua
--- repo:fetch { remote = "upstream" }
--- ```
---@param options? git.FetchOptions
function Repo:fetch(options) end

--- A working tree at `path`, made at the first use and opened afterwards; it is empty until the first checkout. It is held
--- against other engines until closed. Raises conflict when `path` is something else, or is in use.
--- ```lua
--- local tree <close> = repo:worktree(".regengine/worktrees/xla")
--- ```
---@param path string
---@return git.Worktree tree
function Repo:worktree(path) end

--- A working tree that stays at its path and goes from commit to commit, so that incremental builds stay incremental.
---@class git.Worktree
---@field path string absolute
local Worktree = {}

---@class git.CheckoutOptions
---@field patch? string file of a unified diff (git's a/ b/ form), applied on top and taken back at the next checkout
---@field submodules? boolean then `git submodule update --init --recursive`

--- Goes to a commit, writing only files that differ; untracked files stay. Raises not_found for the revision, conflict for
--- changes to tracked files and for an untracked file in the way, and failed_trial - which a sweep records as a build that
--- failed - for a patch that does not apply (the tree is then at the commit, without it). Hooks and external filters (git-lfs) do not run.
--- ```lua
--- local commit = tree:checkout("main", { patch = "batch-size.patch", submodules = true })
--- ```
---@param revision string|git.Commit
---@param options? git.CheckoutOptions
---@return git.Commit commit
function Worktree:checkout(revision, options) end

--- The commit it is at.
--- ```lua
--- print(tree:head().short)
--- ```
---@return git.Commit commit
function Worktree:head() end

--- Deletes the tree with everything untracked in it. Raises conflict for changes to tracked files. Close it afterwards.
--- ```lua
--- tree:remove()
--- ```
function Worktree:remove() end

--- Lets go of the tree; its files stay. `<close>` calls it.
--- ```lua
--- tree:close()
--- ```
function Worktree:close() end
