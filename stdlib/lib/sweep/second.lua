-- The second place of reg.runner: by worktree its second worktree, and by the options of a command { opened =, open =,
-- firsts =, mounts =, container = }: open() makes it and sets `opened`, or returns why it could not; `firsts` are the
-- worktrees of the first place, `mounts` what a command on the host sees in each of the two, and `container` the one
-- that it runs in, if it does.

return setmetatable({}, { __mode = "k" })
