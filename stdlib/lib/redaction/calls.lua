-- Finds the secret among the strings of a call that logs in: smtp.login("bot", "X"), WiFi.begin("lab", "X").

local randomness = require "lib/redaction/randomness"
local values = require "lib/redaction/values"

-- In the name of a function: its last string is a password, whatever it looks like.
local CERTAIN = { "login", "logon", "signin", "sign_in", "cred", "passw", "pw_set", "setpw", "basic_auth", "basicauth",
  "authenticate", "wifi.begin", "create_user", "createuser", "userauth" }
-- In these, a string that may be one.
local LIKELY = { "connect", "auth", "wifi", "ftp", "smtp", "imap", "ldap", "mysqli", "pdo", "mqtt", "vpn", "bind" }
-- Here, only a key does.
local CLIENTS = { "client", "api", "sdk", "service" }

local function is_name(value)
  return value:find "[%s/\\(){}<>|]" ~= nil or value:find "%%[sdufx]%f[%A]" ~= nil or #value < 6
    or value:find "^%d+$" ~= nil or value:find "%.%a%a+$" ~= nil
    or value:find "^[%w._-]+@[%w.-]+%.%a+$" ~= nil
end

local TESTS = {
  [CERTAIN] = function(value) return not is_name(value) or values.is_phrase(value) end,
  [LIKELY] = function(value)
    return not is_name(value) and values.fits(value) and not value:find "^%l+%d%d?$"
  end,
  [CLIENTS] = function(value) return #value >= 32 and value:find "^%x+$" or randomness.certain(value) end,
}

-- The strings of the arguments, without those of a name: f(host="h").
local function strings_of(arguments)
  local list = {}
  for before, at, value in arguments:gmatch "([=:]?%s*)[\"']()([^\"']*)[\"']" do
    if not before:find "^[=:]" then list[#list + 1] = { at = at, value = value } end
  end
  return list
end

-- What is typed for a program, or made to characters that are overwritten: only a password is.
local SENT = { ["sendline("] = "^%a?[\"']()([^\"'\n]+)[\"']%)", [".write(b"] = "^[\"']()([^\"'\n\\]+)\\n[\"']%)" }

local function find_sent(scan)
  for call, pattern in pairs(SENT) do
    for _, to in scan:each(call) do
      local from, value = scan.text:match(pattern, to + 1)
      if from and values.fits(value) then scan:add(from, from + #value - 1, "argument of a login") end
    end
  end
  for from in scan:each "\".tochararray(" do
    local value = scan.text:sub(math.max(1, from - 64), from - 1):match "\"([^\"\n]+)$"
    if value then scan:add(from - #value, from - 1, "argument of a login") end
  end
end

--- Strings of calls that log in.
return function(scan)
  find_sent(scan)
  local text = scan.text
  for stems, is_secret in pairs(TESTS) do
    for _, stem in ipairs(stems) do
      for _, to in scan:each(stem) do
        -- WiFi.begin, Credentials.basic
        local at, arguments = text:match("^[%w_.:]*%(()([^()\n]*)%)", to + 1)
        -- basic_auth("bot", Some("X"))
        if not at then at, arguments = text:match("^[%w_.:]*%(()([^()\n]*%([^()\n]*%))", to + 1) end
        local strings = at and arguments:find(",", 1, true) and strings_of(arguments) or {}
        local count = #strings
        for i = count, 1, -1 do
          local value = strings[i].value
          if (i > 1 or count == 1) and is_secret(value) then
            scan:add(at + strings[i].at - 1, at + strings[i].at + #value - 2, "argument of a login")
            if stems == CERTAIN then break end
          end
        end
      end
    end
  end
end
