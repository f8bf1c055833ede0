---@meta

--- Repositories, the states of several at the same hour, and worktrees that switch between commits. Reading uses
--- libgit2; clone, fetch, patches and submodules use the git program with its credentials and configuration.
--- ```lua
--- local repo = reg.git.open "."
--- if not repo:find "v5.4.0" then repo:fetch { remote = "upstream" } end
--- print(repo:resolve("main").subject, repo:default_branch(), #repo:branches(), #repo:tags())
--- print(repo:is_ancestor("v5.3.4", "v5.4.0"), repo:merge_base("main", "topic"))
--- print(#repo:between("v5.3.4", "v5.4.0", { first_parent = true }), repo:read("v5.4.0", "makefile"))
--- local with, without = repo:apply("5c8770f8", "v5.3.4"), repo:revert("5c8770f8", "v5.4.0")
--- for _, commit in ipairs(repo:log { limit = 10 }) do print(commit.short, commit.subject, #repo:files(commit)) end
--- local tree <close> = repo:worktree()
--- tree:checkout(with or without, { patch = "batch-size.patch", submodules = true })
--- print(tree:head().short, reg.git.clone("https://github.com/openxla/xla", "xla", { filter = "blob:none" }))
--- tree:remove()
--- tree:close()
--- ```
---@class reg.git
reg.git = {}

---@class git.Commit
---@field id string 40 hex digits
---@field short string the first 10 of them
---@field time integer of the committer, Unix seconds
---@field date string the same, as "2023-08-24T13:00:00Z"
---@field author string
---@field email string
---@field author_date string when its author wrote it; a rebase keeps it
---@field subject string
---@field message string
---@field parents string[] ids, the first parent first

---@class git.File
---@field path string
---@field status "added"|"deleted"|"modified"|"type changed"
---@field insertions integer lines
---@field deletions integer lines
---@field binary boolean lines are not counted
---@field old_commit? string of a submodule: the commit it was at; nil if it is new
---@field new_commit? string of a submodule: the commit it is at; nil if it was removed

--- A repository, read only; git.Worktree changes files. A revision is a string (branch, tag, id, "HEAD~3") or a commit
--- that another function returned.
---@class git.Repo
---@field path string its root, absolute
---@field id string eight hex digits: the same for all worktrees of a clone, different for each clone on this machine
local Repo = {}

--- Opens the repository at `path`, a clone or a bare one. Raises not_found if there is none. A script that is not
--- trusted works on a private clone of one outside its folder, which has its refs of now and writes nothing to it; the
--- repository's `path` stays that of the original.
---@param path string
---@return git.Repo repo
function reg.git.open(path) end

---@class git.CloneOptions
---@field filter? string partial clone: "blob:none" or "blob:limit=SIZE"; a checkout fetches what is missing

--- Clones `url` to `path` and opens it; does nothing in a dry run. An interrupted clone starts again. Raises conflict
--- if `path` exists, usage if `url` begins with '-', io with git's message, and network if the server
--- cannot be reached, after retries for --retry-for.
---@param url string
---@param path string
---@param options? git.CloneOptions
---@return git.Repo? repo
function reg.git.clone(url, path, options) end

--- The commit of a revision, or nil if there is none. Raises usage if the revision begins with '-' or is ambiguous.
---@param revision string|git.Commit
---@return git.Commit? commit
function Repo:find(revision) end

--- The commit of a revision. Raises not_found with the closest branch or tag.
---@param revision string|git.Commit
---@return git.Commit commit
function Repo:resolve(revision) end

---@class git.LogOptions
---@field from? string leave out this commit and its ancestors
---@field to? string where to start, default "HEAD"
---@field first_parent? boolean follow first parents only
---@field since? string|integer UTC string or Unix seconds, inclusive
---@field until? string|integer the same
---@field limit? integer at most this many commits

--- Commits, newest first, in the order of `git log`; `since` and `until` compare each commit's own time. Raises
--- not_found.
---@param options? git.LogOptions
---@return git.Commit[] commits
function Repo:log(options) end

---@class git.BetweenOptions
---@field first_parent? boolean only commits on the first-parent line of `bad`

--- The commits of `bad` that are not in `good`, oldest first, parents before children: without `good`, and `bad` last.
--- Raises not_found.
---@param good string|git.Commit
---@param bad string|git.Commit
---@param options? git.BetweenOptions
---@return git.Commit[] commits
function Repo:between(good, bad, options) end

--- The best common ancestor, or nil if there is none. Raises not_found.
---@param a string|git.Commit
---@param b string|git.Commit
---@return git.Commit? commit
function Repo:merge_base(a, b) end

--- The commit `onto` with what `commit` changed against its first parent undone, as `git revert -m 1` does it: a new
--- commit on top of `onto`, made in memory, so that no working tree and no branch changes. The same question gives the
--- same id. No ref names the commit. Returns nil and the list of files that conflict if it does not merge. A dry run
--- returns `onto`. Raises not_found, and denied for a script that may not change the repository.
---@param commit string|git.Commit
---@param onto string|git.Commit
---@return git.Commit? without
---@return string[]? conflicts
function Repo:revert(commit, onto) end

--- The same with what `commit` changed done on `onto`, as `git cherry-pick -m 1` does it. Raises what Repo:revert does.
---@param commit string|git.Commit
---@param onto string|git.Commit
---@return git.Commit? with
---@return string[]? conflicts
function Repo:apply(commit, onto) end

--- Whether `ancestor` is reachable from `descendant`; a commit is its own ancestor. Raises not_found.
---@param ancestor string|git.Commit
---@param descendant string|git.Commit
---@return boolean
function Repo:is_ancestor(ancestor, descendant) end

--- The files that a commit changed compared with its first parent; a rename is deleted and added. Raises not_found.
---@param revision string|git.Commit
---@return git.File[] files
function Repo:files(revision) end

--- The text of a file in a commit; nil if there is none at that path, or a folder or submodule. Raises not_found for
--- the revision, and for a file that a partial clone lacks.
---@param revision string|git.Commit
---@param path string
---@return string? text
function Repo:read(revision, path) end

--- The names of local branches, then of remote ones ("origin/main").
---@return string[] names
function Repo:branches() end

--- The names of the tags.
---@return string[] names
function Repo:tags() end

--- The branch that origin/HEAD names, else "main", else "master", else "HEAD".
---@return string name
function Repo:default_branch() end

---@class git.FetchOptions
---@field remote? string default "origin"

--- Runs `git fetch` while other tasks run. Raises io and network as reg.git.clone does.
---@param options? git.FetchOptions
function Repo:fetch(options) end

--- Opens a working tree, created on first use; it is empty until the first checkout, and locked against other engines
--- until it is closed. Below .regengine/worktrees, a tree that lost its repository is remade. Raises conflict if the
--- path is something else or in use.
---@param path? string default .regengine/worktrees/NAME-ID
---@return git.Worktree tree
function Repo:worktree(path) end

--- A working tree that stays at its path and switches commits, so that incremental builds stay incremental.
---@class git.Worktree
---@field path string absolute
local Worktree = {}

---@class git.CheckoutOptions
---@field patch? string file with a unified diff (git's a/ b/ form), applied on top and reverted at the next checkout
---@field submodules? boolean|string[] also run `git submodule update --init --recursive`, or for these paths alone
---@field without? string[] paths of submodules to leave as they are
---@field files? table<string, string> other texts for files of the commit, by path; `patch` is applied on top

--- Checks out a commit, writing only files that differ; untracked files stay. If commands ran since the last checkout,
--- what changed in tracked files is reset, and kept in the folder `changed` beside the output of the trial, or else in
--- the git folder of the tree. Raises not_found for the revision and for a path of `files` that the commit lacks,
--- conflict for other changes to tracked files and for an untracked file in the way, and failed_trial - which a sweep
--- records as build_failed - for a patch that does not apply (the tree is then at the commit, without it). Hooks and
--- external filters (git-lfs) do not run.
---@param revision string|git.Commit
---@param options? git.CheckoutOptions
---@return git.Commit commit
function Worktree:checkout(revision, options) end

--- The commit that is checked out.
---@return git.Commit commit
function Worktree:head() end

--- Deletes the tree with all untracked files. Raises conflict for changes to tracked files. Close it afterwards.
function Worktree:remove() end

--- Releases the tree; its files stay, but for what commands changed in tracked files. `<close>` calls it.
function Worktree:close() end
