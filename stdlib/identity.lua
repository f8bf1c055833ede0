-- reg.identity(parts): the key of a trial, the hash of all that it depends on and, after "@", that of the machine.

local surroundings = require "lib/identity/surroundings"

return function(parts)
  if type(parts) ~= "table" then
    core.fail("usage", "identity: takes a table of everything that the measurement depends on")
  end
  return reg.store.key(parts) .. "@" .. surroundings.machine()
end
