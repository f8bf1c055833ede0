-- The environment variables that change what a program measures.

local NAMES = { "^PATH$", "^LD_", "^PYTHON", "^CUDA", "^NVIDIA", "^NCCL", "^CUDNN", "^CUBLAS", "^XLA", "^JAX", "^TF_",
  "^TORCH", "^TRITON", "^OMP", "^MKL", "^KMP", "^MALLOC", "^CC$", "^CXX$", "FLAGS$" }

local variables = {}

--- Whether a variable of this name is one of them.
function variables.matters(name)
  for _, pattern in ipairs(NAMES) do
    if name:find(pattern) then return true end
  end
  return false
end

--- Those that commands inherit. Any other one is not part of a key.
function variables.inherited()
  local found = {}
  for name, value in pairs(core.variables()) do
    if variables.matters(name) then found[name] = value end
  end
  return found
end

return variables
