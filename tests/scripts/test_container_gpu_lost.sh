#!/bin/sh
# A kept container that loses its GPU between two trials, as `systemctl daemon-reload` makes it (cgroup v2, runc; issue 48 of
# nvidia-container-toolkit): nvidia-smi fails in it until it is restarted. A script in place of docker 28.2.2 answers so.
. "$(dirname "$0")/lib.sh"

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
store=kept.db

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
[ "$(ask_store 'SELECT count(*) AS n FROM trials WHERE status NOT IN ("ok", "interrupted")')" = 0 ] ||
  fail "it was held against a subject"

# Without GPUs, or without nvidia-smi in the image, nothing is restarted.
rm for-good
sweep 0
! grep -q ^restart calls || fail "a container without GPUs was restarted"
touch no-smi
sweep 0 --gpus all
! grep -q ^restart calls || fail "an image without nvidia-smi was restarted"
