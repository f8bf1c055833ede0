-- reg.identity: the key of a trial.

local surroundings = require "lib/identity/surroundings"

--- The key of a trial: the hash of `parts`, which is everything that reaches the measured program, and after "@" the
--- hash of the machine: processor model, GPU models with their drivers, and the clocks at which reg.gpu.lock holds
--- them, SM and memory, or none. A finished trial with that key is used again instead of a run. reg.sweep, reg.bisect
--- and reg.suite make their keys themselves; call it where a script stores trials on its own. Raises usage for values
--- without a JSON form.
---
--- The key of a sweep's trial has the digest of the image or the commit, the commands with their environment, working
--- folder and standard input, the options of containers, the contents of `files` and of --input, the options that
--- `measure` reads, the files that it reads before it runs a command, and the bytecode of `measure` and of the
--- functions it calls, with their constants and the settings they use. Of the inherited environment it has PATH, CC,
--- CXX and the variables of the dynamic linker, Python, CUDA, NCCL, XLA, JAX, TensorFlow, PyTorch, Triton, OpenMP, MKL,
--- malloc and compiler flags, unless everything runs in containers. To learn what `measure` does, the sweep calls it
--- once for each subject with all effects held back: commands return an empty result of one second.
--- ```lua
--- local key = reg.identity { name = "saxpy", n = 1 << 20, driver = reg.gpu.status().driver }
--- ```
---@param parts table
---@return string key
return function(parts)
  if type(parts) ~= "table" then
    core.fail("usage", "identity: takes a table of everything that the measurement depends on")
  end
  return reg.store.key(parts) .. "@" .. surroundings.machine()
end
