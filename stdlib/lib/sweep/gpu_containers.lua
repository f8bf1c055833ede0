-- The kept containers that were started with GPUs, by container: their commands asked for GPUs.

return setmetatable({}, { __mode = "k" })
