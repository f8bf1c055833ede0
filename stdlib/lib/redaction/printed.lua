-- Finds a secret that a command prints on the line below it: $ pass show lab/db, and X.

local randomness = require "lib/redaction/randomness"
local values = require "lib/redaction/values"

local COMMANDS = { "pass show", "gopass ", "lpass show", "op read", "pwgen", "makepasswd", "apg ", "openssl rand",
  "-password",
  "access-token", "-token", "secret-tool", "keyring get", "get secret", "vault read", "vault kv get", "secrets get",
  "secretsmanager", "security find", "genkey", "gen-key", "uuidgen", "cat ~/.", "credential fill", "base64 -d" }

--- Secrets below the commands that print them.
return function(scan)
  if scan.code then return end
  for _, command in ipairs(COMMANDS) do
    for from in scan:each(command) do
      local stop = scan:line_end(from)
      local at, word = scan.text:match("^\r?\n()([^%s:]+)[ \t]*\r?%f[\n%z]", stop + 1)
      local prompt = at and scan.text:sub(scan:line_start(from), from - 1):find "^[^|;]-[$#%%>] " ~= nil
      local starts = at and scan.text:sub(scan:line_start(from), from - 1):find "^[%s+$#>%w._-]*$" ~= nil
      if at and (prompt or starts) and (values.fits(word:sub(1, 64)) or randomness.certain(word))
        and not word:find "%.%a%a%a?$" then
        scan:add(at, at + #word - 1, "output of a command")
      end
    end
  end
end
