-- The inherited environment variables that change what a program measures. Any other one is not part of a key.

local NAMES = { "^PATH$", "^LD_", "^PYTHON", "^CUDA", "^NVIDIA", "^NCCL", "^CUDNN", "^CUBLAS", "^XLA", "^JAX", "^TF_",
  "^TORCH", "^TRITON", "^OMP", "^MKL", "^KMP", "^MALLOC", "^CC$", "^CXX$", "FLAGS$" }

return function()
  local found = {}
  for name, value in pairs(core.variables()) do
    for _, pattern in ipairs(NAMES) do
      if name:find(pattern) then found[name] = value end
    end
  end
  return found
end
