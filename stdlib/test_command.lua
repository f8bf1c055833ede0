-- reg.test_command(path, runtime): { cmd =, mounts = } for trial:run, to run the user's test script in a container,
-- where its folder is mounted at /dir as in the JAX guide, or on the host. An executable script runs by its first line,
-- any other by bash, or else by sh.

local RUN = 'if [ -x "$0" ]; then exec "$0" "$@"; elif command -v bash >/dev/null 2>&1; then exec bash "$0" "$@"; '
  .. 'else exec sh "$0" "$@"; fi'

return function(path, runtime)
  local folder, name = path:match("^(.*)/([^/]+)$")
  folder, name = folder or ".", name or path
  if runtime == "local" then return { cmd = { "sh", "-c", RUN, reg.fs.absolute(path) } } end
  return { cmd = { "sh", "-c", RUN, "/dir/" .. name }, mounts = { [folder] = "/dir" } }
end
