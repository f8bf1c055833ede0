---@meta

--- What a command does on the GPU, without changing it and without nsys: the CUDA driver loads a small library into
--- each of its processes, which records kernels and copies with CUPTI and adds them up. It works on the host and in
--- containers, with the program's own CUPTI or that of its CUDA Toolkit. Tracing slows a program a little: compare
--- traced runs with traced runs.
---
--- A process can have one such tool. If nsys or compute-sanitizer is first, the answer is "unavailable", and if
--- torch.profiler or jax.profiler begins later, too: it takes the records over. From CUDA 13.3 and its driver on, a
--- profiler that uses CUPTI's new functions (`cuptiSubscribe_v2`) works beside a trace; an older one gets no records.
---@class reg.trace
reg.trace = {}

--- Whether commands can be traced on this machine: the library and an NVIDIA driver exist. Raises nothing.
--- ```lua
--- local status = reg.trace.status()
--- if not status.ok then print(status.message, status.hint) end
--- ```
---@return gpu.Status status
function reg.trace.status() end
