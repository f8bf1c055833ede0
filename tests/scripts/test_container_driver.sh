#!/bin/sh
# An image that needs a newer NVIDIA driver is skipped with what to do, and the search goes on; a container engine that is
# gone ends it. A script in place of docker's client answers as docker and nvidia-container-cli do.
. "$(dirname "$0")/lib.sh"

fake_docker <<'SH'
  inspect)
    for name; do :; done
    if [ -e "started-$name" ]; then started=2024-03-01; else started=0001-01-01; fi
    echo "{\"Running\":false,\"ExitCode\":0,\"StartedAt\":\"${started}T00:00:00Z\"}" ;;
  run)
    [ ! -e gone ] || { echo "docker: Cannot connect to the Docker daemon at unix:///run/docker.sock." >&2; exit 125; }
    case "$*" in
      *NVIDIA_DISABLE_REQUIRE=1*) ;;
      *app:2024-03-03*)
        cat >&2 <<'END'
docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'
nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container: unknown

Run 'docker run --help' for more information
END
        exit 125 ;;
    esac
    while [ "$1" != --name ]; do shift; done
    touch "started-$2"
    echo "MLUPS: 100" ;;
SH
echo : >test.sh

given nightly 'nightly --runtime docker --image "localhost/app:{date}" --from 2024-03-01 --to 2024-03-05 \
  --test test.sh --metric "MLUPS: {number}" --every --gpus all'

tells nightly 0 "skipped 2024-03-03 (could not be tested): docker could not run localhost/app:2024-03-03: " --json
said "unsatisfied condition: cuda>=12.8" "Update the NVIDIA driver, or pass --env NVIDIA_DISABLE_REQUIRE=1"
answer "answer.verdict == 'no_change' and answer.skipped == 1"

rm -r .regengine/results.db*
answers nightly 0 "answer.skipped == 0" --json --env NVIDIA_DISABLE_REQUIRE=1

rm -r .regengine/results.db*
touch gone
tells nightly 1 "Cannot connect to the Docker daemon"
query_gives .regengine/results.db 0 "SELECT count(*) FROM trials WHERE status IN ('test_failed', 'build_failed')"
rm gone

# The same for a container that is kept.
cat >keep.lua <<'LUA'
local ok, why = pcall(reg.container.start, { image = "localhost/app:2024-03-03", gpus = "all", runtime = "docker" })
print(ok, why.kind, why.message)
LUA
says 0 "false	failed_trial	docker could not run localhost/app:2024-03-03" --trust keep.lua
said "Update the NVIDIA driver, or pass --env NVIDIA_DISABLE_REQUIRE=1"

# Trials that share GPUs would measure one another.
REGENGINE_NVML=/nonexistent/nvml.so nightly 2 --parallel 2
complained "cannot share out the GPUs of --gpus all: "

# A script from elsewhere gets the device that its user typed, and no other.
"$engine" trust --forget "$folder"
cat >found.lua <<'LUA'
local opt = reg.options { "container" }
local call = reg.test_command("test.sh", opt):command("localhost/app:1")
call.devices = call.devices or { "/dev/full" }
print(reg.container.run(call).stdout)
LUA
foreign() { code=$1; shift; expect "$code" --allow 'container=localhost/*' "$@" </dev/null; } # EXIT-CODE OPTIONS...
tells foreign 0 "MLUPS: 100" found.lua --device /dev/null --cap-add KILL --ipc host
tells foreign 1 "not permitted: container=device=/dev/full" found.lua
tells foreign 1 "not permitted: container=device=/dev/full" found.lua --env X=device=/dev/full --user 1
cat >shared.md <<'MD'
```lua options=["--device","/dev/full","--env","HOME"]
print(reg.container.run(reg.test_command("test.sh", reg.options { "container" }):command("localhost/app:1")).stdout)
```
MD
tells foreign 2 "--env: not a variable: 'HOME'" --quiet shared.md
tells foreign 1 "not permitted: container=device=/dev/full" --quiet shared.md --env HOME
tells foreign 0 "MLUPS: 100" shared.md --env HOME --device /dev/null
"$engine" trust "$folder"

# --- A kept container that loses its GPU between two trials, as `systemctl daemon-reload` makes it (cgroup v2, runc;
# issue 48 of nvidia-container-toolkit): nvidia-smi fails in it until it is restarted.
fake_docker <<'SH'
  inspect) echo "{\"Running\":true,\"ExitCode\":0,\"StartedAt\":\"2024-03-01T00:00:00Z\",\"Pid\":1}" ;;
  run) echo container ;;
  restart) [ ! -e "$FOLDER/for-good" ] && rm -f "$FOLDER/lost" || true ;;
  exec)
    case "$*" in
      *nvidia-smi*)
        [ ! -e "$FOLDER/no-smi" ] || exit 127
        [ -e "$FOLDER/lost" ] || { echo "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)"; exit 0; }
        echo "Failed to initialize NVML: Unknown Error"
        exit 255 ;;
      *measure*)
        # JAX and PyTorch only warn, and go on with the processor.
        if [ -e "$FOLDER/lost" ]; then echo "MLUPS: 10"; else echo "MLUPS: 100"; fi
        count=$(grep -c measured "$FOLDER/calls" || true)
        echo measured >>"$FOLDER/calls"
        if [ "$count" = 1 ]; then touch "$FOLDER/lost"; fi ;;
    esac ;;
SH
cat >kept.lua <<'LUA'
local opt = reg.options { "container", image = { "image", type = "string" } }
local runner <close> = reg.runner { folders = { reg.fs.absolute "." }, image = opt.image, options = opt }
reg.sweep({ "a", "b", "c", "d" }, { every = true, exact = true, into = "kept.db", measure = function(_, trial)
  return reg.metric.find(trial:run(runner:command "measure").stdout, "MLUPS: {number}")
end })
local store <close> = reg.store.open "kept.db"
for _, row in ipairs(store:query "SELECT subject, value FROM results ORDER BY trial") do
  print(string.format("%s %.0f", row.subject, row.value))
end
LUA
given sweep 'kept.lua --runtime docker --image localhost/app:1 --quiet' 'rm -rf kept.db* calls lost'

sweep 0 --gpus all
[ "$(grep -c 100 out)" = 4 ] || fail "a trial without its GPU was measured"
[ "$(grep -c ^restart calls)" = 1 ] || fail "$(grep -c ^restart calls) restarts"
noted "lost its GPUs"

# A GPU that stays away ends the run, and is not held against what is tested.
touch for-good
tells sweep 1 "no longer has its GPUs: Failed to initialize NVML: Unknown Error" --gpus all
[ "$(store=kept.db ask_store 'SELECT count(*) AS n FROM trials WHERE status NOT IN ("ok", "interrupted")')" = 0 ] ||
  fail "it was held against a subject"

# Without GPUs, or without nvidia-smi in the image, nothing is restarted.
rm for-good
sweep 0
! grep -q ^restart calls || fail "a container without GPUs was restarted"
touch no-smi
sweep 0 --gpus all
! grep -q ^restart calls || fail "an image without nvidia-smi was restarted"
