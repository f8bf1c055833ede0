-- Secrets of services, tools and languages in the forms that rules know: a name and its value, the user and password of
-- a URL, a prefix, a private key. The rows were written before the rules, and no rule may be improved with them.

local samples = require "secret_samples"

local HEX, LOW, WORD, BASE64, DASH = samples.HEX, samples.LOW, samples.WORD, samples.BASE64, samples.DASH
local UPPER, DIGITS = samples.UPPER, samples.DIGITS
local of, uuid = samples.of, samples.uuid

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
  { "colab userdata", of(WORD, 37), "userdata.set('MODEL_HUB_TOKEN', '%s')" },
  { "papermill yaml", of(WORD, 32), "papermill in.ipynb out.ipynb -y 'api_token: %s'" },
  { "airflow connection", password, "airflow connections add wh --conn-password %s --conn-port 5432" },
  { "airflow uri", password, "AIRFLOW_CONN_WH='postgresql://etl:%s@wh:5432/x?sslmode=off'" },
  { "airflow fernet", of(DASH, 43), "fernet_key = %s=" },
  { "dagster", of(HEX, 32), "dagster_cloud_api_token: user:x:%s" },
  { "tensorboard proxy", of(HEX, 48), "TensorBoard 2.16 at http://localhost:6006/?authuser_token=%s (Press CTRL+C)" },
  { "jupyterhub proxy", of(HEX, 64), "c.ConfigurableHTTPProxy.auth_token = '%s'" },
  { "jupyter lab url", of(HEX, 48), "    or http://127.0.0.1:8888/lab?token=%s" },
  { "slurm rest header", of(DASH, 110, JWT), "X-SLURM-USER-TOKEN: %s" },
  { "pbs env", password, "qsub -v DBUSER=etl,DBPASSWD=%s,N=4 job.pbs" },
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
  { "cassandra", password, "cqlsh db 9042 --username=ann --password=%s" },
  { "cassandra yaml", password, "    truststore_password: %s" },
  { "duckdb motherduck", of(DASH, 120, JWT), "duckdb.connect('md:x?motherduck_token=%s')" },
  { "pulsar", of(DASH, 90, JWT), "brokerClientAuthenticationParameters=token:%s" },
  { "celery broker", password, "- ** transport:   amqp://ann:%s@mq:5672//" },
  { "celery result", password, "CELERY_RESULT_BACKEND = 'db+postgresql://ann:%s@db/celery'" },
  { "redis acl", password, "user bench on >%s ~* +@all" },
  { "kafka sasl", password, "sasl.jaas.config=org.x.PlainLoginModule required username=\"ann\" password=\"%s\";" },
  { "trino", password, "connection-password=%s" },
  { "spark", of(BASE64, 40), "spark-submit --conf spark.hadoop.fs.s3a.secret.key=%s job.py" },
  { "keycloak", password, "kcadm.sh config credentials --server http://k --realm master --user admin --password %s" },
  { "keycloak json", of(WORD, 32), "\"credentials\": {\n  \"secret\": \"%s\"\n}" },
  { "oauth refresh", of(DASH, 60, "1//0"), "\"refresh_token\": \"%s\"," },
  { "openconnect", of(HEX, 64), "openconnect --cookie='webvpn=%s' vpn" },
  { "zerotier", of(LOW, 24), "X-ZT1-AUTH: %s" },
  { "netbird", uuid, "netbird up --setup-key %s" },
  { "sssd", password, "ldap_default_authtok = %s" },
  { "concourse var", of(WORD, 40), "fly -t lab set-pipeline -v deploy-token=%s" },
  { "spinnaker", password, "keyStorePassword: %s" },
  { "jenkins curl", of(HEX, 34), "curl https://ann:%s@ci/job/x/build" },
  { "sccache", of(BASE64, 40), "SCCACHE_WEBDAV_TOKEN=%s cargo build" },
  { "ccache remote", password, "remote_storage = http://ann:%s@cache:8080|shards=a" },
  { "bazelrc", of(WORD, 40), "build --remote_header=x-api-key=%s" },
  { "luarocks", of(WORD, 40), "luarocks upload x.rockspec --api-key=%s" },
  { "phabricator", of(LOW, 28, "cli-"), "{\"hosts\": {\"https://p/api/\": {\"token\": \"%s\"}}}" },
  { "helm repo", password, "helm repo add lab https://charts --username ann --password %s" },
  { "kube secret data", of(BASE64, 42), "kind: Secret\ndata:\n  db-password: %s==" },
  { "kubeconfig key", of(BASE64, 400, "LS0tLS1CRUdJTiBSU0Eg"), "    client-key-data: %s" },
  { "kustomize", password, "secretGenerator:\n- name: db\n  literals:\n  - password=%s" },
  { "switch", password, "username admin privilege 15 secret 0 %s" },
  { "mellanox ufm", of(WORD, 30), "curl -k -H 'Authorization: Basic %s' https://ufm/ufmRest/" },
  { "vmware", password, "govc env: GOVC_PASSWORD=%s" },
  { "cifs mount", password, "mount -t cifs //nas/x /mnt -o username=ann,password=%s,vers=3" },
  { "kopia", password, "kopia repository connect s3 --bucket x --password=%s" },
  { "confluence", of(DASH, 40), "Confluence(url='https://c', username='ann', password='%s')" },
  { "airtable", of(HEX, 64, "patQx81."), "airtable: Authorization: Bearer %s" },
  { "zoom", of(WORD, 32), "ZOOM_CLIENT_SECRET=\"%s\"" },
  { "haproxy", password, "  user ann insecure-password %s" },
  { "istio log", of(DASH, 120, JWT), "[2024-03-01T12:00:00Z] \"GET /?access_token=%s HTTP/1.1\" 200" },
  { "go test log", of(WORD, 32), "    client_test.go:31: using apiToken:\"%s\" retries:3" },
  { "python traceback", password, "    conn = connect(host='db', user='ann', password='%s')\nTypeError: x" },
  { "python locals", of(WORD, 36), "    auth_header = 'Bearer %s'" },
  { "rich locals", of(WORD, 36), "| hub_token = '%s' |" },
  { "java props", password, "-Djavax.net.ssl.trustStorePassword=%s -Xmx4g" },
  { "scala conf", password, "db { url = \"jdbc:x\", user = ann, password = ${?X}, adminPwd = \"%s\" }" },
  { "swift language", of(WORD, 40), "let clientSecret = \"%s\"" },
  { "julia", of(WORD, 40), "ENV[\"DOCUMENTER_KEY\"] = \"%s\"" },
  { "r odbc", password, "dbConnect(odbc(), \"x\", uid = \"ann\", pwd = \"%s\")" },
  { "elixir", of(BASE64, 64), "  secret_key_base: \"%s\"" },
  { "lua table", of(WORD, 40), "return { host = \"x\", apiKey = \"%s\" }" },
  { "nix string", of(WORD, 40), "  services.x.secretKey = \"%s\";" },
  { "gdb environ", of(WORD, 40), "x/s *environ: \"DEPLOY_TOKEN=%s\"" },
  { "crontab", password, "0 3 * * * PGPASSWORD=%s pg_dump x" },
  { "git config", of(WORD, 40), "url.https://oauth2:%s@git.example.org/.insteadof=https://git.example.org/" },
  { "gitmodules", of(WORD, 40), "\turl = https://x-access-token:%s@git.example.org/a/b.git" },
  { "wrapped key", of(BASE64, 64),
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n%s\n-----END" },
  { "age key", of(UPPER .. DIGITS, 58, "AGE-SECRET-KEY-1"), "# public key: age1x\n%s" },
}

--- Samples of the kinds of this file.
return function(seed, count) return samples.draw(ROWS, seed, count) end
