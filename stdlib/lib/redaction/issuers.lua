-- Secrets that are known by their form: what their issuers put before them, and the characters after it.
--
-- Each row is { what it is, class of the characters that follow a prefix, at least how many, the prefixes }. `exactly`:
-- no more of them follow; `within`: a pattern that they have to have.

local WORD, DASH, HEX, UPPER = "[%w]", "[%w_-]", "[%x]", "[%u%d]"
local BASE64, DOTTED, PATH = "[%w+/=]", "[%w._-]", "[%w._/-]"

local issuers = {}

issuers.PREFIXES = {
  { "GitHub token", WORD, 16, "ghp_ gho_ ghu_ ghs_ ghr_" }, { "GitHub token", "[%w_]", 16, "github_pat_" },
  { "GitLab token", DOTTED, 16, "glpat-" },
  { "GitLab token", DASH, 16, "gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941 glffct-" },
  { "Bitbucket token", WORD, 24, "ATBB" }, { "Bitbucket token", "[%w_=-]", 20, "ATCTT3xFfG" },
  { "Atlassian token", "[%w_=-]", 20, "ATATT3xFfG" }, { "Linear key", WORD, 20, "lin_api_" },
  { "Hugging Face token", WORD, 20, "hf_ api_org_" }, { "Weights & Biases key", DASH, 16, "wandb_v1_" },
  { "NVIDIA key", DASH, 20, "nvapi-" }, { "npm token", WORD, 24, "npm_" }, { "PyPI token", DASH, 20, "pypi-" },
  { "RubyGems key", HEX, 24, "rubygems_" }, { "crates.io token", WORD, 32, "cio" },
  { "NuGet key", "[%l%d]", 40, "oy2" }, { "Clojars token", WORD, 20, "CLOJARS_" },
  { "Docker token", DASH, 16, "dckr_pat_ dckr_oat_" }, { "JFrog key", WORD, 30, "AKCp" },
  { "JFrog token", BASE64, 30, "cmVmdGtuO" }, { "Codecov token", WORD, 20, "codecov_" },
  { "AWS key", UPPER, 16, "AKIA ASIA ABIA ACCA AROA AIDA" },
  { "AWS session token", BASE64, 20, "IQoJb3JpZ2lu FwoGZXIvYXdz" }, { "Amazon Bedrock key", BASE64, 60, "ABSK" },
  { "Amazon MWS token", DASH, 30, "amzn.mws." }, { "Google key", DASH, 30, "AIza" },
  { "Google token", DASH, 20, "ya29." }, { "Google secret", DASH, 20, "GOCSPX-" },
  { "Google token", DASH, 30, "1//0" }, { "Firebase key", "[%w_-:]", 120, "AAAA" },
  { "Azure DevOps token", WORD, 20, "AZDO" }, { "Alibaba key", WORD, 16, "LTAI" },
  { "Tencent key", WORD, 28, "AKID" }, { "Yandex key", DASH, 30, "AQVN" }, { "Yandex token", DOTTED, 60, "t1." },
  { "Yandex token", DASH, 40, "y0_" }, { "DigitalOcean token", WORD, 30, "dop_v1_ doo_v1_ dor_v1_" },
  { "Scaleway key", UPPER, 17, "SCW" }, { "Cloudflare key", DASH, 60, "v1.0-" },
  { "Fly.io token", BASE64, 30, "fm2_" }, { "Fly.io token", DASH, 30, "fo1_" }, { "Heroku key", DASH, 30, "HRKU-" },
  { "Netlify token", WORD, 30, "nfp_" }, { "Vercel token", WORD, 20, "vcp_" }, { "Render key", WORD, 20, "rnd_" },
  { "RunPod key", WORD, 30, "rpa_" }, { "Supabase key", WORD, 30, "sbp_" },
  { "Supabase key", DASH, 20, "sb_secret_" }, { "PlanetScale token", DOTTED, 20, "pscale_tkn_" },
  { "PlanetScale password", DOTTED, 20, "pscale_pw_" }, { "Neon key", WORD, 30, "napi_" },
  { "Vault token", DASH, 16, "hvs. hvb. hvr." }, { "Vault token", WORD, 24, "s.", exactly = true },
  { "Doppler token", DOTTED, 20, "dp.pt. dp.st. dp.ct." }, { "Pulumi token", HEX, 30, "pul-" },
  { "1Password token", DASH, 20, "ops_eyJ" }, { "1Password key", "[%u%d-]", 30, "A3-" },
  { "age key", UPPER, 20, "AGE-SECRET-KEY-1" }, { "Infracost key", WORD, 30, "ico-" },
  { "Prefect key", WORD, 30, "pnu_" }, { "Harness token", DOTTED, 40, "pat." },
  { "Databricks token", HEX, 32, "dapi dose" }, { "Dynatrace token", DOTTED, 20, "dt0c01." },
  { "Grafana token", "[%w_]", 20, "glsa_" }, { "Grafana token", BASE64, 20, "glc_" },
  { "New Relic key", WORD, 20, "NRAK- NRRA-" }, { "New Relic key", DASH, 20, "NRII-" },
  { "New Relic key", WORD, 15, "NRJS-" }, { "Sentry token", "[%w+/=_-]", 20, "sntrys_" },
  { "Sentry token", HEX, 20, "sntryu_" }, { "Honeycomb key", WORD, 30, "hcaik_" },
  { "Rollbar token", WORD, 16, "post_server_item_" }, { "LaunchDarkly key", "[%x-]", 36, "sdk-" },
  { "Sourcegraph token", "[%w_]", 20, "sgp_" }, { "Buildkite token", WORD, 30, "bkua_" },
  { "CircleCI token", "[%w_]", 20, "CCIPAT_" }, { "Tailscale key", DASH, 16, "tskey-" },
  { "ngrok key", WORD, 30, "ngrok_" },
  { "Slack token", DASH, 8, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xapp- xwfp-" },
  { "Slack token", "[%w_%%-]", 8, "xoxd-" }, { "Slack token", DOTTED, 8, "xoxe." },
  { "Slack webhook", "[%w/]", 12, "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/" },
  { "Discord webhook", PATH, 20, "discord.com/api/webhooks/ discordapp.com/api/webhooks/" },
  { "Teams webhook", "[%w@/-]", 20, "webhook.office.com/webhookb2/ outlook.office.com/webhook/" },
  { "Google Chat webhook", "[%w/?=&_%%-]", 30, "chat.googleapis.com/v1/spaces/" },
  { "Zapier webhook", "[%w/]", 8, "hooks.zapier.com/hooks/catch/" },
  { "IFTTT webhook", PATH, 20, "maker.ifttt.com/trigger/" },
  { "Telegram token", "[%w:_-]", 20, "api.telegram.org/bot" },
  { "Stripe key", WORD, 10, "sk_live_ sk_test_ rk_live_ rk_test_" }, { "Stripe secret", "[%w+/=]", 16, "whsec_" },
  { "Square token", DASH, 56, "EAAA" }, { "Square secret", DASH, 20, "sq0csp-" },
  { "Square token", DASH, 16, "sq0atp-" }, { "Shopify token", HEX, 20, "shpat_ shpca_ shppa_" },
  { "Shopify secret", HEX, 20, "shpss_" }, { "Shippo token", HEX, 20, "shippo_live_ shippo_test_" },
  { "PayPal token", "[%w$]", 20, "access_token$production$" }, { "EasyPost key", WORD, 40, "EZAK EZTK" },
  { "Duffel token", DASH, 20, "duffel_live_" }, { "Flutterwave key", "[%w_-]", 12, "FLWSECK" },
  { "Plaid token", "[%x-]", 30, "access-production- access-sandbox-" }, { "Razorpay key", WORD, 12, "rzp_live_" },
  { "SendGrid key", DOTTED, 30, "SG." }, { "Sendinblue key", DASH, 30, "xkeysib- xsmtpsib-" },
  { "Resend key", "[%w_]", 26, "re_" }, { "Postmark key", "[%x-]", 30, "PMAK-" },
  { "HubSpot token", "[%x-]", 30, "pat-na1- pat-eu1-" }, { "Mailgun key", "[%l%d]", 32, "key-", exactly = true },
  { "Facebook token", WORD, 10, "EAACEdEose0cBA" }, { "Facebook token", WORD, 60, "EAAB EAAG" },
  { "Twitter token", "[%w%%]", 40, "AAAAAAAAAAAAAAAAAAAAA" }, { "Notion token", WORD, 30, "ntn_" },
  { "Notion token", WORD, 40, "secret_" }, { "Figma token", DASH, 30, "figd_" },
  { "Asana token", "[%d:/%l]", 45, "1/" }, { "Contentful token", DASH, 30, "CFPAT-" },
  { "Typeform token", DOTTED, 30, "tfp_" }, { "Dropbox token", DASH, 60, "sl." },
  { "Frame.io token", DASH, 40, "fio-u-" }, { "ReadMe key", WORD, 40, "rdme_" },
  { "Airtable token", DOTTED, 60, "pat", within = "%." }, { "Artifactory token", DOTTED, 30, "eyJ2ZXIiOiI" },
  { "Anthropic key", DASH, 20, "sk-ant-" }, { "OpenRouter key", DASH, 20, "sk-or-" },
  { "API key", DASH, 20, "sk- pk-lf-" }, { "Replicate token", WORD, 30, "r8_" }, { "Groq key", WORD, 30, "gsk_" },
  { "Perplexity key", WORD, 30, "pplx-" }, { "xAI key", WORD, 40, "xai-" }, { "Fireworks key", WORD, 20, "fw_" },
  { "Pinecone key", "[%w_]", 30, "pcsk_" }, { "LangSmith key", "[%w_]", 30, "lsv2_" },
  { "Voyage key", DASH, 40, "pa-" }, { "Cerebras key", WORD, 40, "csk-" }, { "Tavily key", DASH, 20, "tvly-" },
  { "Jina key", DASH, 30, "jina_" }, { "E2B key", HEX, 30, "e2b_" },
  { "Modal token", WORD, 22, "as-", exactly = true }, { "Kaggle key", WORD, 20, "KGAT_" },
  { "Lightning key", WORD, 30, "lit_" }, { "Comet key", WORD, 30, "comet_" },
  { "JSON web token", "[%w_.=-]", 30, "eyJ" }, { "JSON web token", "[%w_.=/+-]", 60, "ZXlK" },
}

-- Forms without a prefix of their own, as patterns; the text must have `near` for the pattern to be tried.
issuers.FORMS = {
  { "Azure secret", near = "Q~", pattern = "%f[%w_~.-][%w_~.-][%w_~.-][%w_~.-]%dQ~" .. ("[%w_~.-]"):rep(24)
    .. "[%w_~.-]*" },
  { "Azure DevOps token", near = "AZDO", pattern = "%f[%w]" .. WORD:rep(60) .. WORD .. "*AZDO%w%w%w%w" },
  { "Telegram token", near = ":AA", pattern = "%f[%d]%d%d%d%d%d%d%d%d%d?%d?:AA" .. ("[%w_-]"):rep(30) .. "[%w_-]*" },
  { "Mailchimp key", near = "-us", pattern = "%f[%x]" .. ("%x"):rep(32) .. "%-us%d%d?%f[%W]" },
  { "Twilio key", near = "SK", pattern = "%f[%w]SK" .. ("[%da-f]"):rep(32) .. "%f[%W]" },
  { "Twilio account", near = "AC", pattern = "%f[%w]AC" .. ("[%da-f]"):rep(32) .. "%f[%W]" },
  { "Terraform token", near = ".atlasv1.", pattern = "%f[%w]" .. ("%w"):rep(10) .. "%w*%.atlasv1%.[%w_=-]+" },
  { "Discord token", near = ".", pattern = "%f[%w][MNO][%w_-]" .. ("[%w_-]"):rep(21) .. "[%w_-]*%.[%w_-]"
    .. ("[%w_-]"):rep(5) .. "%." .. ("[%w_-]"):rep(27) .. "[%w_-]*" },
  { "Rancher token", near = "token-", pattern = "%f[%w]token%-%l%l?%l?%w%w:%w" .. ("%w"):rep(30) .. "%w*" },
  { "Kubernetes token", near = "token", pattern = "%f[%w][%l%d][%l%d][%l%d][%l%d][%l%d][%l%d]%."
    .. ("[%l%d]"):rep(16) .. "%f[%W]" },
}

return issuers
