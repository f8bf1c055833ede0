-- Whether a value is secret, given what its name says of it.

local names = require "lib/redaction/names"
local randomness = require "lib/redaction/randomness"
local set = require("lib/redaction/words").set

local values = {}

-- What stands where a secret would, and reveals nothing.
local LITERALS = set [[
  true false nil null none undefined yes no on off str string bytes bytearray int float bool boolean any object optional
  char text varchar self required missing invalid expired incorrect wrong unset empty omitted hidden redacted
  default auto env environ prompt stdin bearer basic digest osxkeychain store cache keyring header cookie forbidden
  denied failed ok success error accepted rejected revoked refreshed found valid set not must is was has for the a an
  and or from in of to with file changeme-not password token secret key]]

-- "$TOKEN", "${TOKEN}", "%TOKEN%", "$(pass show x)", "{{ token }}", "<token>", "****"
local REFERENCES = { "^%$[%a_][%w_]*$", "^%${[^}]*}?$", "^%%[%a_][%w_]*%%$", "^%$%(", "^%$env:[%w_]+$", "^{{",
  "^{%w*}$", "^<[%w_ :.-]+>$", "^%*+$", "^[xX][xX][xX]+$", "^%.+$", "^%$%$", "^%[%u+%]$", "^`", "^!vault", "^enc%[",
  "^&[%a_]+$", "^@[%w_./-]+$", "^%%[%a]$", "^[^%w]*$", "^[01]$" }

local function is_reference(value)
  for _, pattern in ipairs(REFERENCES) do
    if value:find(pattern) then
      -- $ecret may be a password: a variable is written in capitals, or names a secret itself.
      local variable = value:match "^%$([%a_][%w_]*)$"
      return not variable or variable:find "^[%u%d_]+$" ~= nil or #variable > 12 or variable:find "_" ~= nil
    end
  end
  return false
end

-- What an object is called that holds secrets.
local HOLDERS = set [[
  self this args arg opts options cfg config conf settings env environ request req params ctx context data module torch
  jax np os sys process var local credentials result response event inputs outputs secrets user]]

-- read_token(), args.token, os.environ["X"]; harbor.violin.meadow is a passphrase, and so is whatever a variable of the
-- environment holds.
local function is_code(name, value)
  if value:find "^[%a_][%w_.:]*[%(%[]" then return true end
  if name:find "^%-" or name:find "^%u[%u%d_]*$" then return false end
  if not value:find "^[%a_][%a_-]*%.[%a_.-]*%a$" or #value >= 60 then return false end
  local count = 0
  for word in value:gmatch "%a+" do
    if HOLDERS[word] or word:find "%u" or names(word) then return true end
    count = count + 1
  end
  return count < 3
end

local function is_path(value)
  return value:find "^~?%.?%.?/[%w._/-]+$" ~= nil and select(2, value:gsub("/", "")) >= 2
    and not randomness.certain(value:match "[^/]*$")
end

--- Whether a word looks like a password that somebody thought of: letters of both cases and digits, or a sign.
function values.is_typed(value)
  if #value < 8 or #value > 40 or value:find "[/(){}%[%]<>:=`|\\]" or not value:find "%l" then return false end
  if not value:find "%d" then return value:find "%l%u" ~= nil and value:find "[!#$%%&*?^_.]$" ~= nil end
  local mixed = value:find "^[%w_]+$" and value:find "%u" or value:find "^[%w_.]+$" and value:find "[%l%d]%u"
  return mixed and not value:find "^%u%l+%d+$" or value:find "[!#$%%&*?@^]" ~= nil
end

--- Whether it is a passphrase: three words or more, harbor-violin-meadow.
function values.is_phrase(word)
  return #word <= 60 and word:find "^%a+[%._-]%a+[%._-]%a[%a%._-]*%a$" ~= nil
end

--- Whether it is letters of one case that are not a word.
function values.is_gibberish(word)
  return #word >= 8 and (word:find "^%l+$" or word:find "^%u+$") and randomness.is_unreadable(word, 7, 0.65)
end

-- Two words with a sign, a capital letter or a number: Harbor-Violin, violin_quartz7
local function is_pair(word)
  return word:find "^%u%l+[._-]%u?%l+[!%d]*$" ~= nil or word:find "^%l+[._-]%u%l+[!%d]*$" ~= nil
    or word:find "^%l+[._-]%l+[!%d][!%d]*$" ~= nil
end

--- Whether a word may be a password where it stands in the place of one.
function values.fits(word)
  if #word < 6 or #word > 64 or word:find "[%s/\\(){}<>=|%[%]\"'`]" or not word:find "%a" or is_reference(word) then
    return false
  end
  if LITERALS[word:lower()] or word:find "^%-" or word:find "^[%w._-]+@[%w.-]+%.%a+$" then return false end
  return word:find "%d" ~= nil or word:find "[!#$%%&*?@^]" ~= nil or values.is_phrase(word) or is_pair(word)
    or randomness.is_scrambled(word) or values.is_gibberish(word)
end

--- Whether letters and digits follow one another as in no name: 0cfoe9bxch8l.
function values.is_drawn(word)
  return #word >= 8 and #word <= 40 and word:find "^%w+$" ~= nil and not randomness.is_digest(word)
    and not word:find "^0x" and select(2, word:gsub("%a%f[%d]", "")) + select(2, word:gsub("%d%f[%a]", "")) >= 3
end

--- Whether a word may be a secret where its name is only near it: letters and digits, and neither a path nor a version.
function values.is_likely(word)
  return #word >= 8 and #word <= 200 and word:find "%d" ~= nil and word:find "%a" ~= nil
    and not word:find "[%s/\\(){}<>|%[%]]" and not word:find "^v?%d+%.%d" and not word:find "^%l+%d+%-%l+$"
    and not word:find "[_.-]%a+[_.-]%a" and not is_reference(word)
end

--- What a name that may be harmless says in the query of a URL, where it has no other use.
function values.in_query(name, value)
  local pass = name:lower():find "^pass" and #value >= 6
  return (pass or #value >= 20 and value:find "%d" and value:find "^[%w_%%.~+/=-]+$") and "strong" or nil
end

-- Whether it is the number of a card, or the id of who is logged in, which is hexadecimal.
local function is_of_person(name, value)
  if value:find "^%d%d%d%d%d?%d?%d?%d?$" then return name:find "%f[%a]pin$" ~= nil end
  return #value >= 32 and value:find "^%x+$" ~= nil and (name:find("session", 1, true) ~= nil
    or name:find "%f[%a]sid$" ~= nil)
end

--- `says`: of lib/redaction/names.lua; `quoted`: whether it stood in quotes.
function values.is_secret(says, name, value, quoted)
  if value == "" or value:find("<redacted>", 1, true) then return false end
  if LITERALS[value:lower()] or is_reference(value) then return false end
  if not quoted and is_code(name, value) or is_path(value) then return false end
  -- The working folder has the same name.
  local folder = value:find "^[~/.$]" or value:find "^%a:[\\/]"
  if folder and name:lower() == "pwd" then return false end
  if says == "whole" then return value:find "[%d%u=]" ~= nil end
  if says == "weak" and name:lower():find "^[-/]*pass$" then
    -- A pass of a compiler has a name, and tests that pass a number.
    if name:find "^[-/]" and #value >= 6 and value:find "%l" and value:find "%u" then return true end
    local mixed = #value >= 6 and value:find "%a" ~= nil and value:find "[%d!#$%%&*+=?@^~]" ~= nil
    return mixed and (quoted or name:find "^[-/]" ~= nil or value:find "[%u%p]" ~= nil and value:find "%d" ~= nil
      and not value:find "^[%l%d_.-]+$")
  end
  local of_user = says == "weak" and value:match "^[%w._@-]+:([^%s:]+)$"
  if of_user and values.is_typed(of_user) then return true end
  if says == "weak" and name:find "AUTH$" and values.is_typed(value) then return true end
  if says == "weak" and is_of_person(name:lower(), value) then return true end
  if says == "weak" then
    return randomness.likely(value) and not randomness.is_digest(value) and not randomness.ends_in_digest(value)
      or names.is_key(name) and (value:find "^%x+$" ~= nil and #value >= 32 or value:find("^"
        .. randomness.UUID) ~= nil)
      or #value >= 16 and value:find "%u" ~= nil and value:find "%l" ~= nil and value:find "^[%w+/]+=*$" ~= nil
        and (value:find "=$" or value:find "%d") ~= nil
  end
  if value:find "^[%d.,:]+$" then
    local lower = name:lower()
    return #value >= 16 or lower:find("passw", 1, true) ~= nil or lower:find("pwd", 1, true) ~= nil
      or #value >= 6 and lower:find "pass$" ~= nil or lower:find("otp", 1, true) ~= nil
      or #value >= 4 and lower:find "pass.?code$" ~= nil
  end
  return true
end

return values
