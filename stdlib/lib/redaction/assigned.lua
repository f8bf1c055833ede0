-- Finds values whose name says that they are secret: NAME=value, "name": "value", name: value, --name value,
-- <name>value<, setenv NAME value, and prose such as "token is value". Headers and cookies are names, too.

local names = require "lib/redaction/names"
local place = require "lib/redaction/place"
local randomness = require "lib/redaction/randomness"
local spoken = require "lib/redaction/spoken"
local values = require "lib/redaction/values"

-- One of them is in each name that says something; what else it says, lib/redaction/names.lua knows.
local STEMS = { "pass", "pwd", "psw", "secret", "cred", "token", "key", "auth", "cookie", "session", "sid", "sig",
  "dsn", "webhook", "jwt", "bearer", "otp", "pin", "salt", "conn", "sas", "pat", "license", "mnemonic", "kennwort",
  "hmac", "pw", "login", "psk", "crumb", "netrc", "saml", "pepper" }

-- What a password is called in other languages, where a word of English would be in the name.
local FOREIGN = {
  "mot de passe", "clave", "senha", "wachtwoord", "contrase\u{f1}a", "l\u{f6}senord", "has\u{142}o", "heslo", "parola",
  "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}", "\u{5bc6}\u{7801}", "\u{5bc6}\u{78bc}",
  "\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}", "\u{be44}\u{bc00}\u{bc88}\u{d638}", "adgangskode", "passord", "salasana",
  "jelsz\u{f3}", "\u{15f}ifre",
}

-- Whether nothing but indentation and marks is before the name on its line, as in YAML and INI files.
local function starts_line(scan, at)
  return scan.text:sub(scan:line_start(at), at - 1):find "^[%s%-#>|*+;/]*$" ~= nil
end

local function is_lower_word(value) return value:find "^%l+$" ~= nil end

local Found = setmetatable({}, { __index = spoken })
Found.__index = Found

local BESIDE = 100  -- characters before and after a name

-- Whether a field beside an ambiguous name says whose secret this is: {"username": "ann", "key": ...}
function Found:is_of_user(value, to)
  local pass = self.name:lower():find "pass$" and #value >= 6 and value:find "%a"
  if self.says ~= "weak" or not pass and not randomness.likely(value) or randomness.ends_in_digest(value) then
    return false
  end
  local around = self.scan.lower:sub(math.max(1, self.from - BESIDE), to + BESIDE)
  for _, field in ipairs { "user", "usr", "username", "user_name", "email", "login", "account", "client_id" } do
    if around:find("%f[%w_]" .. field .. "\\?[\"']?%s*[:=]%s*\\?[\"']?[%w@]") then return true end
  end
  return false
end

function Found:add(from, to)
  if to - from >= place.JUDGED then to = self.scan.text:match("^[^%s\"'`]*()", to) - 1 end
  self.scan:add(from, to, self.kind)
  self.past = to
  return true
end

-- $pass, in languages that mark variables.
function Found:is_variable()
  return self.name == "pass" and self.from > 1 and self.scan.text:find("^[$@]", self.from - 1) ~= nil
end

-- A value in quotes: adds it if it is secret, and returns whether one is there.
function Found:quoted(at)
  local scan = self.scan
  local from, to, over = place.quoted(scan, at)
  if not from then return false end
  local value = scan.text:sub(from, to)
  if value:find "^%s" then return true end  -- these quotes end a string: "--password=" .. x
  local is_key = over and self.says == "strong" and scan.text:find("^%s*:%s", over + 1) and value:find "^%a+$"
  if is_key then return true end  -- get-token: "SessionToken": "X"
  if self.says == "whole" then
    local scheme = value:match "^%a+%s+()%S"
    if scheme and #value > 12 then from = from + scheme - 1 end
    if values.is_secret("whole", self.name, value, true) then self:add(from, to) end
  elseif values.is_secret(self:is_variable() and "strong" or self.says, self.name, value, over ~= nil)
    or self:is_of_user(value, to) then
    -- Prose in quotes is not a value.
    local blanks = select(2, value:gsub("%s+", ""))
    if self.says == "weak" or blanks == 0 or #value < 200 and blanks < 8 then self:add(from, to) end
  end
  return true
end

-- A value without quotes after this sign, "=" or ":", with blanks around it or not.
function Found:bare(at, sign, blanks)
  local scan, text = self.scan, self.scan.text
  if self.says == "whole" then
    local from, to = place.rest(scan, self.from, at)
    if values.is_secret("whole", self.name, text:sub(from, to), true) then self:add(from, to) end
    return
  end
  local from, to = place.bare(scan, at, text:find("^[?&]", self.from - 1))
  local value = text:sub(from, to)
  local says = text:find("^[?&]", self.from - 1) and values.in_query(self.name, value) or self.says
  if self.name == "PASS" and sign == "=" and not blanks and value:find "%a" and #value >= 6 then says = "strong" end
  if not values.is_secret(says, self.name, value, false)
    and not (says == "weak" and self:is_of_user(value, to)) then return end
  if blanks and self.says == "strong" then
    if scan.code and not randomness.likely(value) then return end
    local at_start = starts_line(scan, self.from)
    local rest = text:sub(from, scan:line_end(from))
    local lower = is_lower_word(value) and not values.is_gibberish(value)
    if lower and rest:find "^%l+%s+%l+%s+%S" then return end  -- a sentence
    if at_start and sign ~= "=" and select(2, rest:gsub("%S+", "")) <= 6 and not scan.code then
      to = from + #rest:gsub("%s+#.*", ""):gsub("[%s,;]+$", "") - 1
    elseif lower and not at_start then
      return
    elseif value:find "^[%a_]+$" and value:find "_" and sign == "=" then
      return  -- a variable
    end
  end
  self:add(from, to)
end

-- The indented lines of a text in YAML: "token: >-".
function Found:folded(at)
  local scan, text = self.scan, self.scan.text
  local indent, start = text:match("^[|>][%d+-]*[ \t]*\r?\n([ \t]+)()%S", at)
  if not indent or #text:sub(scan:line_start(self.from), self.from - 1):match "^%s*" >= #indent then return end
  local stop = scan:line_end(start)
  while text:find("^\n" .. indent .. "%S", stop + 1) do stop = scan:line_end(stop + 2) end
  if values.is_secret(self.says, self.name, text:sub(start, stop):gsub("%s+", ""), true) then
    return self:add(start, stop)
  end
end

-- SET PASSWORD FOR 'x'@'%' = 'value'
function Found:in_sql(at)
  if not self.name:find "^PASSWORD$" then return end
  local from, over = self.scan.text:match("^ FOR [^\n=]+= *'()[^'\n]+()'", at)
  if from then return self:add(from, over - 1) end
end

local SET = { "setenv%s+$", "setx%s+$", "%f[%w]set%s+%-%-?[%a-]+%s+$", "config%s+set%s+%S*$", "%f[%w]ENV%s+$",
  "%f[%w]ARG%s+$", "%f[%w]set%s+%S*$" }

-- NAME value, where the words before it set a variable.
local function is_set(scan, from)
  local before = scan.text:sub(math.max(scan:line_start(from), from - 60), from - 1)
  for _, pattern in ipairs(SET) do
    if before:find(pattern) then return true end
  end
  return false
end

-- A name and its value in other fields: { "name": "X", "value": "Y" }, "X", "Y", | X | Y |, <X>Y</X>.
function Found:paired(at)
  local text = self.scan.text
  local field = text:match("^\\*[\"']?%s*,?%s*\\*[\"']?[Vv]alue\\*[\"']?%s*[:=]%s*()", at)
  if field then return self:quoted(field) or self:bare(field, ":", false) or true end
  local listed = text:match("^\\*[\"']%s*,%s*()%a?\\*[\"']", at)
  local is_name = self.option or self.says == "whole" or self.name:find "^%u[%u%d_]+$" or self.name:find "%a%.%a"
  local call = listed and text:sub(math.max(1, self.from - 40), self.from - 1):lower():match "([%w_]+)%(%s*[\"']$"
  is_name = is_name or call and (call:find "put" or call:find "set" or call:find "add" or call:find "append"
    or call:find "header" or call:find "insert")
  if listed and self.says ~= "weak" and is_name then return self:quoted(listed) end
  -- curl_easy_setopt(curl, CURLOPT_PASSWORD, "X")
  local constant = self.says == "strong" and self.name:find "^%u[%u%d_]+$"
    and text:match("^%s*,%s*()[\"'][^\"'%s]+[\"']%s*%)", at)
  if constant then return self:quoted(constant) end
  local cell = text:match("^%s*|%s*()[^|%s]", at)
    or text:match("^[\"']%s*>()[^<%s]", at)  -- <string name="X">Y<
    or self.from > 1 and text:find("^<", self.from - 1)
      and (text:match("^>()[^<%s]", at) or text:match("^>%s*<%a+>()[^<%s]", at))
    or text:match("^</key>%s*<string>()[^<%s]", at)
  if cell and self.says == "strong" then
    local from, to = place.bare(self.scan, cell)
    if values.is_secret(self.says, self.name, text:sub(from, to), true) then self:add(from, to) end
    return true
  end
end

-- Strings in a call or an object of this name: Credentials("realm", "bot", "X"), "github-oauth": { "host": "X" }.
function Found:enclosed(at)
  local scan, inner = self.scan, self.scan.text:match("^[\"']?%s*:?%s*[({]()[^(){}\n]*[\"'][^(){}\n]*[)}]", at)
  if not inner or self.option then return end
  local stop = scan.text:find("[)}]", inner)
  for from, value, sign in scan.text:sub(inner, stop):gmatch "[\"']()([^\"']+)[\"']%s*([:=]?)" do
    local secret = values.is_typed(value) or randomness.certain(value) or #value >= 32 and value:find "^%x+$"
    if secret and sign == "" then return self:add(inner + from - 1, inner + from + #value - 2) end
  end
end

-- A directive and its value, also after an option, and a line of .netrc: rootpw --plaintext X, login bot password X
function Found:directive(blank)
  local scan, text, name = self.scan, self.scan.text, self.name:lower()
  if scan.code then return end
  local starts = starts_line(scan, self.from)
  local at = starts and text:match("^%-%-%a+[ \t]+()%S", blank) or blank
  local only = text:match("^(%S+)[ \t]*\r?%f[\n%z]", at)
  if only and starts then
    local plain = only:find "^%a+%d+$" and not randomness.is_digest(only) and (name:find "pw" or name:find "pass")
    local signs = not only:find "^%w+$" and only:find "%l%u" and not only:find "[/(){}.:<>=%[]"
    if values.is_typed(only) or randomness.certain(only) or #only >= 8 and (plain or signs) then
      return self:add(at, at + #only - 1)
    end
    local fits = name:find "^pass" and #only >= 32 and only:find "^%x+$" or name:find "pw$" and values.fits(only)
    if fits then return self:add(at, at + #only - 1) end
  end
  local before = text:sub(scan:line_start(self.from), self.from - 1)
  if not name:find "^pass" or not (starts or before:find "machine%s" or before:find "login%s+%S+%s+$") then return end
  local word = only or text:find("machine", at, true) and text:match("^%S+", at)
  if word and values.is_secret("strong", self.name, word, true) then return self:add(at, at + #word - 1) end
end

-- What stands between a name and its value in a declaration, a call, an object, a list and a table, where the value has
-- to look like one. The two empty captures are around it.
local NEAR = {
  "^[@}%w_>%%]*/()[^/\n]+()/",                                     -- s/@TOKEN@/X/
  "^%??%s*:?%s*[&%w_:.<>]+%s*=%s*[\"']()[^\"'\n]+()[\"']",         -- let token: &str = "X"
  "^%s*[:=]%s*%u%w*%(%s*[\"']()[^\"'\n]+()[\"']%s*%)",            -- token = Secret("X")
  "^%s*[({]%s*[\"']()[^\"'\n]+()[\"']%s*[)}]",                    -- with_token("X")
  "^%s*[:=]%s*[%w_.]+%(%a?[\"']()%x+()[\"']%)",                      -- key = bytes.fromhex("X")
  "^[\"']%s*,%s*[\"']()[^\"'\n]+()[\"']%s*[)%]]",                 -- ("token", "X")
  "^%s*[=!]=%s*[\"']()[^\"'\n]+()[\"']",                           -- if token == "X"
  "^%.%a+%(%s*[\"']()[^\"'\n]+()[\"']%s*%)",                      -- token.equals("X")
  "^:[ \t]*\r?\n[ \t]+value:[ \t]+[\"']?()[^%s\"']+()",             -- token:\n  value: X
  "^:[ \t]*\r?\n[ \t]+%-[ \t]+[\"']?()[^%s\"':]+()[\"']?%f[%s%z]",
  "^[ \t]+%->[ \t]+[\"']?()[^%s\"']+()", "^\t+()%S+()%f[%s%z]", "^ is ()%S+()%f[%s%z]", "^ %([%w ]+%): ()%S+()%f[%s%z]",
}

function Found:nearby(at)
  if self.says ~= "strong" then return end
  local text = self.scan.text:sub(at, at + 400)
  for _, pattern in ipairs(NEAR) do
    local from, past = text:match(pattern)
    local value = from and text:sub(from, past - 1)
    local fits = value and (values.is_likely(value) or values.is_typed(value) or randomness.is_scrambled(value)
      or value:find "^[%u2-7]+$" and #value >= 16
      or self.name:lower():find "passw?" and values.fits(value) or self.name:find "[Ss]ecret" and values.fits(value))
    if fits and values.is_secret("strong", self.name, value, true) then
      return self:add(at + from - 1, at + past - 2)
    end
  end
end

local function name_is_pass(found) return found.name:lower() == "pass" and not found.scan.code end

function Found:look()
  local scan, text, at = self.scan, self.scan.text, self.to + 1
  at = text:match("^%[%]()", at) or at
  if self:enclosed(at) or self:nearby(at) then return end
  -- X_TOKEN[0] = ..., os.environ["X"] = ..., "X": ..., \"X\": ...
  local gap, sign, after, start = text:match("^(%s?%s?%s?[\\\"'`]*[%])]?%s*)[|?+]*([:=][:=]?>?)(%s*)()", at)
  if sign == "::" or sign == "==" then return end
  if sign and not gap:find "\n" then
    if after:find "\n" then
      -- In JSON a value may be on the next line; in YAML what follows on the next line is something else.
      if not gap:find "[\"']" then return end
    end
    local blanks = gap:find "%s" ~= nil or after ~= ""
    -- What YAML has before a value: an anchor or a tag; and the bracket of a list.
    start = blanks and text:match("^[&!]+[%a_]+[ \t]+()%S", start) or text:match("^[%[(]%s*()[\"'][^\"'%s]", start)
      or start
    if self:phrase(start) or self:folded(start) or self:quoted(start) then return end
    self:bare(start, sign, blanks)
    -- "expect 'Password:' { send 'X' }"
    if not self.past then return self:typed(start) or self:below(at) end
    return
  end
  local encoded = text:match("^%%3[dD]()[^%%%s]", at)
  if encoded then
    local value = text:match("^[^%%%s&\"']+", encoded)
    if values.is_secret(self.says, self.name, value, false) then self:add(encoded, encoded + #value - 1) end
    return
  end
  if self:paired(at) then return end
  local blank = text:match("^[ \t]+()", at)
  if not blank then return end
  local is_value = is_set(scan, self.from) and not text:find("^to%s", blank)  -- "set the password to X" is prose
  if self.option and self.says == "strong" or is_value then
    if text:find("^%-[%-%l]?[%l%d%-]*%f[%s=\"'%z]", blank) then return end
    if not self:quoted(blank) then self:bare(blank, " ", false) end
    return
  end
  if name_is_pass(self) then
    local from, word = text:match("^[\"']()([^%s\"']+)[\"']", blank)
    if not from and starts_line(scan, self.from) then from, word = text:match("^()(%S+)[ \t]*\r?%f[\n%z]", blank) end
    if from and values.fits(word) then return self:add(from, from + #word - 1) end
  end
  if self.says == "strong" then
    local call = scan.code and not text:find("^[\"'][^\"'\n]*%d", blank)  -- token "name" calls a function
    local quoted = not call and text:find("^[\"']%S", blank) and not text:find("^'%a%s", blank)
    if quoted and self:quoted(blank) then return end
    -- "password hunter2", as some commands have it
    local word = text:match("^[^%s,;\"'`()]+", blank)
    local mixed = word and word:find "%l" and (word:find "%d" and word:find "[%u%p]"
      or word:find "%u" and word:find "[!#$%%&*?^]")
    if mixed and #word >= 6 and self.name:lower():find "^pass" and not scan.code and not word:find "[:=(]" then
      return self:add(blank, blank + #word - 1)
    end
    if self:directive(blank) then return end
  end
  return self:in_sql(at) or self:below(at) or self:at_line_end(at) or self:said(at) or self:typed(blank)
    or self:prose(blank)
end

local assigned = {}

--- Whether a value of this name is secret: of a variable, or of an option.
function assigned.is_secret(name, value)
  local says = names(name)
  return says ~= nil and values.is_secret(says, name, value, true)
end

local KINDS = { whole = "header", strong = "named secret", weak = "named secret" }

-- "Senha: X"
local function find_foreign(scan)
  for _, word in ipairs(FOREIGN) do
    for from, to in scan:each(word) do
      local at, value = scan.text:match("^ ?[:=\u{ff1a}]+%s*[\"']?()([^%s\"']+)", to + 1)
      if at and scan:starts_word(from) and values.is_secret("strong", "password", value, true) then
        scan:add(at, at + #value - 1, "named secret")
      end
    end
  end
end

--- Values whose name says that they are secret.
local function find(scan)
  find_foreign(scan)
  local seen = {}
  for _, stem in ipairs(STEMS) do
    local past = 0  -- where the last value ends; a name within it is a part of it
    for hit, hit_end in scan:each(stem) do
      local from, to = hit, hit_end
      if hit > past then from, to = place.name(scan.text, hit, hit_end) end
      if hit > past and not seen[from] then
        seen[from] = true
        local name = scan.text:sub(from, to)
        local option = name:find "^%-+" ~= nil
        -- log:NAME, -DNAME and \nNAME: the name begins after what is before it.
        local says = names(name)
        if says then
          local found = setmetatable({ scan = scan, from = from, to = to, name = name, says = says, option = option,
            kind = KINDS[says] }, Found)
          found:look()
          past = found.past or past
        end
      end
    end
  end
end

return setmetatable(assigned, { __call = function(_, scan) find(scan) end })
