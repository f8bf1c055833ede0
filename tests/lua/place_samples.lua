-- Secrets in places that no rule knew before: each line leaked then. tests/lua/secret_templates.lua fills them.

return [==[
snowsql -a acct -u loader -p {!pw}
curl https://api.render.com/deploy/srv-x?key={!-:11}
client = Client("AC{!h:32}", "{!h:32}")
mailgun {!h:32}-{!h:8}-{!h:8}
SET PASSWORD FOR 'u'@'%' = PASSWORD('{!pw}');
DriverManager.getConnection("jdbc:mysql://db/x", "root", "{!pw}");
cypher-shell -u neo4j -p {!pw}
NEO4J_AUTH=neo4j/{!pw}
isql dsn sa {!pwx}
curl -E cert.pem:{!pw} https://x
curl --pass {!pw} --key k.pem https://x
ncftpget -u u -p {!pw} ftp.example . f
rsync --password-file=<(echo {!pw}) u@h::m .
sshfs -o password_stdin u@h:/ /mnt <<< {!pw}
https://hc-ping.com/{!uuid}
https://open.feishu.cn/open-apis/bot/v2/hook/{!uuid}
https://mattermost.corp.example/hooks/{!l:26}
https://events.pagerduty.com/integration/{!h:32}/enqueue
keybase paperkey "{!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd}"
signtool sign /f c.pfx /p {!pw} x.exe
echo -n '{!pw}' | openssl dgst -sha256 -hmac '{!pw}'
oathtool --totp -b {!B:16}
Your verification code is {!d:6}
recovery codes: {!l:5}-{!l:5} {!l:5}-{!l:5}
backup code {!d:4} {!d:4}
Enter passcode or select one of the options: {!d:6}
nmcli dev wifi connect HomeNet password {!pw}
WIFI:S:HomeNet;T:WPA;P:{!pwx};;
netsh wlan: Key Content            : {!pw}
client.username_pw_set("dev", "{!pw}")
smtp.login("bot@x.example", "{!pw}")
ldappasswd -s {!pw} uid=ann
bindpw {!pw}
[smtp.example]:587 u:{!pw}
535 5.7.8 authentication failed for u with password {!pw}
hg: x.password = {!pw}
p4 -P {!H:32} sync
p4 login <<< {!pw}
cmdkey /add:srv /user:bob /pass:{!pw}
runas password {!pw}
expect "Password:" ; send "{!pw}\r"
spawn ssh h; expect assword; send -- "{!pw}\r"
ntlm hash ann:1001:{!h:32}:{!h:32}:::
username admin password 0 {!pw}
credentials:⏎  user: u⏎  pass: {!pw}
{"auth":{"user":"u","pass":"{!pw}"}}
<property name="hibernate.connection.password">{!pw}</property>
<string name="api_key">{!w:32}</string>
<key>AuthToken</key><string>{!w:32}</string>
pin: {!d:6}
user_pin = {!d:4}
keyring.set_password("svc", "u", "{!pw}")
conn = ftplib.FTP("h", "u", "{!pw}")
SecretStr('{!pw}')
props.put("password", "{!pw}");
curl_easy_setopt(c, CURLOPT_USERPWD, "u:{!pw}");
curl_easy_setopt(c, CURLOPT_PASSWORD, "{!pw}");
my $pass = '{!pw}';
$conn = new mysqli("db", "u", "{!pw}", "x");
password.equals("{!pw}")
read -s PASS <<< {!pw}
PASS={!pw}; export PASS
printf '%s' '{!pw}' > pw.txt
ssh h "PASS={!pw} ./run"
sed -i 's/@PASSWORD@/{!pw}/' conf
xargs -I{} ./login u {!pw} {}
yes {!pw} | ./install
./configure.py --user u --pass {!pw}
./deploy.sh -u u -p {!pw}
tool login u {!pw}
aws ssm put-parameter --name x --type SecureString --value {!pw}
az keyvault secret set --vault-name v --name n --value {!pw}
oci setup: pass_phrase={!pw}
knife bootstrap h -x u -P {!pw}
received session_id={!h:32} from server
password for u is {!pw}
your new password is: {!pw}
seed phrase "{!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd}"
infura https://mainnet.infura.io/v3/{!h:32}
codecov -t {!uuid}
bash <(curl -s https://codecov.io/bash) -t {!uuid}
deepl: {!uuid}:fx
zoho 1000.{!h:32}.{!h:32}
https://api.openweathermap.org/data/2.5/weather?q=x&appid={!h:32}
~{!user}/bin/x
uid=1001({!user}) gid=1001({!user}) groups=1001({!user}),27(sudo)
[{!user}@node01 src]$ make
-rw-r--r-- 1 {!user} {!user} 1234 Mar  1 12:00 x.log
{!user}   12345  0.0  0.1 123456 7890 pts/0 Ss 12:00 0:00 -bash
sudo -u {!user} make
su - {!user}
chown -R {!user}:{!user} x
Job submitted by {!user} to queue
JOBID PARTITION NAME USER ST⏎12345 gpu train {!user} R
user: {!user}
/media/{!user}/disk
/u/{!user}/x
\\srv\home\{!user}\x
Users\{!user}\x
Serial Number                         : {!d:13}
NOVITA_KEY={!uuid}
fal_key = "{!uuid}:{!h:32}"
FAL_KEY={!uuid}:{!h:32}
determined: det user login admin; Password for user 'admin': {!pw}
dvc remote modify --local store password {!pw}
htcondor_store_cred add -p {!pw}
rstudio auth: user {user} with {!pw} accepted
PRAGMA key = '{!pw}';
sqlcipher: ATTACH DATABASE 'x.db' AS e KEY '{!pw}';
cbq -u Administrator -p {!pw} -e http://h:8091
redis.conf: user bench on >{!pw} ~* +@all
ACL SETUSER bench on >{!pw} allkeys
memcached: sasl {user}:{!pw}
etcdctl user add bench:{!pw}
zookeeper: addauth digest super:{!pw}
schema.registry.basic.auth.user.info=sr:{!pw}
veracrypt -t -p {!pw} x.hc
zfs load-key tank <<< {!pw}
bitlocker recovery key: {!d:6}-{!d:6}-{!d:6}-{!d:6}-{!d:6}-{!d:6}-{!d:6}-{!d:6}
pdm config pypi.password {!pw}
https://conda.anaconda.org/t/an-{!h:8}-{!uuid}/ch
bundle config gems.corp.example bench:{!pw}
.yarnrc.yml: npmAuthIdent: "bench:{!pw}"
mvn --encrypt-password {!pw}
xcrun altool --upload-app -u a@b.example -p {!c:4}-{!c:4}-{!c:4}-{!c:4}
security unlock-keychain -p {!pw} build.keychain
osslsigncode sign -pkcs12 c.pfx -pass {!pw} x.exe
kubeseal: echo -n {!pw} | kubeseal --raw
ansible-vault encrypt_string '{!pw}' --name x
puppet: hiera eyaml encrypt -s '{!pw}'
radtest {user} {!pw} localhost 0 {!pw}
snmp-server community {!w:12} RO
ip ospf message-digest-key 1 md5 {!pw}
neighbor 10.0.0.1 password {!pw}
cntlm: Password {!pw}
ssh-add: Enter passphrase for /k: {!pw}
ftp: 331 Password required; PASS {!pw}
idracadm7 -u root -p {!pw} getconfig
authselect: ldap_default_authtok = {!pw}
realm join --user=admin corp.example <<< {!pw}
adcli join --stdin-password <<< {!pw}
net ads join -U admin%{!pw}
msmtprc: password {!pw}
fetchmail: poll h user x pass "{!pw}"
postfix: smtp.example bot:{!pw}
signal-cli -u +4912345 verify {!d:3}-{!d:3}
irc: /msg NickServ IDENTIFY {!pw}
n8n: https://n8n.corp.example/webhook/{!uuid}
curl_setopt($ch, CURLOPT_USERPWD, "{user}:{!pw}");
telnetlib: tn.write(b"{!pw}\n")
pexpect: child.sendline('{!pw}')
ldap3.Connection(s, 'cn=u', '{!pw}')
l.simple_bind_s("cn=admin", "{!pw}")
impersonate: win32security.LogonUser("{user}", "CORP", "{!pw}", 3, 0)
MySQLdb.connect("h", "{user}", "{!pw}", "db")
new NetworkCredential("{user}", "{!pw}")
ks.load(in, "{!pw}".toCharArray());
hmac_key = bytes.fromhex('{!h:64}')
mysql_real_connect(&m, "h", "{user}", "{!pw}", "db", 0, NULL, 0)
ssh_userauth_password(s, NULL, "{!pw}");
libssh2_userauth_password(s, "{user}", "{!pw}")
db.SetPassword("{!pw}")
Devise.pepper = '{!h:128}'
haproxy: user admin insecure-password {!pw}
stats auth admin:{!pw}
grafana-cli admin reset-admin-password {!pw}
drush user:password admin '{!pw}'
SAML: SAMLResponse={!b:300}
device code: {!U:4}-{!U:4}
First copy your one-time code: {!U:4}-{!U:4}
To sign in, enter the code {!U:9} to authenticate.
Your OTP is {!d:6}
Use {!d:6} as your login code
emergency scratch codes are: {!d:8} {!d:8}
aws ecr get-login-password⏎eyJwYXlsb2FkIjoi{!b:400}
pass show lab/db⏎{!pw}
$ security find-generic-password -w x⏎{!pw}
$ pwgen 16 1⏎{!w:16}
user/pw {user}/{!pw}
login: {user} / {!pw}
root password on the box is {!pw}
// TODO remove: password {!pw}
default credentials admin/{!pw}
clave: {!pw}
mot de passe : {!pw}
Senha: {!pw}
密码: {!pw}
пароль: {!pw}
denied for {user} (using password {!pw})
/home/{!user}/.cache/bazel/_bazel_{!user}/x
~{!user}/public_html
ACME\{!user} logged on
  101  export MLFLOW_TRACKING_PASSWORD={!pw}
remote: Invalid username or password {!pw}.
HTTP_BASIC={user}:{!pw}
BASIC_AUTH={user}:{!pw}
NOTIFY_KEY={!uuid}
{"session": "{!h:32}", "uid": 4}
server.login("{user}@x.example", "{!pw}")
constexpr char kPassword[] = "{!pw}";
curl_easy_setopt(h, CURLOPT_USERPWD, "{user}:{!pw}");
redis.exceptions.AuthenticationError: invalid password {!pw}
audit: user={user} set password to {!pw}
admin:{!pw}
BUNNY_KEY={!uuid}
HEALTHCHECK_URL=https://hc-ping.com/{!uuid}
Host {!host}⏎  User {!user}
owner: {!user}
Submitting user : {!user}
squeue -u {!user}
~/.ssh/config password {!pw}
psql -h db -U {user} -W {!pw} x
redis-cli --pass {!pw} ping
ctr images pull --user {user}:{!pw} h/x
aria2c --http-user={user} --http-passwd={!pw} https://h
rsync -av --password-file <(echo '{!pw}') h::m .
net rpc user -U {user}%{!pwx}
aws sts get-session-token: "SessionToken": "{!b:300}"
export AWS_SESSION_TOKEN="{!b:356}"
poetry publish -u {user} -p {!pw}
dotnet nuget add source h -u {user} -p {!pw} --store-password-in-clear-text
imaplib: m.login("x@y.example", "{!pw}")
ftp.login("{user}", "{!pw}")
config.set('auth', 'password', '{!pw}')
props.setProperty("password", "{!pw}");
ds.setPassword("{!pw}");
DriverManager.getConnection(url, "{user}", "{!pw}");
.basic_auth("{user}", Some("{!pw}"))
nodemailer.createTransport({auth: {user: 'x', pass: '{!pw}'}})
login attempt [{user}/{!pw}] failed
initial admin password is {!pw}
Please log in with user admin and password {!pw}
Username {user} Password {!pw}
seed = "{!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd}"
recovery phrase: {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd} {!wd}
my old login was {user}:{!pw}
drwx------ 2 {!user} {!user} 4096 Mar  1 12:00 x
Serial Number : {!d:13}
]==]
