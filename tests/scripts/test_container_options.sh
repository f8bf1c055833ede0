#!/bin/sh
# The container options of the strategies, with real docker and podman and on the host: what reaches the measured program,
# what is refused before anything is pulled, and an image that cannot start.
. "$(dirname "$0")/lib.sh"
start_daemons
registry=${REGENGINE_TEST_REGISTRY:-}

mkdir here # beside the daemons' sockets, which no container gets
cd here
mkdir data images
echo "the data" >data/file
cat >test.sh <<'END'
echo "XLA_FLAGS=$XLA_FLAGS PASSED=$PASSED" >>/dir/said 2>/dev/null || echo "XLA_FLAGS=$XLA_FLAGS PASSED=$PASSED" >>said
[ -z "${CHECK:-}" ] || eval "$CHECK" || { echo "not so: $CHECK" >&2; exit 1; }
echo "MLUPS: 100"
END

# EXIT-CODE OPTIONS...: nights of the test registry, or of the folder `images`.
nightly() {
  rm -rf .regengine/results.db* said images/said
  again "$@"
}
given again 'nightly --runtime "$runtime" --image "$image" --from 2024-03-01 --to 2024-03-02 --test test.sh \
  --metric "MLUPS: {number}"'
# What does not hold inside fails the test, so that no night gives a number. One night is enough.
check() { # CHECK OPTIONS...
  check=$1; shift
  tells nightly 3 "only one place gave a number" --every --to 2024-03-01 --env "CHECK=$check" "$@"
}

# Refused on the host, in one line each, before anything runs.
runtime=local image=$PWD/images/{date}
mkdir images/2024-03-01 images/2024-03-02
for option in --network=none --shm-size=1g --ipc=none --ulimit=core=0 --device=/dev/null --cap-add=KILL --user=1 \
  --memory=1g --cpus=1 --entrypoint=/bin/sh --no-init --mount=data:/data; do
  tells nightly 2 "needs a container, and this runs on the host" "$option"
done
PASSED=on nightly 0 --every --env XLA_FLAGS=--a=1 --env PASSED --input data --mount "$PWD/images"
[ "$(sort -u images/*/said)" = "XLA_FLAGS=--a=1 PASSED=on" ] || fail "the variables did not reach the test on the host"
nightly 0 --every --workdir "$PWD/images"
[ -s images/said ] || fail "the test did not start in --workdir"

# Invalid values, whatever the runtime: one line that names the option, and nothing is asked or run.
while read -r option what; do
  tells nightly 2 "nightly: ${option%%=*}: $what" "$option"
done <<END
--shm-size=8x not a valid value: '8x'
--memory=much not a valid value: 'much'
--cpus=some not a valid value: 'some'
--ipc=container:x not a valid value: 'container:x'
--ulimit=memlok=-1 not a valid value: 'memlok=-1'
--device=/dev/none no such device on this machine: '/dev/none'
--cap-add=SYS_PTRAC no such capability: 'SYS_PTRAC' (did you mean 'SYS_PTRACE'?)
--user=a:b:c not a valid value: 'a:b:c'
--gpus=0;1 not a valid value: '0;1'
--env=A-B=1 not a variable: 'A-B=1'
--env=NOT_SET_HERE the variable NOT_SET_HERE is not set
--mount=/no/such/path cannot mount /no/such/path: No such file or directory
--mount=/usr:usr the path of a mount inside the container must be absolute: 'usr'
--input=nowhere cannot mount $PWD/nowhere: No such file or directory
--pull=often not a valid value: 'often'
END

need_images
for runtime in $runtimes; do
  image="$registry/nvidia/jax:jax-{date}"
  set -- --network none

  tells nightly 2 "has no effect with ipc" "$@" --ipc host --shm-size 1g
  tells nightly 2 "two mounts at" "$@" --mount data:/x --mount "$PWD:/x"
  nightly 3 --every "$@" --pull never
  said "$runtime has no image $registry/nvidia/jax:jax-2024-03-01 on this machine, and --pull never forbids pulling it"
  not_said "built"
  again 0 --every "$@" # what was missing is pulled now, and its failure is not taken from the store
  not_said skipped
  PASSED=on nightly 0 --every "$@" --env XLA_FLAGS=--a=1 --env PASSED
  [ "$(sort -u said)" = "XLA_FLAGS=--a=1 PASSED=on" ] || fail "$runtime: the variables did not reach the test"
  nightly 0 --every "$@" --pull never # now they are here
  not_said skipped

  shm='$(df -k /dev/shm | sed -n 2p | tr -s " " | cut -d " " -f 2)'
  ptrace='$((0x$(sed -n "s/^CapEff:[^0-9a-f]*//p" /proc/self/status) >> 19 & 1))'
  check "[ $shm -gt 65536 ] && [ \$(id -u) = 0 ] && [ \$\$ != 1 ] && [ $ptrace = 0 ]" "$@"
  check "[ $shm = 102400 ] && [ $ptrace = 1 ] && [ -c /dev/zero-of-host ] && [ \$(pwd) = /opt ] && echo new >/data/new" \
    "$@" --shm-size 100m --cap-add SYS_PTRACE --device /dev/zero:/dev/zero-of-host --workdir /opt --mount data:/data
  check "[ -s $PWD/data/file ] && ! { echo new >$PWD/data/new; } 2>/dev/null" "$@" --input data
  check '[ $$ = 1 ] && ! grep -q " /dev/shm " /proc/mounts && ! { echo new >/data/new; } 2>/dev/null' "$@" --no-init \
    --ipc none --mount data:/data:ro
  check '[ "$RAN_BY" = env ]' "$@" --entrypoint /bin/env --env RAN_BY=env
  if [ "$runtime" = docker ]; then
    check '[ "$(ulimit -n)" = 100 ]' "$@" --ulimit nofile=100:100
    # This daemon may not raise memlock, as rootless ones: a default is left out, and what the user gave is not.
    tells nightly 1 "rlimit" "$@" --ulimit memlock=99999999999
  fi

  # In a container that is kept between commits.
  rm -rf repo .regengine
  numbered repo 2
  says 0 "first bad   $(id_of repo c2)" bisect --repo repo --good c1 --bad c2 --image "$REGENGINE_TEST_IMAGE" \
    --runtime $runtime "$@" --env XLA_FLAGS=--a=1 --shm-size 100m --input data --no-init \
    --test "[ \"\$XLA_FLAGS\" = --a=1 ] && [ $shm = 102400 ] && [ -s $PWD/data/file ] && [ \$(cat number) = 1 ]"

  # One image that cannot start is skipped, and the search goes on.
  for date in 2024-03-01 2024-03-02; do
    $runtime pull -q "$registry/nvidia/jax:jax-$date" >/dev/null
    $runtime tag "$registry/nvidia/jax:jax-$date" "localhost/mixed:$date"
  done
  $runtime tag "localhost/mixed:2024-03-01" localhost/mixed:2024-03-03
  container=$($runtime create --user nobody-here --network none "$registry/nvidia/jax:jax-2024-03-02" true)
  $runtime commit "$container" localhost/mixed:2024-03-02 >/dev/null 2>&1
  $runtime rm -f "$container" >/dev/null
  image=localhost/mixed:{date}
  nightly 0 --every "$@" --pull never --to 2024-03-03
  said "skipped 2024-03-02 (could not be tested): $runtime could not run localhost/mixed:2024-03-02"
  $runtime rmi -f localhost/mixed:2024-03-01 localhost/mixed:2024-03-02 localhost/mixed:2024-03-03 >/dev/null
done
