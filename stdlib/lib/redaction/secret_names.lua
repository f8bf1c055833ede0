-- Finds values whose name says that they are secret: NAME=value, "name": "value", --name value, <name>value<, headers,
-- and the user and password of a URL.

local find, set = require("lib/values").find, require("lib/values").words

-- In a name of several words, each of these makes the value secret.
local STRONG = set [[
  token secret secrets password passwords passwd passphrase passcode pwd psw pw cred creds credential credentials jwt
  bearer otp psk netrc authtoken authtok]]
-- Parts of a word that do: SSHPASS, MYSQL_PWD, apikey.
local PARTS = { "passw", "passphrase", "secret", "apikey", "accesskey", "privatekey", "authkey", "accountkey",
  "signingkey", "masterkey", "sharedkey", "encryptionkey", "storagekey", "authtoken", "accesstoken" }
local ENDS = { "pass", "pwd", "pw", "creds", "token" }
local NO_PASSWORD = set "bypass compass trespass surpass encompass oldpwd multipass overpass underpass subpass"
-- Before "key", and before "pass": a pass of a compiler is none.
local OF_KEY = set [[
  api access secret private auth signing master encryption account shared deploy service storage license admin
  application app webhook ssh project write ingest rsa gpg hmac aes jwt crypt client session server consumer root]]
local COMPILED = set [[
  hlo num first second single multi forward backward by of test tests opt optimization compiler llvm mlir two one render
  next last this each max min total per run high low band all xla did will must can cannot do not to pipeline]]
-- Of these, only values that look random are secret.
local WEAK = set "key auth signature sig sid session dsn webhook sas salt pass pin authorization cookie pat oauth code"
-- The rest of the line, or of the quotes, belongs to the value.
local HEADERS = set [[
  authorization cookie set-cookie proxy-authorization x-authorization http_cookie http_authorization]]
-- After a secret word: what is named is not the secret itself.
local ABOUT = set [[
  type types name names count counts limit limits policy helper length len size file path dir expiry expires ttl url uri
  endpoint format field required enabled version provider store budget usage ids id index stdin prompt manager method
  algorithm pair pairs dim dims embedding embeddings logits rate time latency throughput per max min num total idx list
  map re regex order mode status scope scopes env]]
-- They make an ambiguous name harmless.
local PUBLIC = set [[
  cache sort primary foreign public pub partition trial hash commit build digest sha object dict group index exit status
  error zip random rng shape row column lookup map config kernel module compile program device artifact blob node]]

local function is_secret_word(word, before)
  if STRONG[word] then return true end
  if word == "pass" and before then return not COMPILED[before] end
  if word == "key" and before and OF_KEY[before] then return true end
  local function ends_with(ending) return #word > #ending and word:sub(-#ending) == ending end
  local has_part = find(PARTS, function(part) return word:find(part, 1, true) end) and not word:find "^secretar"
  return has_part or find(ENDS, ends_with) ~= nil and not NO_PASSWORD[word]
end

local function judged(name)
  local lower = name:lower():gsub("^%-+", "")
  if HEADERS[lower] then return "header" end
  if lower == "oldpwd" or name == "PWD" then return nil end
  local split = name:gsub("(%l)(%u)", "%1_%2"):gsub("(%u)(%u%l)", "%1_%2"):lower()
  local last, strong, weak, public
  for word in split:gmatch "%a+" do
    if strong and not ABOUT[word] then return "strong" end
    strong = is_secret_word(word, last)
    weak, public, last = weak or WEAK[word], public or PUBLIC[word], word
  end
  return strong and "strong" or weak and not public and not ABOUT[last] and "weak" or nil
end

-- What a name says: "header", "strong" (its value is secret), "weak" (its value is if it looks random), or false.
local function says_of(names, name)
  if names[name] == nil then names[name] = judged(name) or false end
  return names[name]
end

-- What stands where a secret would, and reveals nothing.
local LITERALS = set [[
  true false nil null none undefined yes no on off str string bytes int float bool boolean any object optional self
  required missing invalid expired incorrect wrong unset empty hidden redacted default auto env environ prompt stdin
  bearer basic token n y password secret key ok error found valid set not must is was has for the a an and or from in of
  to with function local return]]
-- "$TOKEN", "${TOKEN}", "%TOKEN%", "$(pass show x)", "{{ token }}", "<token>", "****"
local REFERENCES = { "^%$%u[%u%d_]*$", "^%$[%w]*_[%w_]*$", "^%${[^}]*}?$", "^%%[%a_][%w_]*%%$", "^%$%(",
  "^{{", "^{%w*}$", "^<[%w_ :.-]+>$", "^[xX][xX][xX]+$", "^%.+$", "^`", "^[^%w]*$", "^[01]$", "^%[%u+%]$" }
local UUID = ("%x"):rep(8) .. ("%-" .. ("%x"):rep(4)):rep(3) .. "%-" .. ("%x"):rep(12)

local function is_random(value)
  local digest = value:find "^%x+$" or value:find("^" .. UUID .. "$") or value:find "^sha%d+[-:=]"
    or value:find "%-%x+$" and #value:match "%x+$" >= 32
  return #value >= 16 and value:find "^[%w+/=_.~%%-]+$" and value:find "%d" and value:find "%a" and not digest
end

local function is_secret(says, name, value, quoted, in_url)
  if value == "" or value:find("<redacted>", 1, true) or LITERALS[value:lower()] then return false end
  if find(REFERENCES, function(pattern) return value:find(pattern) end) then return false end
  if says == "header" then return value:find "[%d%u=]" ~= nil end
  -- read_token(), args.token, os.environ["X"]
  if not quoted and (value:find "^[%a_][%w_.:]*[%(%[]" or not name:find "^%-" and value:find "^%l+%.[%l_.]+$") then
    return false
  end
  if value:find "^~?%.?%.?/[%w._/-]+$" and value:find "/.*/" then return false end  -- a path
  if says == "weak" then
    -- A pass of a compiler has a name or a number.
    local password = name:find "^[/-]*pass$" and #value >= 6 and value:find "%a" and value:find "[%u%d]"
    if password and (quoted or value:find "%u") or is_random(value) or in_url and #value >= 20 then return true end
    return name:lower():find "session" and #value >= 32 and value:find "^%x+$" ~= nil
  end
  if not value:find "^[%d.,:]+$" then return true end
  return #value >= 16 or name:lower():find "pass" ~= nil or name:lower():find "pwd" ~= nil or name:find "^PIN" ~= nil
end

-- A value in quotes that begins at `at`: its first and last position; nil if none begins.
local function quoted_at(scan, at)
  local open, start = scan.text:match("^%a?(\\*[\"'`])()", at)
  if not open or scan.text:find("^[%s,)]", start) then return nil end  -- or it ends a string
  local from, last = start, scan:line_end(start)
  while true do
    local stop, over = scan.text:find(open, from, true)
    if not stop or stop > last then return start, last end  -- the text was cut off
    if #open > 1 or scan.text:sub(stop - 1, stop - 1) ~= "\\" then return start, stop - 1 end
    from = over + 1
  end
end

local LONGEST = 4096

-- A value without quotes: to the next blank, or to what separates it from the next name.
local function bare_at(scan, at, in_url)
  local word = scan.text:sub(at, at + LONGEST):match(in_url and "^[^%s\"'`<>&#]*" or "^[^%s\"'`]*")
  local cut = not in_url and (word:find "[,;&|][%w_.%-\"' ]+[=:]" or word:find "^[^<{$]*[<>]" and word:find "[<>]"
    or word:find "[;|]" or word:find "&&?$" or word:find "\\[nrt\"]")
  local stop = at + (cut and cut - 1 or #word) - 1
  while stop >= at and not in_url and scan.text:find("^[,;)%]}.>]", stop) do stop = stop - 1 end
  return at, stop
end

-- A header's value: the rest of the line, or of the quotes around the header. Its scheme stays.
local function header_at(scan, from, at)
  local text, stop = scan.text, scan:line_end(at)
  local quote = text:match("^[\"'`]", from - 1)
  local ending = quote and text:find(quote, text:match("^[\"'`]?()", at), true)
  if ending and ending <= stop then stop = ending - 1 end
  while stop >= at and text:find("^[%s,;\\}%]\"'`]", stop) do stop = stop - 1 end
  at = text:match("^[\"'`]?()", at)
  local scheme = text:match("^[%a-]+%s+()%S", at)
  return scheme and scheme <= stop and scheme or at, stop
end

-- Before a name whose value follows a blank.
local SETTERS = { "setenv +$", "setx +$", "%f[%w]set %-?%a* *$", "ENV +$", "ARG +$", "#define +$", "login +%S+%s+$" }

-- Where the value of a name that ends before `at` begins, whether blanks are before it, and its sign; nil if it has
-- none here.
local function value_after(scan, from, at, option)
  local text = scan.text
  local after = text:match("^[%]\"'`\\)]*%s-[Vv]alue[\"']?%s*[:=]%s*()%S", at)  -- name: X, value: Y
    or text:match("^[\"']%s*,?%s*[\"']?[Vv]alue[\"']?%s*[:=]%s*()%S", at)
  if after then return after end
  local gap, sign, blanks, start = text:match("^([\\\"'`%])]*[ \t]?[ \t]?)[|?]*([:=]>?=?)([ \t]*)()",
    at)
  if sign and not (sign == "==" or sign == ":" and text:find("^:", start)) and text:find("^%S", start) then
    -- N: &str = "X", N = Secret("X"), N: ["X"]
    start = text:match("^[&%w_<>.?]+%s*=%s*()[\"']", start) or text:match("^Secret%w*%(()[\"']", start)
      or text:match("^%[()[\"']", start) or text:match("^[|>][%d-]*[ \t]*\n[ \t]+()%S", start) or start
    return start, gap:find "[ \t]" ~= nil or blanks ~= "", sign
  end
  local listed = text:match("^[\"']%s*,%s*()[\"']", at)
  if listed and text:sub(from, at - 1):find "^%u[%u%d_]+$" then return listed end
  if option then return listed or text:match("^[\"']?[ \t]+()[^%s-]", at) end
  local cell = text:sub(from - 1, from - 1) == "<" and text:match("^>()[^<%s]", at) or text:match("^ *| *()[^|%s]", at)
  if cell then return cell end
  local before = text:sub(math.max(1, from - 40), from - 1)
  return find(SETTERS, function(words) return before:find(words) end) and text:match("^[ \t]+()%S", at) or nil
end

local function find_value(scan, says, from, name, at)
  local option = name:find "^%-" ~= nil
  local start, spaced, sign = value_after(scan, from, at, option)
  if not start then return end
  if says == "header" then
    local first, last = header_at(scan, from, start)
    if is_secret(says, name, scan.text:sub(first, last), true) then scan:add(first, last, "header") end
    return last
  end
  local first, last = quoted_at(scan, start)
  local quoted = first ~= nil
  local in_url = scan.text:find("^[?&]", from - 1) ~= nil
  if not quoted then first, last = bare_at(scan, start, in_url) end
  local value = scan.text:sub(first, last)
  -- In a program, a bare word beside " = " is a variable; in prose, other words follow it.
  if spaced and not quoted then
    if value:find "^%l+$" and scan.text:find("^ %l+ ", last + 1) then return end
    local bare = scan.code or value:find "^%u?[%l_]+$"
    if bare and sign ~= ":" and not is_random(value) then return end
  end
  if is_secret(says, name, value, quoted, in_url) then
    if #value >= LONGEST then last = scan.text:match("^[^%s\"'`]*()", last) - 1 end
    scan:add(first, last, "named secret")
    return last
  end
end

local function find_credentials(scan)
  local text = scan.text
  for _, to in scan:each "://" do
    local stop = text:match("^[^%s/\"'`<>]*()@", to + 1)
    local who = stop and text:sub(to + 1, stop - 1)
    if who and who ~= "" and who ~= "git" then scan:add(to + 1, stop - 1, "credentials in a URL") end
  end
  for _, scheme in ipairs { "bearer ", "basic ", "-u ", "--user " } do
    for from, to in scan:each(scheme) do
      local word = text:match("^[\"']?[%w+/=_.~:!@#%%^*-]+", to + 1) or ""
      local password = scheme:find "^%-" and word:match "^[\"']?[%w._-]+:()%d*[^%s%d]"  -- not -u 1000:1000
      local start = password and to + password or to + 1
      if password or scan:starts_word(from) and is_random(word) then
        scan:add(start, to + #word, "credentials")
      end
    end
  end
end

local secret_names = {}

--- Whether a value of this name is secret: of a variable, or of an option.
function secret_names.is_secret(name, value)
  local says = judged(name)
  return says ~= nil and is_secret(says, name, value, true)
end

--- Adds the values of names and the credentials in a text.
function secret_names.find(scan)
  local names, past = {}, 0  -- a name within a value is a part of it
  for from, name, at in scan.text:gmatch "()([%a_%-][%w_.-]*)()" do
    local says = from > past and says_of(names, name)
    if says then past = find_value(scan, says, from, name, at) or past end
  end
  find_credentials(scan)
end

return secret_names
