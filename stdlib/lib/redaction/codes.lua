-- Finds codes and phrases that somebody gets to log in once, or to recover an account: by the words before them.

-- What a code is for.
local OF_CODE = { "verification", "recovery", "backup", "one-time", "security", "authentication", "login", "2fa", "mfa",
  "confirmation", "scratch", "emergency", "pairing", "unlock", "sms", "sign-in", "activation", "otp", "device",
    "enter the",
  "sign in", "user", "access", "pairing", "approval" }
-- What is before the words of a phrase.
local PHRASES = { "phrase", "seed", "mnemonic", "paperkey", "paper key", "seed words", "recovery words",
  "backup words" }
local FEWEST = 10  -- words of a phrase
local PROSE = require("lib/redaction/words").set [[
  the and that for with this are was were has have not you can will when which from they its than then]]

local function find_codes(scan, at)
  local stop = scan:line_end(at)
  local line = scan.text:sub(at, math.min(stop, at + 200))
  for from, word in line:gmatch "%f[%w]()([%w-]+)" do
    local digits = #word <= 9 and #word >= 4 and word:find "^%d+%-?%d+$"
    local parts = word:find "%d" and word:find "^%w%w%w%w?%w?%w?%-%w%w%w[%w-]*$" and not word:find "^%d+%-%d+%-%d+$"
      or word:find "^%l%l%l%l%l%-%l%l%l%l%l$" or word:find "^%u%u%u%u%-%u%u%u%u$"
      or #word <= 10 and #word >= 6 and word:find "^[%u%d]+$" and word:find "%d" and word:find "%u"
    if digits or parts then scan:add(at + from - 1, at + from + #word - 2, "code of a login") end
  end
end

-- As many words of a dictionary as no sentence has: without "the" and "is".
local function find_words(scan, at)
  local line = scan.text:sub(at, math.min(scan:line_end(at), at + 400))
  local first, last, count = nil, nil, 0
  for from, word, over in line:gmatch "()(%a+)()" do
    if #word >= 3 and #word <= 8 and word:find "^%l+$" and not PROSE[word] then
      first, last, count = first or from, over - 1, count + 1
    elseif count < FEWEST then
      first, count = nil, 0
    else
      break
    end
  end
  if count >= FEWEST then scan:add(at + first - 1, at + last - 1, "recovery phrase") end
end

-- "Your OTP is 123456", "use 123456 as your login code", "verify 123-456"
local function find_said(scan)
  for _, to in scan:each "otp" do
    local from, over = scan.text:match("^[ :]*i?s?[ :]*()%d%d%d%d%d*()%f[%W]", to + 1)
    if from and over - from <= 8 then scan:add(from, over - 1, "code of a login") end
  end
  for at in scan:each " as your" do
    local code = scan.text:sub(math.max(1, at - 10), at - 1):match "%f[%d]%d%d%d%d%d*$"
    if code and scan.text:find("^[%a ]-code", at + 8) then scan:add(at - #code, at - 1, "code of a login") end
  end
  for _, to in scan:each "verify " do
    local from, over = scan.text:match("^()%d%d%d%-?%d%d%d()%f[%W]", to + 1)
    if from then scan:add(from, over - 1, "code of a login") end
  end
end

--- Codes and phrases.
return function(scan)
  find_said(scan)
  for _, purpose in ipairs(OF_CODE) do
    for _, to in scan:each(purpose) do
      local at = scan.text:match("^[ _-][Cc]odes?()%f[%A]", to + 1) or scan.text:match("^[ _-]%a*[Pp]in()%f[%A]",
        to + 1)
      if at then find_codes(scan, at) end
    end
  end
  for _, to in scan:each "passcode" do find_codes(scan, to + 1) end
  for _, phrase in ipairs(PHRASES) do
    for _, to in scan:each(phrase) do find_words(scan, to + 1) end
  end
end
