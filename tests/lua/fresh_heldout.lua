-- A third list as that of fresh_samples.lua, with passwords of other forms, written after the rules had been improved
-- with the first two. They were improved with this one, too, after 92 % of it had been found; untuned_samples.lua took
-- its place.

local fresh = require "fresh_samples"

local HEX, LOW, WORD, BASE64, DASH = fresh.HEX, fresh.LOW, fresh.WORD, fresh.BASE64, fresh.DASH
local of, uuid = fresh.of, fresh.uuid

-- Passwords as people make them, and as managers draw them.
local function password(d)
  local form = d.number(1, 5)
  if form == 1 then
    local words = { "copper", "walrus", "stapler", "lunar", "pickle", "orbit" }
    return d.pick(words) .. "-" .. d.pick(words) .. "-" .. d.pick(words) .. d.number(10, 99)
  end
  if form == 2 then return d.pick { "Winter", "Berlin", "Falcon" } .. d.number(1990, 2030) .. d.pick { "!", "$", "?" } end
  if form == 3 then return d.chars(WORD .. "!#%&*+?@^", 16) end
  if form == 4 then return "P4" .. d.chars(LOW, 4) .. "W" .. d.chars(LOW, 3) end
  return d.chars(LOW, 12)
end

local ROWS = {
  { "beaker", of(WORD, 40), "user_token: %s\nagent_address: https://beaker.example.org" },
  { "sky", of(WORD, 32), "sky launch --env HF_READ=%s x.yaml" },
  { "flyte", of(WORD, 48), "admin:\n  clientSecret: %s" },
  { "metaflow", of(WORD, 44), '"METAFLOW_SERVICE_AUTH_KEY": "%s"' },
  { "zenml", of(HEX, 64, "ZENKEY_"), "zenml login https://z --api-key %s" },
  { "valohai", of(WORD, 40), "vh login --token %s" },
  { "spell", of(WORD, 36), "spell: your access token is %s" },
  { "gradient ws", of(HEX, 30), "PAPERSPACE_API_KEY=%s" },
  { "together header", of(HEX, 64), "-H 'Authorization: Bearer %s'" },
  { "ai21", of(WORD, 32), "ai21.api_key = '%s'" },
  { "assembly", of(HEX, 32), "aai.settings.api_key = \"%s\"" },
  { "deepgram", of(HEX, 40), "Authorization: Token %s" },
  { "stability", of(WORD, 48, "sk-"), "stability: using %s" },
  { "wandb launch", of(HEX, 40), "docker run -e WANDB_API_KEY=%s img" },
  { "wandb debug", of(HEX, 40), "wandb.login(key='%s', relogin=True)" },
  { "hf in code", of(WORD, 34, "hf_"), "snapshot_download('x', token='%s')" },
  { "ssh pass prompt", password, "bot@h's password: %s" },
  { "sudo prompt", password, "[sudo] password for ann: %s" },
  { "expect send", password, "expect 'Password:' { send \"%s\\n\" }" },
  { "vault kv", password, "vault kv put secret/db password=%s" },
  { "vault read", password, "Key       Value\n---       -----\npassword  %s" },
  { "aws cli dump", of(BASE64, 40), "    \"SecretAccessKey\": \"%s\"," },
  { "aws secret value", password, "\"SecretString\": \"{\\\"password\\\":\\\"%s\\\"}\"" },
  { "gcloud print", of(DASH, 180, "ya29.a0A"), "$ gcloud auth print-access-token\n%s" },
  { "az sp", of(WORD, 36), '"appId": "x", "password": "%s", "tenant": "y"' },
  { "az sas", of(WORD, 43), "https://a.blob.example.org/c?sv=2022&sp=r&sig=%s%%3D" },
  { "doctl", of(HEX, 64), "doctl auth init --access-token %s" },
  { "ovh", of(WORD, 32), "consumer_key=%s" },
  { "yaml anchor", password, "pw: &pw %s" },
  { "yaml flow", password, "{user: ann, password: %s, port: 1}" },
  { "json5", password, "{ password: '%s', port: 1 }" },
  { "properties colon", password, "db.password: %s" },
  { "ini comment", password, "; old password = %s" },
  { "toml dotted", of(WORD, 40), 'registry.corp.token = "%s"' },
  { "env file export", password, "export SMTP_PASSWORD=\"%s\"" },
  { "dotenv", password, "DATABASE_PASSWORD='%s'" },
  { "dsn pg", password, "DATABASE_URL=postgres://ann:%s@db/x" },
  { "dsn cut", of(WORD, 30), "connecting to mysql://ann:%s@" },
  { "nats", password, "nats://ann:%s@mq:4222" },
  { "ftp url", password, "ftp://ann:%s@h/x" },
  { "proxy", password, "https_proxy=http://ann:%s@proxy:3128" },
  { "proxy apt", password, 'Acquire::http::Proxy "http://ann:%s@proxy:3128/";' },
  { "git remote", of(WORD, 40), "origin\thttps://%s@github.com/x/y (fetch)" },
  { "git extra", of(BASE64, 60), "http.https://h/.extraheader=AUTHORIZATION: basic %s" },
  { "npm set", of(WORD, 36), "npm config set //r/:_authToken %s" },
  { "conda url", of(LOW, 36), "https://conda.example.org/t/tk-%s/x/linux-64" },
  { "pip index", of(WORD, 40), "pip install --index-url https://__token__:%s@i/simple x" },
  { "poetry env", password, "POETRY_HTTP_BASIC_CORP_PASSWORD=%s" },
  { "helm values", password, "auth:\n  rootPassword: %s" },
  { "kube env", password, "        - name: DB_PASS\n          value: \"%s\"" },
  { "kube describe", of(DASH, 120, "eyJhbGciOiJSUzI1NiJ9."), "token:      %s" },
  { "docker inspect", password, '                "MYSQL_ROOT_PASSWORD=%s",' },
  { "docker history", of(WORD, 40), "|1 PIP_TOKEN=%s /bin/sh -c pip install x" },
  { "podman", of(BASE64, 50), '"quay.example.org": { "auth": "%s" }' },
  { "apptainer", password, "SINGULARITY_DOCKER_PASSWORD=%s" },
  { "enroot", password, "machine nvcr.example.org login bot password %s" },
  { "slurm dbd", password, "StoragePass=%s" },
  { "munge key", of(BASE64, 88), "munge.key (base64): %s" },
  { "lustre", of(HEX, 64), "lgss_sk: shared key %s" },
  { "ceph", of(BASE64, 38), "[client.x]\n\tkey = %s==" },
  { "iscsi", password, "discovery.sendtargets.auth.password = %s" },
  { "bmc", password, "ipmitool -I lanplus -H bmc -U ann -P %s power cycle" },
  { "redfish", password, '{"UserName":"ann","Password":"%s"}' },
  { "snmpv3", password, "createUser ann SHA %s AES" },
  { "wpa", password, "wpa_passphrase lab %s" },
  { "ansible vaulted arg", password, "ansible-playbook -e ansible_password=%s x.yml" },
  { "terraform env", password, "TF_VAR_db_password=%s" },
  { "terraform plan", password, '      + password = "%s"' },
  { "pulumi", password, "pulumi config set --secret dbPassword %s" },
  { "powershell", password, "$password = \"%s\"" },
  { "cmd set", password, "set ADMIN_PASSWORD=%s" },
  { "win home", function(d) return d.pick { "annika", "bjoern" } end, "C:\\Users\\%s\\src\\x.log" },
  { "kerberos", function(d) return d.pick { "annika", "bjoern" } end, "principal: %s@CORP.EXAMPLE.ORG, home /home/annika" },
  { "slack old", of(WORD, 24, "xoxp-1-2-"), "posting as %s" },
  { "webhook env", of(WORD, 40), "SLACK_URL=https://hooks.slack.com/" .. "services/T0/B0/%s" },
  { "uuid token", uuid, "token: %s" },
  { "cut json", of(WORD, 30), '{"secret":"%s' },
  { "wrapped b64", of(BASE64, 76), "-----BEGIN RSA PRIVATE KEY-----\nMIIE%s" },
  { "cookie jar", of(WORD, 40), "#HttpOnly_h.example.org\tTRUE\t/\tTRUE\t0\tsession\t%s" },
  { "csrf", of(WORD, 40), "X-CSRFToken: %s" },
  { "har", of(WORD, 40), '{"name": "Authorization", "value": "Bearer %s"}' },
  { "graphql", of(WORD, 40), 'variables: {"token": "%s"}' },
  { "go struct", password, "&{User:ann Password:%s Port:1}" },
  { "rust debug", password, 'Config { user: "ann", password: "%s" }' },
  { "node inspect", password, "{ user: 'ann', password: '%s' }" },
  { "python error", password, "psycopg2: connection failed: user=ann password=%s host=db" },
  { "totp uri", of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32), "otpauth://totp/x:ann?secret=%s&issuer=x" },
}

--- Samples of the kinds of this file.
return { make = function(seed, count) return fresh.draw(ROWS, seed, count) end }
