-- More texts with secrets: kinds and places that the rules were not written for. Made from a seed as in
-- secret_samples.lua.

local drawer_of = require("secret_samples").drawer

local DIGITS, LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
local WORD, HEX = DIGITS .. LOWER .. LOWER:upper(), "0123456789abcdef"
local BASE64 = WORD .. "+/"

-- Each makes a text and its secret; `long` and `short` draw one.
local function long(d) return d.chars(WORD, d.number(24, 40)) end
local function short(d) return d.password() end

-- { kind, how the secret is drawn, the text with %s in its place }
local ROWS = {
  { "ruby", long, "ENV['ACME_SECRET'] ||= '%s'" },
  { "dotnet config", long, '<add key="ApiSecret" value="%s" />' },
  { "php", short, "define('DB_PASSWORD', '%s');" },
  { "connection string", short, 'connectionString="Server=db;User Id=sa;Password=%s;Encrypt=true"' },
  { "go", short, '    cfg := Config{User: "x", Password: "%s", Port: 3}' },
  { "terraform", short, '  admin_password = "%s"' },
  { "toml", long, "[auth]\ntoken = '%s'" },
  { "helm set", short, "helm install x y --set auth.rootPassword=%s --wait" },
  { "kubectl", short, "kubectl create secret generic x --from-literal=password=%s" },
  { "query", long, "GET https://api.example.org/v1?apikey=%s&q=1" },
  { "jdbc", short, "jdbc:mysql://db/x?user=u&password=%s" },
  { "mongodb", long, "mongodb+srv://app:%s@db.example.org/x?retryWrites=true" },
  { "psql", long, 'psql "host=db user=x password=%s dbname=y"' },
  { "security token", function(d) return d.chars(WORD, 120) end, "https://b.s3.amazonaws.com/o?X-Amz-Security-Token=%s&X-Amz-Date=2024" },
  { "curl body", short, [[curl -XPOST -d '{"username":"u","password":"%s"}' https://example.org]] },
  { "curl form", long, "curl --data 'grant_type=client_credentials&client_secret=%s&scope=a' https://example.org" },
  { "curl multipart", long, "curl -F token=%s -F file=@x https://example.org" },
  { "properties", short, "spring.datasource.password=%s" },
  { "java option", short, "java -Djavax.net.ssl.keyStorePassword=%s -jar x.jar" },
  { "sudo", short, "sudo -S true <<< '%s'" },
  { "clone", long, "git clone https://oauth2:%s@git.example.org/a/b.git" },
  { "extra index", long, "pip install --extra-index-url https://__token__:%s@pip.example.org/simple x" },
  { "wifi", short, 'network={\n  ssid="lab"\n  psk="%s"\n}' },
  { "nmcli", short, "nmcli dev wifi connect lab password %s" },
  { "log of a key", long, "2024-03-01 INFO Using API key: %s" },
  { "log of a token", long, "DEBUG auth: Authenticating with token=%s for user 5" },
  { "log in prose", long, "the access token is %s and expires in an hour" },
  { "proxy", function(d) return d.chars(BASE64, 32) end, "> Proxy-Authorization: Basic %s" },
  { "go header", long, "headers: map[Accept:[*/*] Authorization:[Bearer %s] Host:[x]]" },
  { "python debug", long, [[send: b'GET / HTTP/1.1\r\nAuthorization: Bearer %s\r\nAccept: */*']] },
  { "python headers", long, "headers={'Authorization': 'Bearer %s', 'Accept': '*/*'}" },
  { "elastic", function(d) return d.chars(BASE64, 46) end, "Authorization: ApiKey %s==" },
  { "aws file", function(d) return d.chars(BASE64, 40) end, "[default]\naws_secret_access_key = %s" },
  { "pgpass", short, "db.example.org:5432:bench:app:%s" },
  { "my.cnf", short, '[client]\nuser=root\npassword="%s"' },
  { "compose", short, "    environment:\n      MYSQL_ROOT_PASSWORD: %s" },
  { "docker run", short, "docker run -e POSTGRES_PASSWORD=%s -p 5432:5432 postgres" },
  { "nested json", short, '"credentials": {"user": "a", "pass": "%s"}' },
  { "net user", short, "net user bench %s /add" },
  { "powershell", short, '$password = ConvertTo-SecureString "%s" -AsPlainText -Force' },
  { "powershell option", short, "Connect-Thing -User x -Password %s -Verbose" },
  { "cmdkey", short, "cmdkey /add:srv /user:x /pass:%s" },
  { "otp", function(d) return d.chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32) end, "otpauth://totp/x?secret=%s&issuer=y" },
  { "unknown issuer", function(d) return "acme_live_" .. long(d) end, "Authorization: Bearer %s" },
  { "unknown header", long, "X-Acme-Key: %s" },
  { "unknown variable", long, "export COHERE_KEY=%s" },
  { "crumb", function(d) return d.chars(HEX, 64) end, "curl -H 'Jenkins-Crumb: %s' https://ci.example.org/build" },
  { "php session", long, "Set-Cookie: PHPSESSID=%s; path=/" },
  { "csrf", long, "Cookie: theme=dark; csrftoken=%s; lang=en" },
  { "netrc in lines", short, "machine example.org\n  login bot\n  password %s" },
  { "colored", function(d) return "ghp" .. "_" .. d.chars(WORD, 36) end, "\27[31m%s\27[0m" },
  { "encoded", function(d) return "glpat" .. "-" .. d.chars(WORD, 20) end, "https://example.org/?next=token%%3D%s%%26x" },
  { "shadow", function(d) return d.chars(WORD, 86) end, "bench:$6$" .. "saltsalt$%s:19000:0:99999:7:::" },
  { "bcrypt", function(d) return d.chars(WORD, 53) end, "hash $2b$" .. "12$%s" },
  { "github actions", long, "##[debug]....=> github_token: '%s'" },
  { "key of yaml", function(d) return d.chars(BASE64, 64) end,
    "tls:\n  key: |\n    -----BEGIN " .. "PRIVATE" .. " KEY-----\n    %s\n    -----END " .. "PRIVATE" .. " KEY-----" },
  { "pgp", function(d) return d.chars(BASE64, 64) end,
    "-----BEGIN PGP " .. "PRIVATE KEY BLOCK-----\n\n%s\n=abcd\n-----END PGP " .. "PRIVATE KEY BLOCK-----" },
  { "putty", function(d) return d.chars(BASE64, 64) end, "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n%s\nPrivate-MAC: 00" },
  { "wireguard", function(d) return d.chars(BASE64, 43) end, "[Interface]\nPrivateKey = %s=\nListenPort = 51820" },
  { "ansible", short, "ansible-playbook x.yml -e ansible_become_pass=%s" },
  { "rsync", short, "RSYNC_PASSWORD='%s' rsync -a x y" },
  { "ldap", short, "ldapsearch -x -D cn=admin -w %s -b dc=x" },
  { "restic", short, "restic -r x --password-command 'echo %s' backup" },
  { "csv", short, "user,password\nbench,%s" },
  { "table", short, "| DB_PASSWORD | %s |" },
  { "set-env of windows", short, '$env:DB_PASSWORD = "%s"' },
  { "assignment in make", long, "API_TOKEN := %s" },
  { "argv", long, 'argv: ["prog", "--api-key", "%s", "-v"]' },
  { "cut json", long, '{"client_id": "x", "client_secret": "%s' },
  { "lustre home", function(d) return d.pick { "annika", "bjoern" } end, "open /lustre/project7/home/%s/x: no such file" },
  { "share", function(d) return d.pick { "annika", "bjoern" } end, [[copy \\filer2\users\%s\x.txt .]] },
  { "prompt", function(d) return d.pick { "annika", "bjoern" } .. "@gpu0" .. d.number(1, 9) end, "%s:~/src$ make -j" },
  { "nccl", function(d) return d.pick { "gpunode", "dgx" } .. d.number(1, 99) end, "%s:12345:12399 [0] NCCL INFO Bootstrap" },
  { "id", function(d) return d.pick { "annika", "bjoern" } end, "uid=1000(%s) gid=100(users)" },
  { "ls", function(d) return d.pick { "annika", "bjoern" } end, "-rw-r--r-- 1 %s users 4096 Mar  1 12:00 x" },
  { "slurm", function(d) return "hopper" .. d.number(10, 99) end, "SLURM_NODELIST=%s" },
  { "mig", function(d) return d.uuid() end, "CUDA_VISIBLE_DEVICES=MIG-%s" },
  { "artifactory host", function(d) return "artifacts." .. d.chars(LOWER, 6) .. "-corp.com" end, "GET https://%s/api/docker/x" },
  -- a later set
  { "heroku", long, "heroku config:set SECRET_KEY_BASE=%s -a x" },
  { "rails", long, "production:\n  secret_key_base: %s" },
  { "django", long, "SECRET_KEY = 'django-insecure-%s'" },
  { "flask", short, 'app.secret_key = "%s"' },
  { "laravel", function(d) return d.chars(BASE64, 43) end, "APP_KEY=base64:%s=" },
  { "aws json", function(d) return d.chars(BASE64, 40) end, '{"accessKeyId": "x", "secretAccessKey": "%s"}' },
  { "gpg", short, "gpg --batch --yes --passphrase %s -d x.gpg" },
  { "minio", short, "mc alias set here http://minio:9000 minio %s" },
  { "build argument", long, "docker build --build-arg NPM_TOKEN=%s ." },
  { "token scheme", function(d) return d.chars(HEX, 40) end, "Authorization: Token %s" },
  { "redis url", short, "redis://default:%s@cache:6379/0" },
  { "amqp url", long, "connecting to amqp://bench:%s@mq:5672/x" },
  { "smtp url", long, "SMTP=smtps://bench:%s@mail.example.org:465" },
  { "extra header", function(d) return d.chars(BASE64, 36) end, 'git -c http.extraHeader="AUTHORIZATION: basic %s" fetch' },
  { "bearer in prose", long, "retrying with Bearer %s after 401" },
  { "escaped json", long, [[body: "{\"token\":\"%s\",\"n\":1}"]] },
  { "traceback", short, "    password = '%s'\n    port = 5432" },
  { "passphrase prompt", short, "Enter passphrase: %s" },
  { "pat", long, "export GITHUB_PAT=%s" },
  { "requests", short, "requests.get(url, auth=('bench', '%s'))" },
  { "basic auth", short, "session.auth = HTTPBasicAuth('bench', '%s')" },
  { "xml key", long, "<Server><apiKey>%s</apiKey></Server>" },
  { "print_r", short, "Array ( [user] => x [password] => %s )" },
  { "ruby hash", short, ':user=>"x", :password=>"%s"' },
  { "sqlplus", short, "sqlplus scott/%s@db" },
  { "imap", short, "C: A1 LOGIN bench %s" },
  { "ftp", short, "---> PASS %s" },
  { "kubernetes secret", function(d) return d.chars(BASE64, 24) end, "data:\n  password: %s" },
  { "azure connection", function(d) return d.chars(BASE64, 86) end,
    'AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountKey=%s==;EndpointSuffix=x"' },
  { "azure gateway", function(d) return d.chars(HEX, 32) end, "Ocp-Apim-Subscription-Key: %s" },
  { "azure function", function(d) return d.chars(BASE64, 54) end, "POST https://x.azurewebsites.net/api/f?code=%s==" },
  { "access log", long, '10.0.0.1 - - "GET /x?api_key=%s&y=1 HTTP/1.1" 200 17' },
  { "datadog", function(d) return d.chars(HEX, 32) end, "DD_API_KEY=%s datadog-agent start" },
  { "ci token", long, "https://gitlab-ci-token:%s@gitlab.com/a/b.git" },
  { "scratch", function(d) return d.pick { "annika", "bjoern" } end, "sudo: %s : TTY=pts/0 ; PWD=/tmp ; USER=root" },
  { "logged in", function(d) return d.pick { "annika", "bjoern" } end, "PWD=/nfs/home/%s/jax" },
  { "windows", function(d) return d.pick { "annika", "bjoern" } end, [["path": "C:\\Users\\%s\\AppData\\x"]] },
  { "cluster host", function(d) return "node" .. d.number(10, 99) .. ".cluster.local" end, "Connected to %s in 3 ms" },
  { "host alone", function(d) return "gpu" .. d.number(1, 9) .. "." .. d.chars(LOWER, 6) .. ".edu" end, "%s" },
  { "srun", function(d) return "hopper" .. d.number(10, 99) end, "srun: error: %s: task 3: Exited with exit code 1" },
  { "mail", function(d) return d.pick { "annika", "bjoern" } .. "@" .. d.chars(LOWER, 6) .. ".com" end, "Reported-by: X <%s>" },
}

local unseen = {}

--- `count` samples, as of secret_samples.make; the second result is the number of kinds.
function unseen.make(seed, count)
  local d, list = drawer_of(seed), {}
  for i = 1, count do
    local row = ROWS[(i - 1) % #ROWS + 1]
    local secret = row[2](d)
    list[i] = { kind = row[1], context = "own", text = row[3]:format(secret), secrets = { secret } }
  end
  return list, #ROWS
end

return unseen
