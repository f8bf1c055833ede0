-- Commands that take a secret as an argument. Each row is
--   { programs, sub = words that must follow it, flags = those whose value is secret, in one word with the value or
--     before it, glued = those whose value is always in one word with them, argument = the arguments after `sub` that
--     are secret, counted from 1 }
-- An option whose name says what it is, such as --password or --api-key, needs no row.

return {
  { "curl", flags = "-u -U -b --user --proxy-user --cookie --oauth2-bearer --proxy-pass --tlsuser" },
  { "wget", flags = "--user --http-user --ftp-user --proxy-user" },
  { "http https xh", flags = "-a --auth" }, { "ab", flags = "-A -P -C" }, { "hurl", flags = "-u --user" },
  { "docker podman nerdctl buildah skopeo oras helm regctl ilorest", sub = "login", flags = "-p" },
  { "crane", sub = "auth login", flags = "-p" }, { "singularity apptainer", sub = "remote login", flags = "-p" },
  { "skopeo podman buildah", flags = "--creds --src-creds --dest-creds" },
  { "mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump", glued = "-p" },
  { "mongosh mongo mongodump mongorestore mongoexport cqlsh", flags = "-p" }, { "redis-cli valkey-cli", flags = "-a" },
  { "sqlcmd bcp ipmitool zip unzip mosquitto_pub mosquitto_sub", flags = "-P" }, { "sqlplus", argument = "1" },
  { "influx influxd fly flyctl vercel", flags = "-t" }, { "netlify", flags = "-a" }, { "sshpass", flags = "-p" },
  { "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami", flags = "-w" },
  { "smbclient rpcclient", flags = "-U --user" },
  { "snmpwalk snmpget snmpset", flags = "-c -A -X" }, { "net", sub = "use", argument = "2" },
  { "7z 7za 7zz unrar", glued = "-p" }, { "rar", glued = "-p -hp" },
  { "openssl", flags = "-passin -passout -pass -k -K -hmac -macopt" }, { "ssh-keygen", flags = "-N -P" },
  { "keytool jarsigner", flags = "-storepass -keypass -srcstorepass -deststorepass" },
  { "useradd usermod ncftp racadm esxcli flit rabbitmqadmin", flags = "-p" }, { "lftp", flags = "-u" },
  { "htpasswd", argument = "3" }, { "wpa_passphrase", argument = "2" }, { "xfreerdp rdesktop", glued = "/p: -p" },
  { "requirepass masterauth", argument = "1" }, { "redis-cli", sub = "auth", argument = "1 2" },
  { "wandb comet neptune sentry-cli huggingface-cli hf cargo vault", sub = "login", argument = "1" },
  { "vault", sub = "unseal", argument = "1" }, { "vault", sub = "unwrap", argument = "1" },
  { "ngrok", sub = "authtoken", argument = "1" }, { "ngrok", sub = "add-authtoken", argument = "1" },
  { "poetry", sub = "config pypi-token", argument = "2" }, { "poetry", sub = "config http-basic", argument = "2 3" },
  { "conda", sub = "token set", argument = "1" }, { "rclone", sub = "obscure", argument = "1" },
  { "mc", sub = "alias set", argument = "3 4" }, { "mc", sub = "host add", argument = "3 4" },
  { "az cf oc", sub = "login", flags = "-p" }, { "cf", sub = "auth", argument = "2" },
  { "az", flags = "--account-key --sas-token --connection-string" }, { "tailscale", flags = "--authkey --auth-key" },
  { "aws", sub = "set aws_secret_access_key", argument = "1" },
  { "aws", sub = "set aws_session_token", argument = "1" },
  { "aws", sub = "set aws_access_key_id", argument = "1" }, { "gem", sub = "push", flags = "-k" },
  { "nuget", sub = "setapikey", argument = "1" }, { "dotnet", sub = "nuget push", flags = "-k" },
  { "twine", sub = "upload", flags = "-p" }, { "twine", sub = "register", flags = "-p" },
  { "op", sub = "signin", argument = "3" }, { "bw", sub = "unlock", argument = "1" },
  { "bw", sub = "login", argument = "2" },
  { "doctl", sub = "auth init", flags = "-t" }, { "glab", sub = "auth login", flags = "-t" },
  { "rabbitmqctl", sub = "add_user", argument = "2" }, { "rabbitmqctl", sub = "change_password", argument = "2" },
}
