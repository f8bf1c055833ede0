# What the tests of --hosts share. To be read after lib.sh.
[ "${REGENGINE_TEST_SSH:-}" = 1 ] ||
  skip "no hosts to reach by ssh: tests/support/cluster run starts four (REGENGINE_TEST_SSH)"

. "$source_root/tests/scripts/numbers.sh"

# The user's own ssh, with a configuration of this test's own in front of that of the hosts.
mkdir bin
executable bin/ssh "exec /usr/bin/ssh -F $folder/ssh_config \"\$@\""
PATH=$folder/bin:$PATH
configure() { { cat; echo "Host *"; echo "  Include $REGENGINE_TEST_CLUSTER/ssh_config"; } >"$folder/ssh_config"; }
configure </dev/null

cluster() { "$source_root/tests/support/cluster" "$1" "$REGENGINE_TEST_CLUSTER" "$2"; }

# Processes that run on the hosts for the jobs of this folder.
left_on_hosts() {
  for process in /proc/[0-9]*; do
    grep -qszF "REGENGINE_OWN=$folder/" "$process/environ" || grep -qsF "$folder/" "$process/cmdline" &&
      grep -qszF REGENGINE_TEST_HOST= "$process/environ" && echo "${process##*/}" || true
  done
}
none_on_hosts() { [ -z "$(left_on_hosts)" ]; }

# COUNT: so many subjects have trials that counted, and no job is that of two trials. $counted is the number of trials.
all_counted() {
  counted=$("$engine" -e 'local subjects, jobs, n, counted = {}, {}, 0, 0
    for _, one in ipairs(reg.store.open(".regengine/results.db"):trials { }) do
      if one.status == "ok" then
        counted = counted + 1
        if not subjects[one.subject] then n = n + 1 end
        subjects[one.subject] = true
        for _, job in ipairs(one.info.jobs) do
          assert(not jobs[job], "counted twice: " .. job)
          jobs[job] = true
        end
      end
    end
    assert(n == '"$1"', n .. " subjects have trials")
    print(counted)') || fail "not all counted once"
}

# The nodes of all trials that counted, one word each.
nodes_of() {
  "$engine" -e 'for _, one in ipairs(reg.store.open(".regengine/results.db"):trials { }) do
    if one.status ~= "interrupted" then print(one.info.node and one.info.node.name or "none") end end'
}

# COMMAND-LINE: one more host, host5, which runs that for each command it gets (as ForceCommand of sshd_config).
fifth_host() {
  port=$(sed -n 's/ListenAddress .*://p' "$REGENGINE_TEST_CLUSTER/host4.conf")
  sed "s/host4/host5/g; s/host5.key/host4.key/; s/:$port/:$((port + 1))/; 1i ForceCommand $1" \
    "$REGENGINE_TEST_CLUSTER/host4.conf" >host5.conf
  configure <<CONF
Host host5
  Port $((port + 1))
  HostKeyAlias host4
  HostName 127.0.0.1
  IdentityFile $REGENGINE_TEST_CLUSTER/user_key
  UserKnownHostsFile $REGENGINE_TEST_CLUSTER/known_hosts
CONF
  at_end=no_fifth_host
  /usr/sbin/sshd -f "$folder/host5.conf" -E "$REGENGINE_TEST_CLUSTER/host5.log"
}
no_fifth_host() { cluster kill host5; }
