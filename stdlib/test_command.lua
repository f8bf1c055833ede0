-- reg.test_command(path, image): how to run the user's test script - in a container, where its folder is mounted at /dir as
-- the JAX guide does it, or on the host. Gives { cmd =, mounts = } for trial:run. It runs by its own first line where it is
-- executable, else by bash, else by sh.

local RUN = 'if [ -x "$0" ]; then exec "$0" "$@"; elif command -v bash >/dev/null 2>&1; then exec bash "$0" "$@"; '
  .. 'else exec sh "$0" "$@"; fi'

return function(path, runtime)
  local folder, name = path:match("^(.*)/([^/]+)$")
  folder, name = folder or ".", name or path
  if runtime == "local" then return { cmd = { "sh", "-c", RUN, reg.fs.absolute(path) } } end
  return { cmd = { "sh", "-c", RUN, "/dir/" .. name }, mounts = { [folder] = "/dir" } }
end
