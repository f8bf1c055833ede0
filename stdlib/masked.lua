-- reg.masked(text, options): the text with private data redacted, and what was redacted, in words.

local check_keys = require "lib/options/check_keys"
local redactor = require "lib/redaction/redactor"

return function(text, options)
  if type(text) ~= "string" then core.fail("usage", "reg.masked: not a string: " .. type(text)) end
  options = options or {}
  check_keys("masked", options, { "keep_host", "hosts" })
  local person = core.person()
  person.keep_host, person.hosts = options.keep_host, options.hosts
  local own = redactor.new(person)
  return own:text(text), own:said()
end
