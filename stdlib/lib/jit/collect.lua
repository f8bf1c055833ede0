-- Runs a command whose Python processes count how often JAX traces functions: the hook is the first sitecustomize on
-- PYTHONPATH.

local hook = require "lib/jit/hook"
local instrumented = require "lib/instrumented"
local read = require "lib/jit/read"

local SHELL = 'export REGENGINE_JIT="$0" PYTHONPATH="$0/hook${PYTHONPATH:+:$PYTHONPATH}";'
  .. ' case ${TORCH_LOGS:-} in *recompiles*) { true >"$0/torch.log"; } 2>/dev/null ;; esac;'
local EXPLAINS = ' export REGENGINE_JIT_EXPLAINS=1 JAX_EXPLAIN_CACHE_MISSES=1;'

local collect = {}

--- What execute(call) returns, with `jit`. `folder` exists; what the processes write there stays.
function collect.into(call, folder, execute, explain)
  reg.fs.mkdir(folder .. "/hook")
  reg.fs.write(folder .. "/hook/sitecustomize.py", hook)
  local shell = explain and SHELL .. EXPLAINS or SHELL
  local run = instrumented(call, { folder = folder, inside = "/regengine-jit", shell = shell }, execute)
  if run.dry then return run end
  local of_torch = folder .. "/torch.log"  -- where the command has TORCH_LOGS=recompiles
  if core.is_regular_file(of_torch) then reg.fs.write(of_torch, run.stderr) end
  run.jit = read.folder(folder)
  return run
end

--- The same for a command of a trial. `folder` is removed afterwards; nil where nothing runs.
function collect.of_trial(call, folder, execute, explain)
  if not folder then return execute(call) end
  core.new_output(folder)
  local _ <close> = setmetatable({}, { __close = function() core.drop_output(folder) end })
  return collect.into(call, folder, execute, explain)
end

return collect
