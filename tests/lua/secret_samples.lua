-- Texts with secrets, made from a seed: { kind =, context =, text =, secrets = { what must be gone } }. All secrets are
-- put together from drawn pieces, so that none stands in this file.

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local UPPER = LOWER:upper()
local WORD, HEX, LOW = DIGITS .. LOWER .. UPPER, "0123456789abcdef", DIGITS .. LOWER
local BASE64, DASH = WORD .. "+/", WORD .. "_-"

local samples = { DIGITS = DIGITS, LOWER = LOWER, UPPER = UPPER, WORD = WORD, HEX = HEX, LOW = LOW, BASE64 = BASE64,
  DASH = DASH }

--- Draws `count` characters after a prefix.
function samples.of(alphabet, count, prefix)
  return function(d) return (prefix or "") .. d.chars(alphabet, count) end
end

--- Draws a UUID.
function samples.uuid(d) return d.uuid() end

--- Random numbers of a seed, the same everywhere: pick(list), chars(alphabet, count), number(low, high).
function samples.drawer(seed)
  local state = (seed * 2654435761 + 12345) & 0xFFFFFFFF
  local drawer = {}
  function drawer.number(low, high)
    for _ = 1, 3 do
      state = state ~ (state << 13) & 0xFFFFFFFF
      state = state ~ (state >> 17)
      state = (state ~ (state << 5)) & 0xFFFFFFFF
    end
    return low + state % (high - low + 1)
  end
  function drawer.pick(list) return list[drawer.number(1, #list)] end
  function drawer.chars(alphabet, count)
    local parts = {}
    for i = 1, count do
      local at = drawer.number(1, #alphabet)
      parts[i] = alphabet:sub(at, at)
    end
    return table.concat(parts)
  end
  function drawer.uuid()
    local c = drawer.chars
    return table.concat({ c(HEX, 8), c(HEX, 4), c(HEX, 4), c(HEX, 4), c(HEX, 12) }, "-")
  end
  function drawer.password()
    return drawer.pick { "Tr0ub", "hunter", "Sommer", "qwe", "Gr8", "letme" } .. drawer.chars(WORD, 5)
      .. drawer.pick { "!", "#", "7", "_x", ".9", "%" }
  end
  return drawer
end

-- Tokens by their issuers: { kind, prefix, alphabet, length }.
local TOKENS = {
  { "github", "ghp_", WORD, 36 }, { "github app", "ghs_", WORD, 36 }, { "github fine", "github_pat_", WORD, 82 },
  { "gitlab", "glpat-", DASH, 20 }, { "gitlab runner", "glrt-", DASH, 20 }, { "hugging face", "hf_", WORD, 34 },
  { "npm", "npm_", WORD, 36 }, { "pypi", "pypi-" .. "AgEIcHlwaS5vcmc", DASH, 80 }, { "aws id", "AKIA", UPPER, 16 },
  { "aws temporary", "ASIA", UPPER, 16 }, { "google", "AIza", DASH, 35 }, { "google oauth", "ya29.", DASH, 60 },
  { "google secret", "GOCSPX-", DASH, 28 }, { "slack bot", "xoxb-", DIGITS .. LOWER, 40 },
  { "slack app", "xapp-1-", DIGITS .. UPPER, 40 }, { "slack hook", "https://hooks.slack.com/" .. "services/", WORD, 40 },
  { "discord hook", "https://discord.com/api/" .. "webhooks/", WORD, 60 }, { "stripe", "sk_" .. "live_", WORD, 24 },
  { "stripe restricted", "rk_" .. "live_", WORD, 24 }, { "sendgrid", "SG.", DASH, 66 }, { "vault", "hvs.", WORD, 90 },
  { "docker hub", "dckr_pat_", DASH, 27 }, { "digital ocean", "dop_v1_", HEX, 64 }, { "databricks", "dapi", HEX, 32 },
  { "openai", "sk-proj-", DASH, 48 }, { "anthropic", "sk-ant-" .. "api03-", DASH, 90 }, { "nvidia", "nvapi-", DASH, 64 },
  { "grafana", "glsa_", WORD, 32 }, { "shopify", "shpat_", HEX, 32 }, { "linear", "lin_api_", WORD, 40 },
  { "notion", "ntn_", WORD, 46 }, { "tailscale", "tskey-auth-", WORD, 32 }, { "replicate", "r8_", WORD, 37 },
  { "groq", "gsk_", WORD, 52 }, { "figma", "figd_", DASH, 40 }, { "age", "AGE-SECRET-" .. "KEY-1", UPPER, 58 },
  { "doppler", "dp.pt.", WORD, 43 }, { "new relic", "NRAK-", DIGITS .. UPPER, 27 }, { "rubygems", "rubygems_", HEX, 48 },
  { "pulumi", "pul-", HEX, 40 }, { "json web token", "eyJhbGciOiJIUzI1NiJ9." .. "eyJ", DASH, 60 },
  { "atlassian", "ATATT3xFfG" .. "F0", DASH, 80 }, { "bitbucket", "ATBB", WORD, 32 }, { "square", "sq0atp-", DASH, 22 },
}

-- Where a token stands: functions of the token and the drawer.
local PLACES = {
  log = function(t, d) return d.pick { "2024-03-01 12:30:45 INFO client: sending ", "[rank0] retry with ", "W0301 key " }
    .. t .. d.pick { "", " (attempt 2)", ", status 401", "." } end,
  command = function(t, d) return d.pick { "deploy --verbose --with ", "./run.sh ", "tool login " } .. t end,
  environment = function(t, d) return d.pick { "MY_", "CI_", "X_", "DEPLOY_" } .. d.pick { "VALUE", "THING", "TOKEN" }
    .. "=" .. t end,
  json = function(t, d) return '{"' .. d.pick { "value", "data", "t" } .. '": "' .. t .. '", "n": 3}' end,
  escaped = function(t) return [["log": "line one\n]] .. t .. [[\nline two"]] end,
  yaml = function(t, d) return "  " .. d.pick { "value", "entry" } .. ": " .. t end,
  header = function(t, d) return d.pick { "> X-Thing: ", "Authorization: Bearer ", "X-Api-Key: " } .. t end,
  url = function(t) return "GET /v1/items?page=2&access=" .. t .. "&limit=5 HTTP/1.1" end,
  cut = function(t, d) return "the request failed: " .. t:sub(1, #t - d.number(1, 8)) end,
}

local function password(d) return d.password() end
local of = samples.of

-- Values that only their names or their places give away: { kind, how the secret is drawn, texts with %s in its place, of
-- which one is drawn }, or { kind, a function of the drawer that returns the text and its secrets }.
local NAMED = {
  { "python list", of(WORD, 24), "['prog', '--token', '%s', '--n', '3']" },
  { "basic", of(BASE64, 30), "Authorization: Basic %s==" },
  { "cookie", of(WORD, 32), "Cookie: session=%s; Path=/; HttpOnly", "Set-Cookie: sid=%s; Path=/; HttpOnly" },
  { "private token", of(WORD, 20), "PRIVATE-TOKEN: %s", "X-Vault-Token: %s", "X-Auth-Token: %s" },
  { "curl user", password, "curl -s -u ann:%s https://example.org/x", "curl -s --user ann:%s https://example.org/x" },
  { "huggingface-cli", of(WORD, 34), "huggingface-cli login --token %s" },
  { "git remote", of(WORD, 30), "git remote add o https://x-access:%s@github.com/a/b.git" },
  { "database url", of(WORD, 12), "DATABASE_URL=postgres://app:%s@db:5432/x" },
  { "netrc", password, "machine example.org login bot password %s" },
  { "azure account", of(BASE64, 86),
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s==;EndpointSuffix=core" },
  { "azure sas", of(WORD, 43), "https://x.blob.core.windows.net/c/f?sv=2022&sp=r&sig=%s%%3D" },
  { "azure client", function(d) return d.chars(WORD, 3) .. "8Q~" .. d.chars(WORD, 34) end, "client value %s" },
  { "telegram", function(d) return d.chars("123456789", 10) .. ":AA" .. d.chars(DASH, 33) end, "bot started with %s" },
  { "twilio", of(HEX, 32, "SK"), "twilio sid %s" },
  { "mailchimp", function(d) return d.chars(HEX, 32) .. "-us" .. d.number(1, 20) end, "list sync %s" },
  { "private key", function(d)
    local a, b, c = d.chars(BASE64, 64), d.chars(BASE64, 64), d.chars(BASE64, 40)
    local kind = d.pick { "", "RSA ", "OPENSSH ", "EC " } .. "PRIVATE" .. " KEY-----"
    return "-----BEGIN " .. kind .. "\n" .. a .. "\n" .. b .. "\n" .. c .. "\n-----END " .. kind, { a, b, c }
  end },
  { "key without tail", function(d)
    local a, b = d.chars(BASE64, 64), d.chars(BASE64, 64)
    return "-----BEGIN " .. "PRIVATE" .. " KEY-----\n" .. a .. "\n" .. b .. "\n", { a, b }
  end },
  { "key without head", function(d)
    local a, b = d.chars(BASE64, 30), d.chars(BASE64, 64)
    return a .. "\n" .. b .. "\n-----END " .. "RSA PRIVATE" .. " KEY-----\ndone", { a, b }
  end },
  { "key in json", of(BASE64, 64), '{"private_key": "-----BEGIN ' .. "PRIVATE" .. " KEY-----\\n%s\\n-----END "
    .. "PRIVATE" .. ' KEY-----\\n"}' },
  { "docker config", of(BASE64, 40), '{"auths": {"r.example.org": {"auth": "%s="}}}' },
  { "login prompt", password, "Username: bot\nPassword: %s" },
  { "home", function(d) return d.pick { "annika", "bjoern", "carlos", "dmitri" } end, "cd /home/%s/src/xla && make",
    "cd /nfs/home/%s/src/xla && make", "cd /data/users/%s/src/xla && make", "cd /Users/%s/src/xla && make",
    "cd ~%s/src/xla && make" },
  { "host", function(d)
    return d.pick { "gpu", "node", "dgx" } .. d.number(1, 99) .. "." .. d.pick { "hpc", "cs", "cluster" }
      .. ".site-" .. d.chars(LOW, 4) .. ".edu"
  end, "connecting to %s", "ssh %s now", "host=%s:22", "ssh %s", "connecting to %s:22", "host=%s now" },
  { "gpu", samples.uuid, "GPU 0: NVIDIA H100 (UUID: GPU-%s)" },
}

-- What a row { kind, how the secret is drawn, texts } gives.
local function drawn(row, d)
  local secret = row[2](d)
  local text = row[4] and d.pick { table.unpack(row, 3) } or row[3]
  return { kind = row[1], context = "own", secrets = { secret },
    text = (text:gsub("%%[s%%]", { ["%s"] = secret, ["%%"] = "%" })) }
end

-- The part of a token that must be gone: without it the rest is worthless.
local function core_of(token, prefix) return token:sub(#prefix + 1, #prefix + 12) end

--- `count` texts; each kind comes as often as any other.
function samples.make(seed, count)
  local d, list, places = samples.drawer(seed), {}, {}
  for name in pairs(PLACES) do places[#places + 1] = name end
  table.sort(places)
  while #list < count do
    local at = #list % (#TOKENS + #NAMED) + 1
    local row = TOKENS[at]
    if row then
      local prefix = row[2]
      local token, place = prefix .. d.chars(row[3], row[4]), d.pick(places)
      list[#list + 1] = { kind = row[1], context = place, text = PLACES[place](token, d), secrets = { core_of(token, prefix) } }
    else
      row = NAMED[at - #TOKENS]
      local text, secrets
      if not row[3] then text, secrets = row[2](d) end
      list[#list + 1] = text and { kind = row[1], context = "own", text = text, secrets = secrets } or drawn(row, d)
    end
  end
  return list, #TOKENS + #NAMED
end

--- `count` samples of each row { kind, how the secret is drawn, the text with %s in its place }.
function samples.draw(rows, seed, count)
  local d, list = samples.drawer(seed), {}
  for _, row in ipairs(rows) do
    for _ = 1, count do list[#list + 1] = drawn(row, d) end
  end
  return list, #rows
end

--- A text with something before and after it, as in a log.
function samples.in_log(sample)
  if sample.kind == "key without head" then return sample.text .. "\nstep 2 loss 3.1" end
  if sample.context == "cut" then return "step 1 loss 3.2\n" .. sample.text end
  return "step 1 loss 3.2\n" .. sample.text .. "\nstep 2 loss 3.1"
end

--- Whether a secret, or most of it, is still in the text.
function samples.leaks(text, secrets)
  for _, secret in ipairs(secrets) do
    if text:find(secret, 1, true) or #secret >= 24 and (text:find(secret:sub(1, 16), 1, true)
      or text:find(secret:sub(-16), 1, true)) then return secret end
  end
end

return samples
