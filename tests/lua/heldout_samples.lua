-- Secrets of providers and in forms that no rule names. Rules were improved with three quarters of the kinds, and with
-- every fourth one, which was held out, after untuned_samples.lua had taken its place. Made from a seed as in
-- secret_samples.lua.

local drawer_of = require("secret_samples").drawer

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local UPPER = LOWER:upper()
local HEX, LOW, WORD = "0123456789abcdef", DIGITS .. LOWER, DIGITS .. LOWER .. UPPER
local BASE64, DASH, BASE32 = WORD .. "+/", WORD .. "_-", UPPER .. "234567"

local function of(alphabet, count, prefix)
  return function(d) return (prefix or "") .. d.chars(alphabet, count) end
end
local function uuid(d) return d.uuid() end
local function password(d) return d.password() end
local function grouped(d)
  local c = d.chars
  return table.concat({ c(BASE32, 5), c(BASE32, 5), c(BASE32, 5), c(BASE32, 5), c(BASE32, 5) }, "-")
end

-- { kind, how the secret is drawn, the text with %s in its place }
local ROWS = {
  -- services of their own, by name, header or prefix
  { "algolia", of(HEX, 32), "curl -H 'X-Algolia-API-Key: %s' https://x.algolia.net/1/indexes" },
  { "circleci", of(HEX, 40, "CCIPAT_Qx7_"), "using %s for pipeline 12" },
  { "buildkite", of(HEX, 40, "bkua_"), "agent start --verbose %s" },
  { "codecov", uuid, "CODECOV_TOKEN: %s" },
  { "sonarqube", of(HEX, 40, "sqp_"), "mvn sonar:sonar -Dsonar.login=%s" },
  { "okta", of(DASH, 40, "00"), "Authorization: SSWS %s" },
  { "auth0", of(DASH, 64), 'AUTH0_CLIENT="{\\"id\\":\\"x\\",\\"secret\\":\\"%s\\"}"' },
  { "linode", of(HEX, 64), "linode_token: %s" },
  { "hetzner", of(WORD, 64), "HCLOUD_TOKEN=%s hcloud server list" },
  { "planetscale", of(DASH, 43, "pscale_tkn_"), "service %s created" },
  { "supabase", of(HEX, 40, "sbp_"), "supabase link %s" },
  { "netlify", of(WORD, 36, "nfp_"), "site deployed with %s" },
  { "render", of(WORD, 28, "rnd_"), "rerun: render deploys create %s" },
  { "runpod", of(UPPER .. DIGITS, 40, "rpa_"), "runpod.api = '%s'" },
  { "vast", of(HEX, 64), "vastai set api-key %s" },
  { "mistral", of(WORD, 32), "MISTRAL_KEY = %s" },
  { "together", of(HEX, 64), "together.api_key = \"%s\"" },
  { "elevenlabs", of(HEX, 48, "sk_"), "xi-api-key: %s" },
  { "anyscale", of(WORD, 50, "aph0_"), "anyscale job submit: %s expired" },
  { "prefect", of(WORD, 36, "pnu_"), "prefect cloud login -k %s" },
  { "honeycomb", of(LOW, 58, "hcaik_01"), "x-honeycomb-team=%s" },
  { "launchdarkly", function(d) return "sdk-" .. d.uuid() end, "LDClient(sdk_key='%s')" },
  { "splunk", uuid, "curl -H 'Authorization: Splunk %s' https://hec:8088/services/collector" },
  { "opsgenie", uuid, "Authorization: GenieKey %s" },
  { "pagerduty", of(WORD, 18, "u+"), "Authorization: Token token=%s" },
  { "trello", of(HEX, 64), "https://api.trello.com/1/boards?key=abc&token=%s" },
  { "jfrog", of(WORD, 68, "AKCp"), "jf c add --url https://example.org/art --access %s" },
  { "gitea", of(HEX, 40), "https://gitea.example.org/api/v1/user?access_token=%s" },
  { "jupyter", of(HEX, 48), "    http://127.0.0.1:8888/lab?token=%s" },
  { "munge", of(BASE64, 96), "MUNGE:%s:" },
  { "slurm", of(DASH, 90, "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."), "SLURM_JWT=%s" },
  { "xauth", of(HEX, 32), "node7/unix:0  MIT-MAGIC-COOKIE-1  %s" },
  { "kubeadm", function(d) return d.chars(LOW, 6) .. "." .. d.chars(LOW, 16) end,
    "kubeadm join 10.0.0.1:6443 --token %s" },
  { "nomad", uuid, "NOMAD_TOKEN=%s nomad job run x.hcl" },
  { "consul", uuid, "consul members -token %s" },
  { "ngc", of(WORD, 84), "ngc config set --key %s" },
  { "clearml", of(WORD, 50), 'credentials { "access_key" = "x" "secret_key" = "%s" }' },
  { "neptune", of(WORD, 120, "eyJhcGlfYWRkcmVzcyI6"), "neptune.init_run(api_token='%s')" },
  { "determined", of(WORD, 44, "v2.public."), "det -m x deploy token %s" },
  { "mattermost", of(LOW, 26), "curl -d @x https://chat.example.org/hooks/%s" },
  { "teams", function(d) return d.uuid() .. "@" .. d.uuid() .. "/IncomingWebhook/" .. d.chars(HEX, 32) end,
    "POST https://x.webhook.office.com/webhookb2/%s" },
  { "matrix", of(WORD, 40, "syt_Ym90_"), "matrix: access %s" },
  { "zulip", of(WORD, 32), "[api]\nemail=bot@example.org\nkey=%s" },
  { "harbor", of(WORD, 32), "docker login r.example.org -u 'robot$ci' --password %s" },
  { "cloudflare", of(DASH, 40), "CF_API=%s wrangler publish" },
  { "sentry", of(HEX, 32), "SENTRY_DSN=https://%s@o1.ingest.example.org/5" },
  { "mapbox", of(WORD, 80, "sk.eyJ1Ijoi"), "mapbox: %s" },
  { "snyk", uuid, "snyk auth %s" },
  { "fly", of(BASE64, 80, "fm2_lJPE"), "FlyV1 %s" },
  { "heroku", function(d) return "HRKU-" .. d.uuid() end, "heroku says %s is revoked" },
  { "binance", of(WORD, 64), "client = Client('x', '%s')" },
  { "spotify", of(HEX, 32), 'spotify: {clientSecret: "%s"}' },
  { "steam", of("0123456789ABCDEF", 32), "https://api.example.org/ISteamUser?key=%s" },
  { "azure devops", of(LOWER .. "234567", 52), "git clone https://build:%s@dev.azure.com/o/p/_git/r" },
  -- variables
  { "env odd name", of(WORD, 32), "export TURSO_AUTH=%s" },
  { "env tok", of(WORD, 36), "REGISTRY_TOK=%s make push" },
  { "env lower", password, "dbpasswd=%s ./run" },
  { "env pw", password, "ADMIN_PW='%s'" },
  { "env phrase", password, "BORG_PASSPHRASE=\"%s\" borg create x" },
  { "env key id", of(WORD, 40), "B2_APPLICATION_KEY=%s" },
  { "env in dump", of(WORD, 40), "declare -x CI_JOB_JWT_V2=\"%s\"" },
  { "env pass file content", password, "PGPASS=%s psql" },
  { "env credential", of(BASE64, 64), "GOOGLE_CREDENTIALS=%s" },
  { "env webhook", of(WORD, 32), "ALERT_WEBHOOK=https://hooks.example.org/in/%s" },
  { "env session", of(WORD, 64), "AWS_SESSION=%s" },
  { "docker env", password, "docker run -e REDIS_AUTH=%s redis" },
  { "printenv list", of(WORD, 30), "environ({'PATH': '/usr/bin', 'HUB_SECRET': '%s'})" },
  { "slurm export", of(WORD, 30), "sbatch --export=ALL,API_TOKEN=%s job.sh" },
  { "set csh", password, "setenv FTP_PASSWD %s" },
  { "fish", of(WORD, 32), "set -gx OPENSECRET %s" },
  { "registry windows", password, '"DefaultPassword"="%s"' },
  { "systemd", of(WORD, 32), 'Environment="APP_SECRET=%s"' },
  -- configuration
  { "yaml nested", password, "redis:\n  auth:\n    password: %s\n    port: 6379" },
  { "yaml quoted key", of(WORD, 24), "'signing-secret': '%s'" },
  { "yaml list", of(WORD, 32), "env:\n  - name: HOOK_TOKEN\n    value: %s" },
  { "yaml list quoted", of(WORD, 32), "- name: PUSH_KEY\n  value: \"%s\"" },
  { "json camel", of(WORD, 40), '{"refreshToken":"%s","expires":3600}' },
  { "json array pair", of(WORD, 40), '["X-Custom-Auth", "%s"]' },
  { "json short", password, '{"u":"bot","pw":"%s"}' },
  { "json pass", password, "{'host': 'db', 'passwd': '%s', 'db': 'x'}" },
  { "ini spaced", password, "[mail]\nsmtp_pass = %s" },
  { "ini semicolon", password, "Uid=app;Pwd=%s;Pooling=true" },
  { "rclone", of(DASH, 30), "[remote]\ntype = sftp\npass = %s" },
  { "wireguard shared", of(BASE64, 43), "PresharedKey = %s=" },
  { "toml inline", of(WORD, 32), 'registry = { index = "x", token = "%s" }' },
  { "hcl", of(WORD, 40), '  secret_key = "%s"' },
  { "chap", password, "node.session.auth.password = %s" },
  { "radius", password, "client lab {\n  secret = %s\n}" },
  { "snmp", of(WORD, 10), "rocommunity %s 10.0.0.0/8" },
  { "gitconfig helper", of(WORD, 40), '[http]\n  extraheader = "X-Auth: %s"' },
  { "pip conf", of(WORD, 30), "index-url = https://bot:%s@index.example.org/simple" },
  { "condarc", of(LOW, 32), "channels:\n  - https://conda.example.org/t/%s/main" },
  { "maven", password, "<server><id>x</id><username>u</username><password>%s</password></server>" },
  { "gradle", password, "signing.keyPass=%s" },
  { "nuget conf", password, '<add key="ClearTextPassword" value="%s" />' },
  { "netrc one line", password, "default login ann password %s" },
  { "ssh config", password, "sshpass -p '%s' rsync -a x node:/y" },
  { "license", grouped, "License key: %s" },
  { "license of a tool", grouped, "activate --serial %s" },
  { "php array", password, "'db_pass' => '%s'," },
  { "c macro", of(WORD, 32), '#define API_SECRET "%s"' },
  { "rust", of(WORD, 32), 'let auth_token: &str = "%s";' },
  { "python call", of(WORD, 36), 'client = Hub(token="%s", timeout=3)' },
  { "python positional", of(WORD, 40), 'login("%s")' },
  { "javascript", of(WORD, 32), "const apiSecret = `%s`;" },
  { "java", password, 'props.put("mail.password", "%s");' },
  { "lua", of(WORD, 32), 'local hook_secret = "%s"' },
  { "sql alter", password, "ALTER ROLE app WITH LOGIN PASSWORD '%s';" },
  { "sql set", password, "SET PASSWORD FOR 'x'@'%%' = '%s';" },
  { "sql identified", password, "GRANT ALL ON x.* TO y IDENTIFIED BY '%s';" },
  { "mongo shell", password, "db.createUser({user: 'x', pwd: '%s'})" },
  -- commands
  { "unknown option", of(WORD, 32), "acmectl push --acme-token %s --force" },
  { "unknown short option", of(WORD, 40), "acmectl push -t %s x.img" },
  { "positional", of(HEX, 40), "acmectl auth %s" },
  { "login positional", of(WORD, 30), "hubtool login bot %s" },
  { "password with equals", password, "./tool --db-pass=%s" },
  { "option of java", of(WORD, 24), "java -Dapp.api.secret=%s -jar x.jar" },
  { "ssl", password, "openssl pkcs12 -in x.p12 -passin pass:%s -nodes" },
  { "basic in url", password, "wget https://ann:%s@files.example.org/x.tgz" },
  { "ftp", password, "lftp -e 'ls' ftp://u:%s@example.org" },
  { "smb", password, "mount -t cifs //srv/x /mnt -o username=ann,password=%s" },
  { "curl bearer", of(WORD, 40), 'curl -H "authorization: bearer %s" example.org' },
  { "curl data", password, "curl -d 'user=x&passwd=%s' example.org" },
  { "curl form token", of(WORD, 32), "curl -F 'tok=%s' example.org" },
  { "httpie", of(WORD, 32), "http example.org X-Session:%s" },
  { "wget header", of(WORD, 32), "wget --header='JOB-TOKEN: %s' https://x" },
  { "aws cli", of(BASE64, 40), "aws configure set profile.x.aws_secret_access_key %s" },
  { "kubectl token", of(WORD, 60), "kubectl --token=%s get pods" },
  { "kubectl config", of(WORD, 60), "kubectl config set-credentials x --token=%s" },
  { "helm", password, "helm repo add x https://x --username u --password '%s'" },
  { "ansible", password, "ansible all -e 'vault_pass=%s'" },
  { "gpg passphrase", password, "gpg --pinentry-mode loopback --passphrase '%s' -c x" },
  { "zip", password, "zip -P %s x.zip x" },
  { "expect", password, 'send "%s\\r"' },
  { "here string", password, "sudo -S apt update <<< %s" },
  { "echo piped", of(WORD, 32), "echo \"%s\" | gh auth login --with-token" },
  { "printf piped", password, "printf '%%s' '%s' | docker login -u x --password-stdin r.example.org" },
  { "chpasswd", password, "echo 'root:%s' | chpasswd" },
  -- headers and URLs
  { "x header", of(WORD, 32), "X-Acme-Access: %s" },
  { "api key header", of(WORD, 32), "> apikey: %s" },
  { "signature header", of(BASE64, 43), "X-Hub-Signature: sha256=%s" },
  { "cookie unknown", of(WORD, 40), "Cookie: lang=en; _acme_sess=%s" },
  { "set cookie", of(WORD, 40), "< set-cookie: remember_me=%s; Secure" },
  { "digest header", of(HEX, 32), 'Authorization: Digest username="x", response="%s"' },
  { "hawk", of(BASE64, 44), 'Authorization: Hawk id="x", mac="%s="' },
  { "signed url", of(HEX, 64), "https://storage.example.org/x?X-Goog-Signature=%s" },
  { "cloudfront", of(DASH, 80), "https://d1.example.org/x?Policy=abc&Signature=%s&Key-Pair-Id=K1" },
  { "sas", of(WORD, 44), "https://x.example.org/c?se=2024&sig=%s%%3D" },
  { "url fragment", of(WORD, 60), "https://app.example.org/cb#access_token=%s&state=x" },
  { "oauth code", of(WORD, 40), "https://app.example.org/cb?code=%s&state=1" },
  { "reset link", of(WORD, 40), "https://app.example.org/reset/%s" },
  { "invite", of(WORD, 22), "https://app.example.org/invite?invite_token=%s" },
  { "url password", password, "https://example.org/x?user=u&pass=%s" },
  { "websocket", of(WORD, 40), "wss://x.example.org/ws?auth=%s" },
  { "grpc", of(WORD, 40), "metadata: authorization=Bearer %s" },
  { "url key of maps", of(DASH, 39), "https://maps.example.org/js?key=%s&v=3" },
  -- logs
  { "log unknown", of(WORD, 40), "2024-03-01 WARN refresh failed for %s" },
  { "log mixed", of(DASH, 43), "INFO registered runner with %s" },
  { "log hex", of(HEX, 40), "login ok, session id %s" },
  { "log password", password, "trying password %s for user root" },
  { "log prose", of(WORD, 32), "your new API key: %s (store it safely)" },
  { "log generated", password, "Generated admin password: %s" },
  { "log temporary", password, "A temporary password is generated for root@localhost: %s" },
  { "log initial", of(HEX, 32), "Please use the following password to proceed to installation:\n\n%s\n" },
  { "log args", of(WORD, 32), "args=Namespace(lr=0.1, wandb_key='%s', steps=10)" },
  { "log hydra", of(WORD, 32), "logger.api_key=%s logger.project=x" },
  { "log dataclass", password, "Settings(host='x', db_password='%s')" },
  { "log go", of(WORD, 32), "{Host:x Token:%s Port:1}" },
  { "log logfmt", of(WORD, 32), 'level=info msg="auth" accesskey=%s' },
  { "log escaped", of(WORD, 32), 'payload="{\\"apiKey\\":\\"%s\\"}"' },
  { "log url encoded", of(WORD, 32), "body=grant%%5Ftype&client_secret%%3D%s%%26x" },
  { "log base64 basic", of(BASE64, 40), "authorization header was 'Basic %s'" },
  { "log seed", of(BASE32, 32), "TOTP seed %s" },
  { "log mnemonic", function(d)
    local words = {}
    for i = 1, 12 do words[i] = d.chars(LOWER, d.number(4, 8)) end
    return table.concat(words, " ")
  end, "mnemonic: %s" },
  { "cut token", of(WORD, 40), "level=debug access_token=%s" },
  { "cut json key", of(WORD, 30), '"password": "x' .. "9Q%s" },
  { "cut head", of(WORD, 30), 'en": "%s", "token_type": "bearer"' },
  { "traceback", password, "connect(host='x', user='u', passwd='%s')" },
  { "traceback dsn", password, "OperationalError: (postgresql://u:%s@db/x) timeout" },
  { "assert", of(WORD, 32), "assert token == '%s'" },
  -- people and machines
  { "home nfs", function(d) return d.pick { "annika", "bjoern" } end, "/cluster/home/%s/jax/build: no space" },
  { "home scratch", function(d) return d.pick { "annika", "bjoern" } end, "/scratch/users/%s/run7" },
  { "host ssh", function(d) return "gpu" .. d.number(10, 99) .. "." .. d.chars(LOWER, 5) .. ".ac.uk" end,
    "ssh: connect to host %s port 22" },
  { "host http", function(d) return "artifactory." .. d.chars(LOWER, 6) .. ".internal" end,
    "Downloading http://%s/x.whl" },
  { "user slurm", function(d) return d.pick { "annika", "bjoern" } end, "UserId=%s(1001) GroupId=lab(500)" },
  { "host slurm", function(d) return "dgx" .. d.number(10, 99) end, "NodeList=%s" },
  { "mail", function(d) return d.pick { "annika", "bjoern" } .. "@" .. d.chars(LOWER, 6) .. ".io" end, "author: %s" },
  { "git name", function(d) return d.pick { "annika", "bjoern" } end, "User: %s, uid 1001" },
}

local heldout = {}

--- `count` samples of each kind, as of secret_samples.make, of those held out or of the others; the second result is the
--- number of kinds.
function heldout.make(seed, held_out, count)
  local d, list, kinds = drawer_of(seed), {}, 0
  for i, row in ipairs(ROWS) do
    if (i % 4 == 0) == held_out then
      kinds = kinds + 1
      for _ = 1, count do
        local secret = row[2](d)
        list[#list + 1] = { kind = row[1], context = row[1]:find "^cut" and "cut" or "own", text = row[3]:format(secret),
          secrets = { secret } }
      end
    end
  end
  return list, kinds
end

return heldout
