-- What the name of a variable, field or option says of its value.

local set = require("lib/redaction/words").set

-- In a name of several words, these make the value secret.
local STRONG = set [[
  token secret secrets password passwords passwd passphrase passcode pwd psw pswd pw cred creds credential
  credentials jwt bearer otp totp hotp mnemonic psk crumb kennwort passwort wachtwoord senha contrasena heslo haslo
  netrc authtok pepper]]
-- Parts of a word that do, in any case: SSHPASS, MYSQL_PWD, dbcreds.
local PARTS = { "passw", "passphrase", "secret", "apikey", "accesskey", "privatekey", "authkey", "accountkey",
  "signingkey", "masterkey", "sharedkey", "encryptionkey", "licensekey", "storagekey", "authtoken", "accesstoken" }
local ENDS = { "pass", "pwd", "pw", "cred", "creds", "token", "pswd" }
local NOT_ENDS = set [[
  bypass compass trespass surpass encompass oldpwd multipass overpass underpass onepass twopass subpass]]
-- Before "pass" they make it a pass of a compiler or a test.
local COMPILED = set [[
  hlo num first second single multi forward backward by of test tests opt optimization compiler llvm mlir two one render
  next last this each max min total per run high low band all xla did will must can cannot do not to hlo pipeline]]
-- Before "key".
local OF_KEY = set [[
  api access secret private auth signing master encryption encrypt account shared deploy service storage license
  subscription admin application app webhook ssh project write ingest bot functions rsa gpg hmac aes jwt crypt
  client session server consumer registration activation integration instrumentation root enc dek kek cipher developer
  partner merchant sso vault ingestion ingest recovery backup unseal pairing gossip wallet upload provisioning
  subscriber
  bootstrap]]
-- After "pass".
local PHRASES = set "phrase phrases word words code codes key"
-- Ambiguous: only values that look random are secret.
local WEAK = set [[
  key keys auth signature sig sid session dsn webhook sas salt pass pin connection conn license authorization
  cookie seed hmac login code pat oauth]]
-- The rest of the line, or of the quotes, belongs to the value.
local WHOLE = set [[
  authorization cookie set-cookie proxy-authorization x-authorization cookies http_cookie http_authorization]]
-- After a secret word: what is named is not the secret itself.
local ABOUT = set [[
  type types name names count counts limit limits policy helper length len size file path dir expiry expires
  expiration ttl url uri endpoint format field required enabled version provider store budget usage ids index
  stdin prompt manager method algorithm pair pairs dim dims embedding embeddings logits rate time latency
  throughput per max min num total idx list set map re regex order mode status scope scopes env]]
-- Words that make an ambiguous name harmless.
local PUBLIC = set [[
  cache sort primary foreign public pub partition trial hash commit build digest sha sha256 object dict group
  index exit status error zip random rng shape row column lookup map config]]

local function words_of(name)
  local words = {}
  local split = name:gsub("(%l)(%u)", "%1_%2"):gsub("(%u)(%u%l)", "%1_%2"):lower()
  for word in split:gmatch "%a+" do words[#words + 1] = word end
  return words
end

local function is_strong(word, before)
  if STRONG[word] then return true end
  if word == "pass" and before then return not COMPILED[before] end
  if before == "pass" and PHRASES[word] then return true end
  if word == "key" and before and OF_KEY[before] then return true end
  for _, part in ipairs(PARTS) do
    if word:find(part, 1, true) and not word:find "^secretar" then return true end
  end
  if NOT_ENDS[word] then return false end
  for _, ending in ipairs(ENDS) do
    if #word > #ending and word:sub(-#ending) == ending then return true end
  end
  return word:find("cred", 1, true) == 1 and not word:find "^credit" or word:find("passwd", 1, true) ~= nil
end

local function judge(name)
  local lower = name:lower()
  if WHOLE[lower:gsub("^%-+", "")] then return "whole" end
  if lower:find "^saml%a*$" then return "strong" end
  if lower == "oldpwd" or lower:find "^%-*print" then return nil end
  if lower:find "^x%-.*signature" or lower:find "^%-%-?pass$" then return "strong" end
  local words, weak, public = words_of(name), false, false
  for i, word in ipairs(words) do
    if is_strong(word, words[i - 1]) then
      local after = words[i + 1]
      if not (after and ABOUT[after]) then return "strong" end
    end
    weak = weak or WEAK[word] or false
    public = public or PUBLIC[word] or false
  end
  return weak and not public and not ABOUT[words[#words]] and "weak" or nil
end

local names = {}

-- What has keys that are not secret.
local OF_THING = set [[
  kernel module compile compilation program device trial build artifact layer blob node graph type name]]

--- Whether it is the key of a service, whose value may be hexadecimal: NOVITA_KEY, fal_key
function names.is_key(name)
  local words = words_of(name)
  if words[#words] ~= "key" or #words < 2 then return false end
  for _, word in ipairs(words) do
    if PUBLIC[word] or OF_THING[word] then return false end
  end
  return true
end

-- Parts of a name whose hexadecimal value is public.
local HEXADECIMAL = set [[
  ref rev revision version tag image md sha1 sha512 etag checksum uuid gpu device devices id jax xla torch git]]

--- Whether the name says that a hexadecimal value is public: XLA_COMMIT
function names.is_public(name)
  for _, word in ipairs(words_of(name)) do
    if PUBLIC[word] or HEXADECIMAL[word] or word:find "^sha" or word:find "^md" then return true end
  end
  return false
end

local known, count = {}, 0

--- What the value of this name is: "whole" (secret to the end of its line), "strong" (secret), "weak" (secret if it
--- looks random), or nil.
local function says_of(name)
  local says = known[name]
  if says == nil then
    if count > 10000 then known, count = {}, 0 end
    says = judge(name) or false
    known[name], count = says, count + 1
  end
  return says or nil
end

return setmetatable(names, { __call = function(_, name) return says_of(name) end })
