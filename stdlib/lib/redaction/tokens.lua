-- Finds what is secret by its own form: tokens by the prefix that their issuer gives them, private keys, hashes of
-- passwords.

local WORD, DASH, HEX, UPPER = "[%w]", "[%w_-]", "[%x]", "[%u%d]"
local BASE64, DOTTED, PATH = "[%w+/=]", "[%w._-]", "[%w._/-]"

-- { what it is, class of the characters that follow a prefix, at least how many, the prefixes }
local ISSUERS = {
  { "GitHub token", WORD, 16, "ghp_ gho_ ghu_ ghs_ ghr_" }, { "GitHub token", "[%w_]", 16, "github_pat_" },
  { "GitLab token", DOTTED, 16, "glpat-" },
  { "GitLab token", DASH, 16, "gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941 glffct-" },
  { "Bitbucket token", WORD, 24, "ATBB" }, { "Bitbucket token", "[%w_=-]", 20, "ATCTT3xFfG" },
  { "Atlassian token", "[%w_=-]", 20, "ATATT3xFfG" }, { "Linear key", WORD, 20, "lin_api_" },
  { "Hugging Face token", WORD, 20, "hf_ api_org_" }, { "Weights & Biases key", DASH, 16, "wandb_v1_" },
  { "NVIDIA key", DASH, 20, "nvapi-" }, { "npm token", WORD, 24, "npm_" }, { "PyPI token", DASH, 20, "pypi-" },
  { "RubyGems key", HEX, 24, "rubygems_" }, { "Docker token", DASH, 16, "dckr_pat_ dckr_oat_" },
  { "JFrog token", BASE64, 30, "cmVmdGtuO" }, { "Codecov token", WORD, 20, "codecov_" },
  { "AWS key", UPPER, 16, "AKIA ASIA ABIA ACCA AROA AIDA" },
  { "AWS session token", BASE64, 20, "IQoJb3JpZ2lu FwoGZXIvYXdz" }, { "Google key", DASH, 30, "AIza" },
  { "Google token", DASH, 20, "ya29." }, { "Google secret", DASH, 20, "GOCSPX-" },
  { "Azure DevOps token", WORD, 20, "AZDO" }, { "DigitalOcean token", WORD, 30, "dop_v1_ doo_v1_ dor_v1_" },
  { "Fly.io token", BASE64, 30, "fm2_" }, { "Fly.io token", DASH, 30, "fo1_" }, { "Heroku key", DASH, 30, "HRKU-" },
  { "RunPod key", WORD, 30, "rpa_" }, { "Supabase key", WORD, 30, "sbp_" }, { "Supabase key", DASH, 20, "sb_secret_" },
  { "PlanetScale token", DOTTED, 20, "pscale_tkn_" }, { "PlanetScale password", DOTTED, 20, "pscale_pw_" },
  { "Vault token", DASH, 16, "hvs. hvb. hvr." }, { "Doppler token", DOTTED, 20, "dp.pt. dp.st. dp.ct." },
  { "Pulumi token", HEX, 30, "pul-" }, { "1Password token", DASH, 20, "ops_eyJ" },
  { "age key", UPPER, 20, "AGE-SECRET-KEY-1" }, { "Prefect key", WORD, 30, "pnu_" },
  { "Databricks token", HEX, 32, "dapi dose" }, { "Dynatrace token", DOTTED, 20, "dt0c01." },
  { "Grafana token", "[%w_]", 20, "glsa_" }, { "Grafana token", BASE64, 20, "glc_" },
  { "New Relic key", WORD, 20, "NRAK- NRRA-" }, { "New Relic key", DASH, 20, "NRII-" },
  { "New Relic key", WORD, 15, "NRJS-" }, { "Sentry token", "[%w+/=_-]", 20, "sntrys_" },
  { "Sentry token", HEX, 20, "sntryu_" }, { "Honeycomb key", WORD, 30, "hcaik_" },
  { "Sourcegraph token", "[%w_]", 20, "sgp_" }, { "Buildkite token", WORD, 30, "bkua_" },
  { "CircleCI token", "[%w_]", 20, "CCIPAT_" }, { "Tailscale key", DASH, 16, "tskey-" },
  { "ngrok key", WORD, 30, "ngrok_" },
  { "Slack token", DASH, 8, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xapp- xwfp-" },
  { "Slack token", "[%w_%%-]", 8, "xoxd-" }, { "Slack token", DOTTED, 8, "xoxe." },
  { "Slack webhook", "[%w/]", 12, "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/" },
  { "Discord webhook", PATH, 20, "discord.com/api/webhooks/ discordapp.com/api/webhooks/" },
  { "Teams webhook", "[%w@/-]", 20, "webhook.office.com/webhookb2/ outlook.office.com/webhook/" },
  { "Google Chat webhook", "[%w/?=&_%%-]", 30, "chat.googleapis.com/v1/spaces/" },
  { "Telegram token", "[%w:_-]", 20, "api.telegram.org/bot" },
  { "Stripe key", WORD, 10, "sk_live_ sk_test_ rk_live_ rk_test_" }, { "Stripe secret", "[%w+/=]", 16, "whsec_" },
  { "Square token", DASH, 56, "EAAA" }, { "Square token", DASH, 16, "sq0atp-" },
  { "Shopify token", HEX, 20, "shpat_ shpca_ shppa_" }, { "Shopify secret", HEX, 20, "shpss_" },
  { "SendGrid key", DOTTED, 30, "SG." }, { "Sendinblue key", DASH, 30, "xkeysib- xsmtpsib-" },
  { "Notion token", WORD, 30, "ntn_" }, { "Notion token", WORD, 40, "secret_" }, { "Figma token", DASH, 30, "figd_" },
  { "Artifactory token", DOTTED, 30, "eyJ2ZXIiOiI" }, { "Anthropic key", DASH, 20, "sk-ant-" },
  { "OpenRouter key", DASH, 20, "sk-or-" }, { "API key", DASH, 20, "sk- pk-lf-" },
  { "Replicate token", WORD, 30, "r8_" }, { "Groq key", WORD, 30, "gsk_" }, { "Perplexity key", WORD, 30, "pplx-" },
  { "xAI key", WORD, 40, "xai-" }, { "Pinecone key", "[%w_]", 30, "pcsk_" }, { "LangSmith key", "[%w_]", 30, "lsv2_" },
  { "Cerebras key", WORD, 40, "csk-" }, { "Tavily key", DASH, 20, "tvly-" }, { "Jina key", DASH, 30, "jina_" },
  { "E2B key", HEX, 30, "e2b_" }, { "Kaggle key", WORD, 20, "KGAT_" }, { "JSON web token", "[%w_.=-]", 30, "eyJ" },
  { "JSON web token", "[%w_.=/+-]", 60, "ZXlK" },
}

-- Forms without a prefix, as patterns; the text must have `near` for the pattern to be tried.
local FORMS = {
  { "Azure secret", near = "Q~", pattern = "%f[%w_~.-][%w_~.-][%w_~.-][%w_~.-]%dQ~" .. ("[%w_~.-]"):rep(24)
    .. "[%w_~.-]*" },
  { "Telegram token", near = ":AA", pattern = "%f[%d]%d%d%d%d%d%d%d%d%d?%d?:AA" .. ("[%w_-]"):rep(30) .. "[%w_-]*" },
  { "Mailchimp key", near = "-us", pattern = "%f[%x]" .. ("%x"):rep(32) .. "%-us%d%d?%f[%W]" },
  { "Twilio key", near = "SK", pattern = "%f[%w]SK" .. ("[%da-f]"):rep(32) .. "%f[%W]" },
  { "Terraform token", near = ".atlasv1.", pattern = "%f[%w]" .. ("%w"):rep(10) .. "%w*%.atlasv1%.[%w_=-]+" },
  { "password hash", near = "$2", pattern = "%$2[abxy]%$%d%d%$" .. ("[%w./]"):rep(50) .. "[%w./]*" },
  { "password hash", near = "$", pattern = "%$[156y]%$[%w./]+%$[%w./]" .. ("[%w./]"):rep(20) .. "[%w./]*" },
  { "password hash", near = "$argon2", pattern = "%$argon2%l*%$[%w=,$+/]+" },
}

local PREFIXES = {}
for _, row in ipairs(ISSUERS) do
  for prefix in row[4]:gmatch "%S+" do
    PREFIXES[#PREFIXES + 1] = { kind = row[1], prefix = prefix, run = "^" .. row[2] .. "*()", least = row[3] }
  end
end

local CUT = 4  -- of a token that the end of the text cuts off, how many characters are enough

local function is_cut(text, at)
  return at > #text or text:find("^%.%.%.", at) ~= nil or text:find("^\u{2026}", at) ~= nil
end

-- Within a word, as in MY_ghp_..., a longer one with letters of both cases and digits.
local function is_within(row, word)
  return row.prefix:find "...[_.-]$" and #word >= math.max(row.least, 20) and word:find "%d" and word:find "%l"
    and word:find "%u"
end

-- As long as its issuer makes it, or cut off.
local function is_whole(row, text, from, stop)
  local length = stop - from
  if length >= row.least then return true end
  return length >= CUT and #row.prefix >= CUT and is_cut(text, stop) and text:sub(from, stop - 1):find "[%d%u]" ~= nil
end

local function find_prefix(scan, row)
  local text, at = scan.text, 1
  while true do
    local from, to = text:find(row.prefix, at, true)
    if not from then return end
    at = to + 1
    local stop = text:match(row.run, to + 1)
    while stop > to + 1 and text:find("^%.", stop - 1) do stop = stop - 1 end
    local starts = scan:starts_word(from) or is_within(row, text:sub(to + 1, stop - 1))
    if starts and is_whole(row, text, to + 1, stop) then
      scan:add(from, stop - 1, row.kind)
      at = stop
    end
  end
end

-- The lines of a key: base64, in a log also with what is before each line, or escaped in a string.
local function is_body(line)
  local bare = line:gsub("\\[nr]", ""):match "([%w+/=]+)[%s\"',\\]*$"
  return bare ~= nil and #bare >= 16 and not bare:find "^%l+$" and not line:find "%S%s+%S"
end

local KEY = "PRIVATE KEY"

-- Where the mark before or after a key begins, whose last words are at `at`; nil if they are of no mark.
local function mark_of(text, at, word)
  local near = math.max(1, at - 40)
  local from = text:sub(near, at - 1):match("()%-%-%-%-%-?" .. word .. "[%u%d ]*$")
  return from and near + from - 1
end

local function lines_after(scan, at)
  local text, last = scan.text, scan:line_end(at)
  while last < #text do
    local stop = scan:line_end(last + 2)
    local line = text:sub(last + 2, stop)
    local more = line:find "^%s*%u[%w-]*: " or line:find "^%s*$" or line:find "^=?[%w+/=]+%s*$"
    if not (is_body(line) or more) then break end
    last = stop
  end
  return last
end

local function lines_before(scan, at)
  local text, first = scan.text, scan:line_start(at)
  while first > 1 do
    local start = scan:line_start(first - 1)
    local line = text:sub(start, first - 2)
    if not (is_body(line) or start == 1 and line:find "^[%w+/=]+%s*$") then break end
    first = start
  end
  return first
end

-- From the first mark to the last one; if one of them was cut off, the lines of the key that are there.
local function find_private_keys(scan)
  local text, at = scan.text, 1
  while true do
    local from, to = text:find(KEY, at, true)
    if not from then return end
    at = to + 1
    local head = mark_of(text, from, "BEGIN")
    if head then
      local next_key, over = text:find(KEY, to + 1, true)
      local whole = next_key and mark_of(text, next_key, "END")
      local stop = whole and text:match("^[%u ]*%-*()", over + 1) - 1 or lines_after(scan, to)
      at = stop + 1
      scan:add(head, stop, "private key")
    elseif mark_of(text, from, "END") then
      local stop = select(2, text:find("^[%u ]*%-*", to + 1))
      scan:add(lines_before(scan, scan:line_start(from)), stop, "private key")
    end
  end
end

--- Adds the tokens and the private keys in a text.
return function(scan)
  for _, row in ipairs(PREFIXES) do find_prefix(scan, row) end
  for _, form in ipairs(FORMS) do
    local at = scan.text:find(form.near, 1, true) and 1
    while at do
      local from, to = scan.text:find(form.pattern, at)
      if from then scan:add(from, to, form[1]) end
      at = to and to + 1
    end
  end
  find_private_keys(scan)
end
