-- Finds what somebody logs in with, by where it stands: after the name of an account, a short option, or the scheme of
-- a header.

local randomness = require "lib/redaction/randomness"
local set = require("lib/redaction/words").set
local values = require "lib/redaction/values"

-- What is before a credential in a header, wherever the header stands.
local SCHEMES = { "bearer", "basic", "token" }

-- Credentials after their scheme: Bearer X.
local function find_schemes(scan)
  for _, scheme in ipairs(SCHEMES) do
    for from, to in scan:each(scheme) do
      local start, word = scan.text:match("^[%s>|]+()([%w+/=_.~%-]+)", to + 1)
      local random = word and (randomness.certain(word) or randomness.likely(word) and word:find "%u" and word:find "%l"
        and not word:find "%u%l+%u%l%l")
      if random and scan:starts_word(from) then scan:add(start, start + #word - 1, "credentials of a header") end
    end
  end
end

-- user:password@host and user/password@host, where the password looks like one.
local function find_logins(scan)
  local text = scan.text
  for at in scan:each "@" do
    local start, word = text:sub(math.max(1, at - 80), at - 1):match "[%w_.-]+[:/]()([^%s:/@\"'`<>]+)$"
    local is_host = word and text:find("^%a[%w.-]*[:(/]", at + 1) and not text:find("^sha%d", at + 1)
    local random = is_host and #word >= 8 and word:find "%d" and word:find "%a" and not word:find "^%x+$"
    if random and (values.is_typed(word) or text:find("^[%w.-]+[:(]%w", at + 1)) then
      local from = math.max(1, at - 80) + start - 1
      scan:add(from, from + #word - 1, "password of a login")
    end
  end
end

-- A short option of a password: -p X, -pw X, /p:X, -K X.
local OPTIONS = {
  [" -"] = { "^%a?[pPwWkK]%w?%w?%s+()(%S+)", "^%a?[pPwW]%w?%w?[:=]()(%S+)" }, [" /"] = { "^%a?[pP]%w?%w?[: ]()(%S+)" },
}
-- Who logs in, where nothing else says that a login follows.
local ACCOUNTS = set [[
  root admin administrator bot user sa postgres mysql neo4j elastic guest test deploy ci service svc jenkins app oracle
  ubuntu default]]

-- A word that looks like a password, without what ends it.
local function typed_word(word)
  word = word:match "^[\"']?([^\"',;]+)"
  return word and values.is_typed(word) and word
end

-- What is in commands that take passwords.
local TAKING = { "cred", "unlock", "login", "import", "auth", "remote", "sign", "crypt", "vnc", "desktop", "connect",
  "mount",
  "join", "keychain", "cluster", " user ", "admin", "console", "session", "vpn", "account" }

-- A word that fits, after an option of such a command.
local function fitting_word(scan, at, word)
  word = word:match "^[\"']?([^\"',;]+)"
  if not word or not values.fits(word) or word:find "^%l+%d%d?$" then return nil end
  local command = scan.lower:sub(scan:line_start(at), at)
  for _, stem in ipairs(TAKING) do
    if command:find(stem, 1, true) then return word end
  end
end

-- A UUID of a short option: -t UUID
local function find_uuids(scan)
  for _, option in ipairs { " -t", " -k" } do
    for _, to in scan:each(option) do
      local from, word = scan.text:match("^[ =]()([%x-]+)%f[%s\"'%z]", to + 1)
      if from and randomness.is_uuid(word) then scan:add(from, from + #word - 1, "argument of a command") end
    end
  end
end

-- Passwords that follow a short option, or the name of an account: -p X, root:X.
local function find_typed(scan)
  for sign, patterns in pairs(OPTIONS) do
    for _, to in scan:each(sign) do
      for _, pattern in ipairs(patterns) do
        local start, word = scan.text:match(pattern, to + 1)
        local typed = word and (typed_word(word) or fitting_word(scan, to, word))
        local quote = typed and word:find "^[\"']" and 1 or 0
        if typed then scan:add(start + quote, start + quote + #typed - 1, "argument of a command") end
      end
    end
  end
  for account, start, word in scan.text:gmatch "%f[%w](%l[%l%d]+) ?[:/] ?()([^%s:/\"']+)" do
    local ticket = #word >= 32 and word:find "^[%d%u]+$" and word
    -- A line that says nothing else.
    local alone = ACCOUNTS[account] and scan.text:find("^[%s]*%f[\n%z]", start + #word) and values.fits(word)
    if alone and start - #account - scan:line_start(start) < 8 then ticket = word end
    local typed = ACCOUNTS[account] and (typed_word(word) or ticket)
    if typed then scan:add(start, start + #typed - 1, "password of a login") end
  end
end

-- An option of a user, and options of passwords: tool -u ann -p X.
local USERS = { " -u", " --u", " -l", " --l" }
local USER = "^%a*[ =][\"']?[%w._@\\-]+[\"']?()%f[%s]"
local BESIDE = { "%f[%S]%-%a?[pPwW][wW]?[ =]?()([^%s;|&]+)", "%f[%S]/[pP]%a*[: ]()(%S+)" }
local NO_LOGIN = { "mkdir", "docker run", "podman run", "sudo", "ssh ", "srun" }

-- The password of an option after a user's, which ends at `at`.
local function add_beside(scan, at)
  local before = scan.text:sub(scan:line_start(at), at)
  for _, command in ipairs(NO_LOGIN) do
    if before:find(command, 1, true) then return end
  end
  local rest = scan.text:sub(at, math.min(scan:line_end(at), at + 160))
  for _, pattern in ipairs(BESIDE) do
    local start, word = rest:match(pattern)
    word = word and word:gsub("^[\"']", ""):gsub("[\"'].*$", "")
    if word and values.fits(word) then
      if rest:find("^[\"']", start) then start = start + 1 end
      scan:add(at + start - 1, at + start + #word - 2, "argument of a command")
    end
  end
end

local function find_beside(scan)
  for _, user in ipairs(USERS) do
    for _, to in scan:each(user) do
      local at = scan.text:match(USER, to + 1)
      if at then add_beside(scan, at) end
    end
  end
end

local PREPOSITIONS = set "from at on as for to by in of with via the and was is has failed"

-- login ann X, login: ann / X
local function find_login(scan)
  for _, to in scan:each "login" do
    local user, start, word = scan.text:match("^[ \t]+([%w._@\\-]+)[ \t]+[\"']?()([^%s\"']+)", to + 1)
    if user and not PREPOSITIONS[user:lower()] and not user:find "^%-" and values.fits(word)
      and not word:find "^%l+%d%d?$" and not word:find "[:,.]$" then
      scan:add(start, start + #word - 1, "password of a login")
    end
  end
end

-- What is before the name of an account.
local LOGINS = { "user", "login", "ident", "auth", "account", " -n", " -u" }
local LOGIN = 80  -- characters of a login that are looked at

-- The first password in the words after the name of an account.
local function add_after(scan, at)
  local stop = math.min(scan:line_end(at), at + LOGIN)
  for start, word in scan.text:sub(at, stop):gmatch "%f[^%s:]()([^%s:\"',;]+)" do
    if word:find "[=(]" then return end
    if values.is_drawn(word) or word:find "[!#$%%&*?^]" and values.is_typed(word) then
      return scan:add(at + start - 1, at + start + #word - 2, "password of a login")
    end
  end
end

-- Passwords some words after what says that a login follows: addauth digest ann:X, createUser ann SHA X.
local function find_after_login(scan)
  for _, login in ipairs(LOGINS) do
    for _, to in scan:each(login) do
      local at = scan.text:match("^%a* *[ :] *%l[%w._-]+()[ :]", to + 1)
      if at then add_after(scan, at) end
    end
  end
end

-- The login of an option, "-auth ann:X": hexadecimal digits, too.
local function find_optional(scan)
  for _, to in scan:each " -" do
    local account, start, word = scan.text:match("^%-?%a[%w-]*[ =](%l[%w._-]*):()([^%s:/\"'`]+)", to + 1)
    local hex = word and #word >= 30 and word:find "^%x+$" and not account:find "^sha%d" and not account:find "^md5"
    local human = word and word:find "^%l+%d%d%d+$" and not account:find "%d"
    if word and (values.is_typed(word) or values.is_drawn(word) or values.is_phrase(word) or human or hex) then
      scan:add(start, start + #word - 1, "password of a login")
    end
  end
end

--- Credentials of logins.
return function(scan)
  find_schemes(scan)
  find_logins(scan)
  find_typed(scan)
  find_after_login(scan)
  find_optional(scan)
  find_beside(scan)
  find_login(scan)
  find_uuids(scan)
end
