-- Runs a command through a line of shell that sets variables for it, with a folder that the command can write to: in a
-- container of its own as a mount.

-- Whether the command runs in a container, which has other paths.
local function in_container(call)
  return call.image ~= nil and (call.runtime or reg.container.use {}) ~= "local"
end

--- What execute(call) returns. `o`: `folder`, which exists; `inside`, what it is called in a container; and `shell`,
--- which gets the folder's path there, or what o.word(path) makes of it, as $0.
return function(call, o, execute)
  -- The command may run in another folder.
  local words, target = call.cmd or { "/bin/sh", "-c", call.shell }, reg.fs.absolute(o.folder)
  if in_container(call) then
    target = o.inside
    local mounts = { [o.folder] = o.inside }
    for host, path in pairs(call.mounts or {}) do mounts[host] = path end
    call.mounts = mounts
  end
  call.shell = nil
  call.cmd = table.move(words, 1, #words, 5,
    { "/bin/sh", "-c", o.shell .. ' exec "$@"', o.word and o.word(target) or target })
  return execute(call)
end
