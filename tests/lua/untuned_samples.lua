-- A fourth list as that of fresh_heldout.lua, of other services, tools and languages. It was measured once, after the
-- rules had been improved with every earlier list. No rule may be improved with it.

local fresh = require "fresh_samples"

local HEX, LOW, WORD, BASE64, DASH = fresh.HEX, fresh.LOW, fresh.WORD, fresh.BASE64, fresh.DASH
local UPPER, DIGITS = fresh.UPPER, fresh.DIGITS
local of, uuid = fresh.of, fresh.uuid

-- Passwords as people make them, as managers draw them, and as machines are delivered with them.
local function password(d)
  local form = d.number(1, 6)
  if form == 1 then
    local words = { "meadow", "Tractor", "violin", "Harbour", "quartz", "button" }
    return d.pick(words) .. d.pick { "_", ".", "-" } .. d.pick(words) .. d.pick { "", "!", tostring(d.number(2, 99)) }
  end
  if form == 2 then return d.pick { "Letmein", "Gpu", "Lab" } .. d.number(10, 9999) .. d.pick { "", "!", "#" } end
  if form == 3 then return d.chars(WORD .. "!#*+-.?@^_~", d.number(12, 20)) end
  if form == 4 then return d.chars(UPPER, 10) end
  if form == 5 then return d.chars(LOW, d.number(8, 16)) end
  return d.chars(WORD, d.number(10, 24))
end

local JWT = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."

-- { kind, how the secret is drawn, the text with %s in its place }
local ROWS = {
  -- machine learning, notebooks, schedulers
  { "colab userdata", of(WORD, 37), "userdata.set('MODEL_HUB_TOKEN', '%s')" },
  { "papermill", password, "papermill in.ipynb out.ipynb -p db_password %s" },
  { "papermill yaml", of(WORD, 32), "papermill in.ipynb out.ipynb -y 'api_token: %s'" },
  { "airflow connection", password, "airflow connections add wh --conn-password %s --conn-port 5432" },
  { "airflow uri", password, "AIRFLOW_CONN_WH='postgresql://etl:%s@wh:5432/x?sslmode=off'" },
  { "airflow fernet", of(DASH, 43), "fernet_key = %s=" },
  { "dagster", of(HEX, 32), "dagster_cloud_api_token: user:x:%s" },
  { "tensorboard proxy", of(HEX, 48), "TensorBoard 2.16 at http://localhost:6006/?authuser_token=%s (Press CTRL+C)" },
  { "jupyterhub proxy", of(HEX, 64), "c.ConfigurableHTTPProxy.auth_token = '%s'" },
  { "jupyter lab url", of(HEX, 48), "    or http://127.0.0.1:8888/lab?token=%s" },
  { "jupyter password hash", of(HEX, 40), "c.ServerApp.password = 'argon2:$argon2id$v=19$m=10240,t=10,p=8$%s'" },
  { "slurm rest", of(DASH, 110, JWT), "SLURM_JWT=%s" },
  { "slurm rest header", of(DASH, 110, JWT), "X-SLURM-USER-TOKEN: %s" },
  { "pbs env", password, "qsub -v DBUSER=etl,DBPASSWD=%s,N=4 job.pbs" },
  { "lsf", password, "lspasswd -u svc_gpu -p %s" },
  { "ray serve config", of(WORD, 32), "runtime_env:\n  env_vars:\n    INFERENCE_SECRET: %s" },
  { "hydra override", of(HEX, 40), "python train.py logger.api_key=%s trainer.devices=8" },
  { "omegaconf dump", of(WORD, 28), "{'trainer': {'devices': 8}, 'tracker': {'apiToken': '%s', 'project': 'x'}}" },
  { "absl flags dump", of(WORD, 40), "I0301 12:00:00 main.py:33] --batch=8 --dataset_token=%s --steps=10" },
  { "argparse dump", of(WORD, 30), "Namespace(epochs=3, hub_auth_token='%s', lr=0.1)" },
  { "dataclass repr", password, "StoreConfig(host='db', port=1, user='ann', passwd='%s', ssl=True)" },
  { "pydantic repr", of(WORD, 40), "settings=Settings(openrouter_key='%s', debug=False)" },
  { "triton server", of(WORD, 24), "tritonserver --grpc-restricted-protocol=shared-memory:admin-key=%s" },
  { "vllm", of(WORD, 26), "vllm serve m --api-key %s --tensor-parallel-size 8" },
  { "vllm args", of(WORD, 26), "args: Namespace(model='m', api_key=['%s'], tp=8)" },
  { "gradio share", of(DASH, 43), "demo.launch(auth=('ann', 'x'), share_token='%s')" },
  { "kserve s3", of(BASE64, 40), "  AWS_SECRET_ACCESS_KEY: %s" },
  -- clouds
  { "ibm cloud", of(DASH, 44), "ibmcloud login --apikey %s -r eu-de" },
  { "ibm iam", of(DASH, 44), "curl -d 'grant_type=urn:ibm:params:oauth:grant-type:apikey&apikey=%s' https://iam" },
  { "alibaba cli", of(WORD, 30), "aliyun configure set --access-key-id LTx --access-key-secret %s" },
  { "alibaba oss", of(WORD, 30), "[Credentials]\naccessKeySecret=%s" },
  { "tencent", of(WORD, 32), "TENCENTCLOUD_SECRET_KEY=%s" },
  { "scaleway", uuid, "scw init secret-key=%s organization-id=x" },
  { "scaleway header", uuid, "X-Auth-Token: %s" },
  { "vultr", of(UPPER .. DIGITS, 36), "VULTR_API_KEY=%s vultr-cli instance list" },
  { "fastly", of(DASH, 32), "fastly service list --token=%s" },
  { "fastly header", of(DASH, 32), "curl -H \"Fastly-Key: %s\" https://api" },
  { "akamai edgerc", of(BASE64, 43), "client_secret = %s=" },
  { "equinix", of(WORD, 32), "metal init: auth token: %s" },
  { "crusoe", of(DASH, 22), "[default]\naccess_key_id=\"x\"\nsecret_key=\"%s\"" },
  { "civo", of(WORD, 50), "civo apikey save lab %s" },
  -- databases and queues
  { "cassandra", password, "cqlsh db 9042 --username=ann --password=%s" },
  { "cassandra yaml", password, "    truststore_password: %s" },
  { "couchbase", password, "couchbase-cli server-list -c db -u Administrator -p %s" },
  { "duckdb", of(BASE64, 40), "CREATE SECRET s (TYPE S3, KEY_ID 'x', SECRET '%s', REGION 'x');" },
  { "duckdb motherduck", of(DASH, 120, JWT), "duckdb.connect('md:x?motherduck_token=%s')" },
  { "pulsar", of(DASH, 90, JWT), "brokerClientAuthenticationParameters=token:%s" },
  { "celery broker", password, "- ** transport:   amqp://ann:%s@mq:5672//" },
  { "celery result", password, "CELERY_RESULT_BACKEND = 'db+postgresql://ann:%s@db/celery'" },
  { "postgres role", password, "CREATE ROLE bench WITH LOGIN PASSWORD '%s';" },
  { "mysql identified", password, "ALTER USER 'ann'@'%%' IDENTIFIED BY '%s';" },
  { "redis sentinel", password, "sentinel auth-pass mymaster %s" },
  { "redis acl", password, "user bench on >%s ~* +@all" },
  { "kafka sasl", password, "sasl.jaas.config=org.x.PlainLoginModule required username=\"ann\" password=\"%s\";" },
  { "trino", password, "connection-password=%s" },
  { "spark", of(BASE64, 40), "spark-submit --conf spark.hadoop.fs.s3a.secret.key=%s job.py" },
  -- sign-on, VPNs
  { "keycloak", password, "kcadm.sh config credentials --server http://k --realm master --user admin --password %s" },
  { "keycloak json", of(WORD, 32), "\"credentials\": {\n  \"secret\": \"%s\"\n}" },
  { "saml", of(BASE64, 300), "SAMLResponse=%s&RelayState=x" },
  { "oidc code", of(DASH, 43), "GET /callback?code=%s&state=x HTTP/1.1" },
  { "oauth refresh", of(DASH, 60, "1//0"), "\"refresh_token\": \"%s\"," },
  { "strongswan", password, "ann : EAP \"%s\"" },
  { "strongswan psk", of(BASE64, 32), "vpn.x : PSK \"%s\"" },
  { "openconnect", of(HEX, 64), "openconnect --cookie='webvpn=%s' vpn" },
  { "zerotier", of(LOW, 24), "X-ZT1-AUTH: %s" },
  { "netbird", uuid, "netbird up --setup-key %s" },
  { "sssd", password, "ldap_default_authtok = %s" },
  -- CI, builds, registries
  { "tekton", of(WORD, 40), "  - name: git-token\n    value: %s" },
  { "concourse", password, "fly -t lab login -u ann -p %s" },
  { "concourse var", of(WORD, 40), "fly -t lab set-pipeline -v deploy-token=%s" },
  { "spinnaker", password, "keyStorePassword: %s" },
  { "jenkins curl", of(HEX, 34), "curl https://ann:%s@ci/job/x/build" },
  { "jenkins cli", of(HEX, 34), "java -jar jenkins-cli.jar -auth ann:%s build x" },
  { "sccache", of(BASE64, 40), "SCCACHE_WEBDAV_TOKEN=%s cargo build" },
  { "ccache remote", password, "remote_storage = http://ann:%s@cache:8080|shards=a" },
  { "bazelrc", of(WORD, 40), "build --remote_header=x-api-key=%s" },
  { "luarocks", of(WORD, 40), "luarocks upload x.rockspec --api-key=%s" },
  { "cran", of(WORD, 40), "Sys.setenv(GITHUB_PAT = \"%s\")" },
  { "phabricator", of(LOW, 28, "cli-"), "{\"hosts\": {\"https://p/api/\": {\"token\": \"%s\"}}}" },
  { "artifact url", of(WORD, 64), "https://artifacts.example.org/x.whl?Policy=a&Signature=%s&Key-Pair-Id=K" },
  { "helm repo", password, "helm repo add lab https://charts --username ann --password %s" },
  { "kube secret data", of(BASE64, 42), "kind: Secret\ndata:\n  db-password: %s==" },
  { "kubeconfig key", of(BASE64, 400, "LS0tLS1CRUdJTiBSU0Eg"), "    client-key-data: %s" },
  { "kustomize", password, "secretGenerator:\n- name: db\n  literals:\n  - password=%s" },
  -- hardware, networks, storage
  { "supermicro", password, "SMCIPMITool bmc ADMIN %s ipmi power status" },
  { "idrac", password, "racadm -r bmc -u root -p %s getsysinfo" },
  { "idrac config", password, "racadm set iDRAC.Users.2.Password %s" },
  { "switch", password, "username admin privilege 15 secret 0 %s" },
  { "mellanox ufm", of(WORD, 30), "curl -k -H 'Authorization: Basic %s' https://ufm/ufmRest/" },
  { "vmware", password, "govc env: GOVC_PASSWORD=%s" },
  { "proxmox", uuid, "Authorization: PVEAPIToken=ann@pam!ci=%s" },
  { "cifs mount", password, "mount -t cifs //nas/x /mnt -o username=ann,password=%s,vers=3" },
  { "zfs", of(HEX, 64), "zfs wrapping key (hex): %s" },
  { "kopia", password, "kopia repository connect s3 --bucket x --password=%s" },
  { "vrrp", password, "authentication {\n  auth_type PASS\n  auth_pass %s\n}" },
  { "bgp", password, "neighbor 10.0.0.1 password 7 %s" },
  -- services
  { "jira", of(DASH, 180, "ATATT3x"), "jira login -u ann -t %s" },
  { "confluence", of(DASH, 40), "Confluence(url='https://c', username='ann', password='%s')" },
  { "airtable", of(HEX, 64, "patQx81."), "airtable: Authorization: Bearer %s" },
  { "zoom", of(WORD, 32), "ZOOM_CLIENT_SECRET=\"%s\"" },
  { "haproxy", password, "  user ann insecure-password %s" },
  { "traefik", of(WORD, 40), "--certificatesresolvers.x.acme.eab.hmacencoded=%s" },
  { "nginx", of(WORD, 32), "proxy_set_header X-Internal-Token \"%s\";" },
  { "caddy", of(BASE64, 60, "JDJhJDE0JA"), "basicauth {\n  ann %s\n}" },
  { "istio log", of(DASH, 120, JWT), "[2024-03-01T12:00:00Z] \"GET /?access_token=%s HTTP/1.1\" 200" },
  -- languages and what they print
  { "go test log", of(WORD, 32), "    client_test.go:31: using apiToken:\"%s\" retries:3" },
  { "python traceback", password, "    conn = connect(host='db', user='ann', password='%s')\nTypeError: x" },
  { "python locals", of(WORD, 36), "    auth_header = 'Bearer %s'" },
  { "rich locals", of(WORD, 36), "| hub_token = '%s' |" },
  { "java props", password, "-Djavax.net.ssl.trustStorePassword=%s -Xmx4g" },
  { "scala conf", password, "db { url = \"jdbc:x\", user = ann, password = ${?X}, adminPwd = \"%s\" }" },
  { "kotlin", of(WORD, 40), "val apiSecret: String = \"%s\"" },
  { "swift language", of(WORD, 40), "let clientSecret = \"%s\"" },
  { "julia", of(WORD, 40), "ENV[\"DOCUMENTER_KEY\"] = \"%s\"" },
  { "matlab", password, "conn = database('x', 'ann', '%s');" },
  { "r odbc", password, "dbConnect(odbc(), \"x\", uid = \"ann\", pwd = \"%s\")" },
  { "elixir", of(BASE64, 64), "  secret_key_base: \"%s\"" },
  { "erlang cookie", of(UPPER, 20), "erl -sname a -setcookie %s" },
  { "perl dbi", password, "DBI->connect(\"dbi:Pg:dbname=x\", \"ann\", \"%s\")" },
  { "lua table", of(WORD, 40), "return { host = \"x\", apiKey = \"%s\" }" },
  { "cpp define", of(WORD, 32), "#define UPLOAD_TOKEN \"%s\"" },
  { "nix string", of(WORD, 40), "  services.x.secretKey = \"%s\";" },
  { "csh", of(WORD, 32), "setenv UPLOAD_TOKEN %s" },
  { "gdb environ", of(WORD, 40), "x/s *environ: \"DEPLOY_TOKEN=%s\"" },
  { "crontab", password, "0 3 * * * PGPASSWORD=%s pg_dump x" },
  { "git config", of(WORD, 40), "url.https://oauth2:%s@git.example.org/.insteadof=https://git.example.org/" },
  { "gitmodules", of(WORD, 40), "\turl = https://x-access-token:%s@git.example.org/a/b.git" },
  { "wrapped key", of(BASE64, 64),
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n%s\n-----END" },
  { "age key", of(UPPER .. DIGITS, 58, "AGE-SECRET-KEY-1"), "# public key: age1x\n%s" },
  { "loose hex", of(HEX, 50), "handing %s to the worker" },
  { "loose base64", of(BASE64, 46), "worker got %s== back" },
  { "loose word", of(WORD, 28), "worker 3: started with %s" },
}

--- Samples of the kinds of this file.
return { make = function(seed, count) return fresh.draw(ROWS, seed, count) end }
