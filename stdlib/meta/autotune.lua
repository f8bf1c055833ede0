---@meta

--- What XLA's autotuner chose for each operation on a GPU, from the files that it dumps.
---@class reg.autotune
reg.autotune = {}

---@class autotune.Choice
---@field name string such as "gemm 12", the twelfth in the file
---@field kind string "gemm", "convolution", or the operation
---@field hlo string the operation as XLA wrote it
---@field device? string the GPU for which it was tuned
---@field choice string such as "cuBLAS algorithm 7" or "Triton block 64x64x32"
---@field run_time_s? number seconds, as the autotuner measured it

---@class autotune.Results
---@field version? integer of the file's format
---@field choices autotune.Choice[] in the order of the file

--- Reads the results of a program that ran with XLA_FLAGS=--xla_gpu_dump_autotune_results_to=FILE.txt; a program with
--- --xla_gpu_load_autotune_results_from=FILE.txt uses them. XLA writes text into files that end in .txt or .textproto,
--- which are read, and the binary form of protocol buffers into others. Raises not_found for a missing file, and
--- corrupt for one that is cut or does not hold such results as text.
--- ```lua
--- for _, one in ipairs(reg.autotune.read("tuned.txt").choices) do print(one.name, one.choice) end
--- ```
---@param path string
---@return autotune.Results read
function reg.autotune.read(path) end

--- The operations for which another choice was made, those whose time changed most first; then those that only one of
--- the two has. An algorithm of cuBLAS or cuDNN is a number whose meaning may change with the library's version. Raises
--- as read does, and usage.
--- ```lua
--- for _, finding in ipairs(reg.autotune.diff("before.txt", "after.txt")) do print(finding.what) end
--- -- gemm 12 chose cuBLAS algorithm 7, before Triton block 64x64x32
--- ```
---@param before string|autotune.Results
---@param after string|autotune.Results
---@return environment.Finding[] findings
function reg.autotune.diff(before, after) end
