-- The second place of reg.runner, in which commits are built ahead: by worktree its second worktree, and by the options
-- of a command { mounts =, container = }: where the command sees the second worktrees, and the container that it runs
-- in, if it does.

return setmetatable({}, { __mode = "k" })
