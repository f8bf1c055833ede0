-- reg.masked: text with private data redacted.

local redactor = require "lib/redaction/redactor"

---@class masked.Options
---@field keep_host? boolean keep host names and network addresses
---@field hosts? string[] more host names to redact, besides this machine's

--- Redacts private data in text that leaves the machine. Values whose name says that they are secret, tokens with an
--- issuer's prefix, private keys, the user and password of a URL, and mail addresses become <redacted>; home folders
--- become ~; users, hosts, network addresses and ids of GPUs become <user-1>, <host-1>, <address-1> and <gpu-1>, each
--- the same wherever it is. Digests, commits, versions and compiler flags stay. It guarantees nothing: read what you
--- share. Raises usage for anything but a string.
--- ```lua
--- local text, what = reg.masked "HF_TOKEN=abc make -C /home/ann/src"
--- print(text)  -- HF_TOKEN=<redacted> make -C ~/src
--- print(what)  -- 1 home folder, 1 secret
--- ```
---@param text string
---@param options? masked.Options
---@return string text
---@return string? redacted what was redacted, in words; nil if nothing was
return function(text, options)
  if type(text) ~= "string" then core.fail("usage", "reg.masked: not a string: " .. type(text)) end
  options = core.check_keys("masked", options or {}, { "keep_host", "hosts" })
  local own = redactor.new { keep_host = options.keep_host, hosts = options.hosts }
  return own:text(text), own:said()
end
