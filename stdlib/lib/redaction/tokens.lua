-- Finds what is secret by its own form: tokens by the prefix that their issuer gives them, private keys, hashes of
-- passwords.

local WORD, DASH, HEX, UPPER = "[%w]", "[%w_-]", "[%x]", "[%u%d]"
local BASE64, DOTTED, PATH = "[%w+/=]", "[%w._-]", "[%w._/-]"

-- The characters that follow a prefix, at least how many, and the prefixes: of GitHub, GitLab, Hugging Face, NVIDIA,
-- npm, PyPI, Docker, the clouds, Slack, Stripe and others, JSON web tokens among them.
local ISSUERS = {
  { WORD, 10, "NRJS- sk_live_ sk_test_ rk_live_ rk_test_" }, { WORD, 16, "ghp_ gho_ ghu_ ghs_ ghr_" },
  { WORD, 20, "ATBB lin_api_ hf_ api_org_ npm_ codecov_ AZDO NRAK- NRRA- KGAT_" },
  { WORD, 30, "dop_v1_ doo_v1_ dor_v1_ rpa_ sbp_ pnu_ hcaik_ bkua_ ngrok_ ntn_ r8_ gsk_ pplx-" },
  { WORD, 40, "secret_ xai- csk-" }, { DASH, 8, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xapp- xwfp-" },
  { DASH, 16, [[
    gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941 glffct- wandb_v1_ dckr_pat_ dckr_oat_
    hvs. hvb. hvr. tskey- sq0atp-]] },
  { DASH, 20, "nvapi- pypi- ya29. GOCSPX- sb_secret_ ops_eyJ NRII- sk-ant- sk-or- sk- pk-lf- tvly-" },
  { DASH, 30, "AIza fo1_ HRKU- xkeysib- xsmtpsib- figd_ jina_" }, { DASH, 56, "EAAA" },
  { HEX, 20, "rubygems_ sntryu_ shpat_ shpca_ shppa_ shpss_" }, { HEX, 30, "pul- dapi dose e2b_" },
  { UPPER, 16, "AKIA ASIA ABIA ACCA AROA AIDA" }, { UPPER, 20, "AGE-SECRET-KEY-1" },
  { BASE64, 20, "IQoJb3JpZ2lu FwoGZXIvYXdz glc_" }, { BASE64, 30, "cmVmdGtuO fm2_" }, { DOTTED, 8, "xoxe." },
  { DOTTED, 16, "glpat-" }, { DOTTED, 20, "pscale_tkn_ pscale_pw_ dp.pt. dp.st. dp.ct. dt0c01." },
  { DOTTED, 30, "SG. eyJ2ZXIiOiI" }, { PATH, 20, "discord.com/api/webhooks/ discordapp.com/api/webhooks/" },
  { "[%w+/=]", 16, "whsec_" }, { "[%w+/=_-]", 20, "sntrys_" }, { "[%w/?=&_%%-]", 30, "chat.googleapis.com/v1/spaces/" },
  { "[%w/]", 10, "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/" },
  { "[%w:_-]", 20, "api.telegram.org/bot" },
  { "[%w@/-]", 20, "webhook.office.com/webhookb2/ outlook.office.com/webhook/" }, { "[%w_%%-]", 8, "xoxd-" },
  { "[%w_.=-]", 30, "eyJ" }, { "[%w_.=/+-]", 60, "ZXlK" }, { "[%w_=-]", 20, "ATCTT3xFfG ATATT3xFfG" },
  { "[%w_]", 16, "github_pat_" }, { "[%w_]", 20, "glsa_ sgp_ CCIPAT_" }, { "[%w_]", 30, "pcsk_ lsv2_" },
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
  for prefix in row[3]:gmatch "%S+" do
    PREFIXES[#PREFIXES + 1] = { kind = "token " .. prefix .. "...", prefix = prefix, run = "^" .. row[1] .. "*()",
      least = row[2] }
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
