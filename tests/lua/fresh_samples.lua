-- Secrets as services, command lines and configuration files have them, of kinds that no rule was written for. The
-- rules were improved with the first list after it was measured once; the kinds of fresh_heldout.lua were written after
-- that. Made from a seed as in secret_samples.lua.

local drawer_of = require("secret_samples").drawer

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local UPPER = LOWER:upper()

local fresh = { DIGITS = DIGITS, LOWER = LOWER, UPPER = UPPER, HEX = "0123456789abcdef", LOW = DIGITS .. LOWER,
  WORD = DIGITS .. LOWER .. UPPER, BASE64 = DIGITS .. LOWER .. UPPER .. "+/", DASH = DIGITS .. LOWER .. UPPER .. "_-" }
local HEX, WORD, BASE64, DASH = fresh.HEX, fresh.WORD, fresh.BASE64, fresh.DASH

--- Draws `count` characters after a prefix.
function fresh.of(alphabet, count, prefix)
  return function(d) return (prefix or "") .. d.chars(alphabet, count) end
end
--- Draws a UUID.
function fresh.uuid(d) return d.uuid() end
--- Draws what somebody might think of.
function fresh.password(d) return d.password() end

local BASE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

--- The text in base64.
function fresh.base64(text)
  local parts = {}
  for i = 1, #text, 3 do
    local a, b, c = text:byte(i, i + 2)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    local piece = ""
    for shift = 18, 0, -6 do
      local at = (bits >> shift & 63) + 1
      piece = piece .. BASE:sub(at, at)
    end
    parts[#parts + 1] = not b and piece:sub(1, 2) .. "==" or not c and piece:sub(1, 3) .. "=" or piece
  end
  return table.concat(parts)
end

--- Draws the base64 of user:password.
function fresh.basic(d) return fresh.base64("deploy-bot:" .. d.password() .. d.chars(WORD, 4)) end

local of, password, basic = fresh.of, fresh.password, fresh.basic

-- { kind, how the secret is drawn, the text with %s in its place }
local ROWS = {
  -- services of machine learning
  { "hf git", of(WORD, 34, "hf_"), "git clone https://user:%s@huggingface.co/org/model" },
  { "hf cache file", of(WORD, 34, "hf_"), "cat ~/.cache/huggingface/token -> %s" },
  { "wandb netrc", of(HEX, 40), "machine api.wandb.ai\n  login user\n  password %s" },
  { "wandb settings", of(HEX, 40), "wandb: Appending key for api.wandb.ai to your netrc file: %s" },
  { "comet ini", of(WORD, 25), "[comet]\napi_key=%s\nworkspace=x" },
  { "comet call", of(WORD, 25), 'Experiment(api_key="%s", project_name="x")' },
  { "neptune env", of(BASE64, 120, "eyJhcGlfYWRkcmVzcyI6Imh0"), "NEPTUNE_API_TOKEN=%s" },
  { "modal toml", of(WORD, 22, "as-"), "[default]\ntoken_id = \"ak-x\"\ntoken_secret = \"%s\"" },
  { "modal command", of(WORD, 22, "as-"), "modal token set --token-id ak-x --token-secret %s" },
  { "lambda", of(WORD, 32), "curl -u secret_lambda_x_%s: https://cloud.example.org/api/v1/instances" },
  { "vast header", of(HEX, 64), "GET /api/v0/instances?owner=me&api_key=%s" },
  { "ngc config", of(BASE64, 84), "[CURRENT]\napikey = %s\nformat_type = ascii" },
  { "ngc docker", of(WORD, 84), "docker login nvcr.io -u '$oauthtoken' -p %s" },
  { "coreweave", of(WORD, 44, "CW-SECRET-"), "cwic auth login %s" },
  { "mlflow", password, "MLFLOW_TRACKING_PASSWORD=%s mlflow ui" },
  { "aim remote", of(WORD, 32), "Run(repo='aim://h:53800', access_key='%s')" },
  { "polyaxon", of(HEX, 40), "polyaxon login -t %s" },
  { "paperspace", of(HEX, 32), "gradient apiKey %s" },
  { "ray", of(DASH, 44), "RAY_REDIS_PASSWORD %s" },
  { "dask", of(WORD, 40), "dask: distributed.comm.auth_token: %s" },
  { "jupyter hub", of(HEX, 32), "c.ConfigurableHTTPProxy.auth_token = '%s'" },
  { "jupyter password", of(HEX, 40, "argon2:$argon2id$v=19$m=10240,t=10,p=8$"), "c.ServerApp.password = '%s'" },
  { "roboflow", of(WORD, 20), "Roboflow(api_key='%s')" },
  { "scale", of(HEX, 40, "live_"), "scaleapi.ScaleClient('%s')" },
  { "langfuse", function(d) return "sk-lf-" .. d.uuid() end, "langfuse: %s" },
  { "cohere", of(WORD, 40), "co = cohere.Client('%s')" },
  { "kaggle json", of(HEX, 32), '{"username":"ann","key":"%s"}' },
  { "labelbox", of(DASH, 80, "eyJhbGciOiJIUzI1NiJ9.eyJ"), "Client(api_key=%s)" },
  -- files of credentials
  { "netrc tab", password, "machine\tgit.example.org\tlogin\tbot\tpassword\t%s" },
  { "netrc account", password, "machine h.example.org login bot account x password %s" },
  { "pgpass", password, "db.example.org:5432:app:bot:%s" },
  { "pgpass star", password, "*:*:*:postgres:%s" },
  { "npmrc", of(BASE64, 40), "//registry.example.org/:_authToken=%s" },
  { "npmrc basic", basic, "//registry.example.org/:_auth=%s" },
  { "npmrc password", basic, "//registry.example.org/:_password=\"%s\"" },
  { "yarnrc", of(WORD, 36), 'npmAuthToken: "%s"' },
  { "yarnrc ident", password, "npmAuthIdent: bot:%s" },
  { "pip conf", password, "[global]\nextra-index-url = https://bot:%s@pypi.example.org/simple" },
  { "pypirc", password, "[x]\nrepository: https://pypi.example.org\nusername: bot\npassword: %s" },
  { "uv", password, "UV_INDEX_CORP_PASSWORD=%s" },
  { "docker config", basic, '{"auths":{"r.example.org":{"auth":"%s"}}}' },
  { "docker config lines", basic, '{\n  "auths": {\n    "https://r.example.org/v1/": {\n      "auth": "%s"\n    }\n  }\n}' },
  { "docker identity", of(WORD, 60), '"identitytoken": "%s"' },
  { "kube token", of(DASH, 90), "users:\n- name: x\n  user:\n    token: %s" },
  { "kube key data", of(BASE64, 100, "LS0tLS1CRUdJTiBS"), "    client-key-data: %s" },
  { "kube secret", of(BASE64, 24), "kind: Secret\ndata:\n  password: %s" },
  { "kube secret other", function(d) return fresh.base64(d.password() .. d.chars(WORD, 14)) end,
    "kind: Secret\nmetadata:\n  name: db\ndata:\n  value: %s" },
  { "terraform vars", password, 'db_admin_pwd = "%s"' },
  { "terraform state", of(WORD, 40), '"secret": "%s",\n "ses_smtp_password_v4": ""' },
  { "terraform rc", of(WORD, 60), 'credentials "app.example.org" {\n  token = "%s"\n}' },
  { "aws file", of(BASE64, 40), "[default]\naws_access_key_id = X\naws_secret_access_key = %s" },
  { "aws json", of(BASE64, 40), '{"AccessKeyId": "X", "SecretAccessKey": "%s"}' },
  { "s3cfg", of(BASE64, 40), "access_key = X\nsecret_key = %s\n" },
  { "boto", of(BASE64, 40), "gs_secret_access_key = %s" },
  { "azure connection", of(BASE64, 86), "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s==;EndpointSuffix=y" },
  { "azure service bus", of(BASE64, 43), "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=%s=" },
  { "gcp service", of(HEX, 40), '"private_key_id": "%s",' },
  { "gcp refresh", of(DASH, 60, "1//0"), '"refresh_token": "%s"' },
  { "odbc", password, "Driver={ODBC};Server=db;UID=sa;PWD=%s;" },
  { "jdbc", password, "jdbc:mysql://db:3306/x?user=app&password=%s&ssl=true" },
  { "jdbc oracle", password, "jdbc:oracle:thin:scott/%s@db:1521:x" },
  { "go mysql", password, "app:%s@tcp(db:3306)/x" },
  { "libpq", password, "host=db port=5432 user=app password=%s sslmode=require" },
  { "mongodb", password, "mongodb+srv://app:%s@c0.example.org/x" },
  { "redis url", password, "redis://:%s@cache:6379/0" },
  { "amqp", password, "amqps://app:%s@mq.example.org/v" },
  { "ldap", password, "bindpw %s" },
  { "samba", password, "smbclient //srv/x -U 'CORP\\bot%%%s'" },
  { "cifs file", password, "username=bot\npassword=%s\ndomain=CORP" },
  { "msmtp", password, "account x\nuser bot\npassword %s" },
  { "mutt", password, 'set imap_pass = "%s"' },
  { "git credentials", password, "https://bot:%s@git.example.org" },
  { "git credential protocol", password, "protocol=https\nhost=git.example.org\nusername=bot\npassword=%s" },
  { "htdigest", of(HEX, 32), "bot:realm:%s" },
  { "shadow", of(WORD, 86, "$6$Ab12Cd34$"), "bot:%s:19000:0:99999:7:::" },
  { "wifi", password, 'network={\n ssid="x"\n psk="%s"\n}' },
  { "nmcli", password, "nmcli dev wifi connect x password %s" },
  { "unattend", password, "<AdministratorPassword><Value>%s</Value></AdministratorPassword>" },
  { "cmdkey", password, "cmdkey /add:srv /user:bot /pass:%s" },
  { "runas", password, "$cred = New-Object PSCredential('x', (ConvertTo-SecureString '%s' -AsPlainText -Force))" },
  { "kinit", password, "echo '%s' | kinit bot@CORP" },
  { "keytab", password, "ktutil: addent -password -p bot@CORP -k 1 -e aes256\nPassword for bot@CORP: %s" },
  -- headers, wrapped and cut
  { "header proxy", basic, "Proxy-Authorization: Basic %s" },
  { "header wrapped", of(WORD, 60), "> Authorization: Bearer\n>  %s" },
  { "header dict", of(WORD, 40), "headers={'X-Acme-Key': '%s', 'Accept': '*/*'}" },
  { "header tuple", of(WORD, 40), "[(b'authorization', b'Bearer %s')]" },
  { "header go", of(WORD, 40), "map[Authorization:[Bearer %s] Accept:[*/*]]" },
  { "header curl trace", of(WORD, 40), "0000: Authorization: token %s" },
  { "aws signature", of(HEX, 64), "Authorization: AWS4-HMAC-SHA256 Credential=X/2024, SignedHeaders=host, Signature=%s" },
  { "basic in command", basic, "curl -H 'Authorization: Basic %s' https://x" },
  { "line continued", of(WORD, 32), "prog --api-token \\\n  %s \\\n  --n 3" },
  { "json wrapped", of(WORD, 40), '"access_token":\n    "%s",' },
  { "yaml folded", of(WORD, 60), "token: >-\n  %s\nport: 1" },
  { "yaml pem", of(BASE64, 64), "key: |\n  -----BEGIN EC PRIVATE KEY-----\n  %s\n  -----END EC PRIVATE KEY-----" },
  { "pem one line", of(BASE64, 90), '"-----BEGIN PRIVATE KEY-----\\nMIIE%s\\n-----END PRIVATE KEY-----\\n"' },
  { "ssh body", of(BASE64, 70, "b3BlbnNzaC1rZXktdjEA"), "  %s" },
  { "env null", of(WORD, 36), "LANG=C\0GH_TOKEN=%s\0HOME=/root" },
  { "env python", password, "environ({'LANG': 'C', 'DB_PASS': '%s'})" },
  { "env quoted", password, "'DB_PASSWORD=%s'" },
  { "env powershell", password, "$env:DB_PASSWORD = '%s'" },
  { "env set cmd", password, "set DB_PASSWORD=%s& run.bat" },
  { "env inspect", password, '"Env": ["PATH=/bin", "REDIS_PASSWORD=%s"]' },
  { "xtrace", password, "+ DB_PASSWORD='%s'" },
  { "xtrace export", of(WORD, 32), "++ export CI_DEPLOY_TOKEN=%s" },
  { "make", of(WORD, 32), "make deploy TOKEN=%s V=1" },
  { "cmake", of(WORD, 32), "cmake -DARTIFACT_TOKEN:STRING=%s .." },
  { "bazel", basic, "bazel build --remote_header=Authorization='Basic %s' //x" },
  { "bazel header", of(WORD, 32), "--remote_header=x-buildbuddy-api-key=%s" },
  { "argparse", password, "Namespace(db_password='%s', n=3)" },
  { "ps", password, "ann  4711  0.0  prog --dbpassword %s --n 3" },
}

--- `count` samples of each of these rows, as of secret_samples.make; the second result is the number of kinds.
function fresh.draw(rows, seed, count)
  local d, list = drawer_of(seed), {}
  for _, row in ipairs(rows) do
    for _ = 1, count do
      local secret = row[2](d)
      local from, to = row[3]:find "%%s"
      local text = row[3]:sub(1, from - 1):gsub("%%%%", "%%") .. secret .. row[3]:sub(to + 1):gsub("%%%%", "%%")
      list[#list + 1] = { kind = row[1], context = "own", text = text, secrets = { secret } }
    end
  end
  return list, #rows
end

--- Samples of the kinds of this file.
function fresh.make(seed, count) return fresh.draw(ROWS, seed, count) end

return fresh
