-- The GPUs that commands ask for where their options do not say it: by kept container, whose GPUs were chosen when it
-- started, and by the options of a command on the host.

return setmetatable({}, { __mode = "k" })
