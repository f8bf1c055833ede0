-- Secrets that prose speaks of, after a name that says so: "the password for root is X", "Use this token:" and the
-- value below it.

local randomness = require "lib/redaction/randomness"
local set = require("lib/redaction/words").set
local values = require "lib/redaction/values"

-- After these, an identifier is one of a person who is logged in.
local OF_PERSON = set "session sessions sid cookie login auth"

local spoken = {}

-- What a word after this name says: whether it is the value that is spoken of.
function spoken:speaks_of(value, distance)
  if not randomness.likely(value) or value:find "^sha%d" or value:find "%.%a%a%a?%a?$" then return false end
  if randomness.certain(value) then return true end
  local id = value:find "^%x+$" and #value >= 32 or randomness.is_uuid(value)
  if self.says == "strong" then return id or #value >= 20 and value:find "^[%l%d]+$" or value:find "^[%u%d]+$" end
  if not id or distance >= 24 then return false end
  for word in self.name:lower():gmatch "%a+" do
    if OF_PERSON[word] then return true end
  end
end

-- "Use this password:", and the value on a line of its own below it.
function spoken:below(at)
  if self.says ~= "strong" or self.scan.code then return end
  local text = self.scan.text
  local start, value = text:match("^[%l ]-:[ \t]*\r?\n%s*()([^%s:=,;()<>{}]+)[ \t]*\r?%f[\n%z]", at)
  if not start or #value < 6 or not value:find "%d" or not value:find "%a" then return end
  if values.is_secret("strong", self.name, value, true) then return self:add(start, start + #value - 1) end
end

-- "A password was made for root: X"
function spoken:at_line_end(at)
  if self.says ~= "strong" or self.scan.code then return end
  local rest = self.scan.text:sub(at, math.min(self.scan:line_end(at), at + 120))
  local start, value = rest:match "^[^:=]*:%s+()(%S+)%s*$"
  if not start or #value < 6 or value:find "[/(){}]" then return end
  local name = self.name:lower()
  local prompt = name:find "pass" and rest:find "^ for [^:]+:" and values.is_secret("strong", name, value, true)
  if prompt then return self:add(at + start - 1, at + start + #value - 2) end
  if not (value:find "%a" and (value:find "[%d!#$%%&*?@^]" or value:find "%l%u")) then return end
  if name:find "pass" and not randomness.is_digest(value) or name:find "netrc" and randomness.likely(value) then
    return self:add(at + start - 1, at + start + #value - 2)
  end
end

-- "The password for root is X", "password X was set", "password 0 X". In prose, a passphrase needs no digits.
local SAID = {
  "^ [%a ]-%f[%a]is[: ]+[\"'`]?()([^%s\"'`]+)", "^ ()([^%s)]+)%)", "^ %l+ [\"']()([^%s\"']+)[\"']",
  "^ [\"'`]?()([^%s\"'`]+)[\"'`]? for%f[%A]", "^ for [%w._@-]+ is[: ]+[\"'`]?()([^%s\"'`]+)",
  "^ [%a ]-%f[%a]to[: ]+[\"'`]?()([^%s\"'`]+)", "^ [\"'`]?()([^%s\"'`]+)[\"'`]? w?[aih]%a+%f[%A]",
  "^ %d ()(%S+)%s*%f[\n%z]", "^ ()(%S+)%s*%f[\n%z]", "^ ()(%S+)[.,;]", "^[%a ]*[,:] ()(%S+)[.,;]?%s*%f[\n%z]",
}

function spoken:said(at)
  local name = self.name:lower()
  local pass = name:find "pass" or name:find "pwd" or name:find "kennwort" or name:find "secret$" or name == "pw"
  if self.says ~= "strong" or self.scan.code or not pass then return end
  local rest = self.scan.text:sub(at, math.min(self.scan:line_end(at), at + 120))
  for _, pattern in ipairs(SAID) do
    local from, value = rest:match(pattern)
    value = value and value:gsub("[.,;:]+$", "")
    local shaped = value and values.fits(value) and not value:find ":" and not value:find "^v?%d+%.%d"
    if shaped and values.is_secret("strong", self.name, value, true) then
      return self:add(at + from - 1, at + from + #value - 2)
    end
  end
end

-- Twelve words of a wallet's phrase.
function spoken:phrase(at)
  if not self.name:lower():find "mnemonic" and not self.name:lower():find "phrase" then return end
  local line = self.scan.text:sub(at, self.scan:line_end(at))
  local words = line:match "^[\"']?[%l ]+"
  if words and select(2, words:gsub("%l+", "")) >= 12 then return self:add(at, at + #words - 1) end
end

-- "set the password of root to X"
function spoken:typed(at)
  if self.says ~= "strong" or self.scan.code then return end
  local name = self.name:lower()
  if not (name:find "pass" or name:find "pwd" or name:find "secret" or name:find "cred") then return end
  local rest = self.scan.text:sub(at, math.min(self.scan:line_end(at), at + 80))
  for start, value in rest:gmatch "()([^%s\"',;\\]+)" do
    local secret = values.is_typed(value:gsub("[.)]+$", "")) or values.is_drawn(value)
    if secret then return self:add(at + start - 1, at + start + #value - 2) end
  end
end

-- Words of prose after the name: the first that looks random is what they speak of.
function spoken:prose(at)
  local stop = math.min(self.scan:line_end(at), at + 80)
  local text, offset, from = self.scan.text:sub(at, stop + 400), at - 1, 1
  stop = stop - offset
  while from <= stop do
    local start, over = text:find("[%w+/=_.~%-]+", from)
    if not start or start > stop then return end
    local value = text:sub(start, over):gsub("[.]+$", "")
    if self:speaks_of(value, start) then
      return self:add(offset + start, offset + start + #value - 1)
    end
    from = over + 1
  end
end

return spoken
