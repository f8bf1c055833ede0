-- Runs a command for what is collected of it: through a line of shell that sets variables for it, with a folder that it
-- can write to, which a container of its own has as a mount.

local values = require "lib/values"
local tracing = require "lib/tracing"

local instrumented = {}

--- Runs a command where it says: in its image, or on the host.
function instrumented.execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

-- The kinds of errors that say that something is not there, or cannot be read.
local PASSED_OVER <const> = "not_found unavailable permission network io corrupt failed_trial"

--- What f(...) returns, up to two values; nil and why not. An error of another kind is the caller's.
function instrumented.attempt(f, ...)
  local found, why = values.caught(PASSED_OVER, f, ...)
  return found, type(why) == "table" and why.message or why
end

--- The run, unless it failed: then raises failed_trial with the last line that it wrote. `name`: of what ran.
function instrumented.check(name, run)
  if run.ok or run.dry then return run end
  core.fail("failed_trial", name .. (run.timed_out and " timed out" or " failed with exit code " .. run.code),
    values.last_line(run.stderr))
end

--- What execute(call) returns. `o`: `folder`, which exists; `inside`, what it is called in a container; and `shell`,
--- which gets the folder's path there, or what o.word(path) makes of it, as $0.
function instrumented.run(call, o, execute)
  -- The command may run in another folder.
  local words, target = call.cmd or { "/bin/sh", "-c", call.shell }, reg.fs.absolute(o.folder)
  if call.image and tracing.in_container(call.runtime) then
    target = o.inside
    call.mounts = values.merged({ [o.folder] = o.inside }, call.mounts)
  end
  call.shell = nil
  call.cmd = table.move(words, 1, #words, 5,
    { "/bin/sh", "-c", o.shell .. ' exec "$@"', o.word and o.word(target) or target })
  return execute(call)
end

--- Makes a folder, which is removed when what is returned is closed.
function instrumented.folder(path)
  core.new_output(path)
  return setmetatable({}, { __close = function() core.drop_output(path) end })
end

--- What collect(call, folder, execute, ...) returns, in a new `folder` that is removed afterwards; without one, where
--- nothing runs, what execute(call) returns.
function instrumented.briefly(collect, call, folder, execute, ...)
  local _ <close> = folder and instrumented.folder(folder) or nil
  return (folder and collect or execute)(call, folder, execute, ...)
end

return instrumented
