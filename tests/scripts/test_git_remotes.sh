#!/bin/sh
# An untrusted script's git over https and ssh, in the sandbox: with a real git server behind a certificate of its own, and a
# real sshd. The user's credentials, settings and keys serve git, and no program of the script can read them.
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/usr/sbin need python3 openssl sshd ssh ssh-keygen ssh-agent # which cmake/packages real installs
"$engine" doctor | grep -q 'Landlock version [1-9]' || skip "this kernel has no Landlock"

# What this machine's user has does not count.
export HOME="$folder/home" GIT_CONFIG_GLOBAL="$folder/home/.gitconfig"
unset GIT_SSL_CAINFO SSL_CERT_FILE SSH_AUTH_SOCK GIT_SSH_COMMAND
export no_proxy=localhost,127.0.0.1
mkdir -p home/.ssh server ssh served ws
chmod 700 home/.ssh
numbered served/library 2
git clone -q --bare served/library served/library.git
"$engine" trust --forget "$folder" >/dev/null
servers=
at_end=stop_servers
stop_servers() { for one in $servers; do kill "$one" 2>/dev/null || true; done; }

# EXIT-CODE OPTIONS...: runs ws/found.lua, the script from elsewhere, in ws.
foreign() {
  code=$1; shift
  exits "$code" sh -c 'cd ws && exec setsid -w "$@" found.lua' sh "$engine" "$@" </dev/null
}

# URL: a script that clones, fetches a new commit, and has a worktree of it.
clones() {
  rm -rf ws; mkdir ws
  cat >ws/found.lua <<END
local repo = reg.git.clone("$1", "clone")
local tree <close> = repo:worktree "tree"
tree:checkout "origin/main"
repo:fetch()
print(#repo:log { to = "origin/main" })
END
}

# --- https
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout server/key -out server/certificate 2>/dev/null
cat server/key server/certificate >server/server.pem
"$source_root/tests/support/git_server" served server ann:secret-of-ann &
servers=$!
wait_until [ -e server/port ]
port=$(cat server/port)
url=https://localhost:$port/library.git

clones "$url"
tells foreign 1 "not permitted: git=$url (clone $url to clone)"
noted "Add reg.needs { git = \"$url\" } to the script's head."
tells foreign 1 "not permitted: git=$url" --allow "git=https://localhost:$port/other.git"
[ ! -e server/requests ] || fail "the server was asked"

# Neither the certificate nor the password is known: git says so, and nobody is asked.
tells foreign 1 "server certificate verification failed" --allow "git=$url"
git config --global http.sslCAInfo "$folder/server/certificate"
tells foreign 1 "could not read Username for 'https://localhost:$port': terminal prompts disabled" --allow "git=$url"
noted "set up a credential helper"

git config --global credential.helper store
echo "https://ann:secret-of-ann@localhost:$port" >home/.git-credentials
tells foreign 0 2 --allow "git=https://localhost:$port/*"
grep -q ' known$' server/requests || fail "the credentials were not used"

# The clone of the user, outside, is fetched for in the private clone.
git clone -q "$url" mine
commit served/library "commit"
git -C served/library push -q ../library.git main 2>/dev/null
before=$(find mine -type f -exec sha256sum {} + | sort | sha256sum)
cat >ws/found.lua <<END
local repo = reg.git.open "$folder/mine"
print(#repo:log { to = "origin/main" })
repo:fetch()
print(#repo:log { to = "origin/main" })
END
tells foreign 1 "not permitted: git=$url (fetch origin in $folder/mine)" --allow "git=$folder/mine"
foreign 0 --allow "git=$folder/mine" --allow "git=$url"
[ "$(tr '\n' ' ' <out)" = "2 3 " ] || fail "not the commits of before and after"
[ "$before" = "$(find mine -type f -exec sha256sum {} + | sort | sha256sum)" ] || fail "the clone outside was changed"

# --- ssh
ssh-keygen -q -t ed25519 -N '' -f ssh/host
ssh-keygen -q -t ed25519 -N '' -f home/.ssh/key
cp home/.ssh/key.pub ssh/authorized
chmod 600 ssh/authorized
pam=no  # which alone lets in a user without a password, as root often is
case $(getent shadow "$(id -un)" | cut -d: -f2) in '!'*) pam=yes ;; esac
cat >ssh/config <<END
ListenAddress 127.0.0.1
HostKey $folder/ssh/host
AuthorizedKeysFile $folder/ssh/authorized
PidFile none
StrictModes no
UsePAM $pam
END
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
: >ssh/log
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
"$(PATH=$PATH:/usr/sbin command -v sshd)" -D -e -f ssh/config -p "$port" 2>ssh/log &
servers="$servers $!"
wait_until grep -q 'Server listening' ssh/log
host=$(id -un)@127.0.0.1
url=ssh://$host:$port$folder/served/library.git

clones "$url"
tells foreign 1 "not permitted: git=$url"
! grep -q 'Connection from\|Connection closed' ssh/log || fail "the server was asked"

# Not the host, and not a key: ssh says so, and asks nobody.
git config --global core.sshCommand "ssh -F none -o UserKnownHostsFile=$folder/home/.ssh/known_hosts -i $folder/home/.ssh/key"
tells foreign 1 "Host key verification failed." --allow "git=$url"
noted "Connect once by hand, so that ssh knows the host."
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 ssh/host.pub)" >home/.ssh/known_hosts
tells foreign 0 3 --allow "git=ssh://$host:$port/*"

# A key that only an agent has.
eval "$(ssh-agent)" >/dev/null
servers="$servers $SSH_AGENT_PID"
ssh-add -q home/.ssh/key
git config --global core.sshCommand "ssh -F none -o UserKnownHostsFile=$folder/home/.ssh/known_hosts"
mv home/.ssh/key key
clones "$url"
foreign 0 --allow "git=$url"
mv key home/.ssh/key

# A shared connection needs a socket, which git may not make. ssh itself looks for no file in $HOME, hence the wrapper.
cat >home/.ssh/config <<END
UserKnownHostsFile $folder/home/.ssh/known_hosts
ControlMaster auto
ControlPath $folder/home/.ssh/%n
END
mkdir bin
executable bin/ssh "exec $(command -v ssh) -F $folder/home/.ssh/config \"\$@\""
path=$PATH PATH=$folder/bin:$PATH
git config --global core.sshCommand ssh
clones "$url"
tells foreign 1 "unix_listener: cannot bind to path" --allow "git=$url"
noted "set ControlMaster=no"
git config --global --unset core.sshCommand
foreign 0 --allow "git=$url"
PATH=$path

# --- the script's own programs
cat >ws/found.lua <<END
for _, line in ipairs { "cat $HOME/.ssh/key", "cat $HOME/.git-credentials", "cat $HOME/.gitconfig", "env", "git ls-remote $url",
  "ssh-add -l" } do
  local run = reg.process.run { shell = line }
  print(run.stdout, run.stderr)
end
print(pcall(reg.fs.read, "$HOME/.ssh/key"))
END
foreign 0 --allow process=sh --allow "git=$url"
not_said "PRIVATE KEY" secret-of-ann SSH_AUTH_SOCK refs/heads/main SHA256
