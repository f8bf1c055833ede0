-- What XLA's autotuner chose for each operation on a GPU.

local flagged = require "lib/autotune/flagged"
local stated = require "lib/why/stated"
local xla = require "lib/why/xla"

local level = { name = "autotune", pass = "dump" }

local FLAG <const> = "--xla_gpu_dump_autotune_results_to"

function level.applies(runs, one)
  local used, why = xla.is_used(runs)
  if not used then return false, why end
  local gpu = reg.gpu.status()
  if not gpu.ok then return false, "XLA tunes programs for GPUs, and " .. gpu.message end
  local known = xla.knows(one, FLAG .. "=/dev/null")
  if known then return true end
  return false, known == nil and one.name .. " does not say which Python it runs, or jax fails in it"
    or "the XLA of " .. one.name .. " does not know " .. FLAG
end

-- The file stays until the findings are used: lib/why/choices has the other end load it.
function level.around(call, execute, folder)
  core.new_output(folder)
  local run, path = flagged(call, FLAG, folder, execute)
  if run.dry or not core.is_regular_file(path) then return run end
  local ok, found = pcall(reg.autotune.read, path)
  if not ok and (type(found) ~= "table" or found.kind ~= "corrupt") then error(found, 0) end
  run[ok and "autotune" or "unreadable"] = found
  if ok then found.folder = folder end
  return run
end

function level.read(run)
  if run.unreadable then return nil, run.unreadable.message end
  return run.autotune, "XLA wrote no autotuning results: the program used no GPU, or sets XLA_FLAGS itself"
end

function level.compare(before, after) return (stated(before, after, reg.autotune.diff)) end

return level
