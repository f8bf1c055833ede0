# What tests/support/daemons and tests/support/cluster share. They read it with `. "$here/real_parts.sh"`, define
# `start` and `stop`, which take a folder, and end with `serve "$@"`.
own=$(basename "$0")

missing() {
  echo "$own: SKIPPED: $1" >&2
  [ "${REGENGINE_REQUIRE_REAL:-}" != 1 ]
}

wait_for() {  # SECONDS COMMAND...
  until_time=$(($(date +%s) + $1)); shift
  while ! "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -lt $until_time ] || return 1
    sleep 0.1
  done
}

listens() { grep -Eq "(0100007F|00000000):$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp; }

ended() { sh -c '! kill -0 "$1" 2>/dev/null || grep -q "^State:.Z" "/proc/$1/status"' sh "$1"; }

end_process() {  # PIDFILE
  [ -f "$1" ] || return 0
  pid=$(cat "$1")
  kill "$pid" 2>/dev/null || return 0
  wait_for 20 ended "$pid" || kill -9 "$pid" || true
}

serve() {
  case ${1:-} in
    start) start "$2" ;;
    stop) stop "$2" ;;
    run)
      shift
      folder=$(mktemp -d "${TMPDIR:-/tmp}/regengine-$own.XXXXXX")
      trap 'stop "$folder"' EXIT
      trap 'exit 130' INT TERM
      environment=$(start "$folder")
      eval "$environment"
      "$@"
      ;;
    *)
      sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
}
