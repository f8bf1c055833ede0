-- Finds passwords that stand with the name of their account: sasl ann:X, login: ann / X, log in with ann and X.

local randomness = require "lib/redaction/randomness"
local set = require("lib/redaction/words").set
local values = require "lib/redaction/values"

-- What says that an account follows on the line.
local STEMS = { "user", "auth", "login", "log in", "cred", "sasl", "ident", "digest", "basic", "smtp", "account",
  "config" }
local NEAR = 80  -- characters after it

-- Before a colon they are not an account.
local NO_ACCOUNT = set [[
  sha sha1 sha256 sha512 md5 http https line port docker image file tag std version password token type]]

-- In each: an account, and its password.
local FORMS = {
  "%f[%w](%l[%w._@-]*):()([^%s:\"'`,;/)]+)",
  "%f[%w/.](%l[%w._@-]*) ?/ ?()([^%s\"'`,;/)%]]+)%f[%s\"'`,;.)%]%z]",
  "%f[%w](%l[%w._@-]*) and ()(%S+)",
  "%f[%w](%l[%w._@-]*) with ()(%S+)",
}

local function is_password(word)
  return values.fits(word) and not word:find "^%l+%d%d?$" and not word:find "^v?%d+%.%d"
    and not randomness.is_digest(word)
    and not word:find "%.%a%a%a?$" and not word:find "^%l+%.[%l_]+%.[%l_.]+$" and not word:find "^20%d%d"
    and not word:find "^[%w]+%-%d"
end

--- Passwords of accounts.
return function(scan)
  if scan.code then return end
  for _, stem in ipairs(STEMS) do
    for from, to in scan:each(stem) do
      local before = scan.text:sub(from - 1, from - 1)
      local inside = before:find "[/\\]" or before:find "%l" and scan.text:find("^%l", from)
      local stop = not inside and math.min(scan:line_end(to), to + NEAR) or to
      stop = scan.text:match("^%S*()", stop + 1) - 1
      local rest = inside and "" or scan.text:sub(to + 1, stop)
      for _, form in ipairs(FORMS) do
        for account, start, word in rest:gmatch(form) do
          word = word:gsub("[.,;)]+$", "")
          if not NO_ACCOUNT[account] and not account:find "sha%d+$" and #account >= 2 and is_password(word) then
            scan:add(to + start, to + start + #word - 1, "password of a login")
          end
        end
      end
    end
  end
end
