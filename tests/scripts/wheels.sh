# Packages that a test makes itself, and an index of them, for real uv and pip. To be read after lib.sh.
uv=$("$source_root/tests/support/uv") || skip "uv cannot be installed here"
# Equal names in two tests must not meet, nor what this machine is told to install from.
for name in $(env | grep -oE '^(PIP|UV)_[A-Z_]*'); do unset "$name"; done
PATH=$(dirname "$uv"):$PATH
export PATH UV_CACHE_DIR="$folder/uv" UV_NO_CONFIG=1 PIP_CONFIG_FILE=/dev/null no_proxy=127.0.0.1

# FOLDER NAME VERSION SPEED [OPTIONS...]: a wheel of tests/support/wheel whose module has a speed.
release() {
  into=$1 package=$2 version=$3 speed=$4; shift 4
  "$source_root/tests/support/wheel" "$into" "$package" "$version" --code "speed = $speed" "$@"
}

# FOLDER [OPTIONS...]: starts tests/support/wheel_index; $url is its URL, $index its process. It ends with this shell.
serve() {
  rm -f url
  "$source_root/tests/support/wheel_index" "$@" >url 2>>requests &
  index=$!
  wait_until there url
  url=$(cat url)
}

# FOLDER [OPTIONS...]: the same, as the index that uv and pip are configured to ask.
serve_by_default() {
  serve "$@"
  export UV_DEFAULT_INDEX="$url" PIP_INDEX_URL="$url"
}

# PACKAGE...: a command that prints the speed of the first one, a little different in each run, and adds its version to
# ./runs. It imports all of them.
speed_of() {
  cat >"speed_of_$1.py" <<EOF
import time
from importlib.metadata import version
$(printf 'import %s\n' "$@")
print(version("$1"), file=open("$folder/runs", "a"))
print("speed:", $1.speed + time.time_ns() % 100 / 1000)
EOF
  echo "python $folder/speed_of_$1.py"
}

# EXIT-CODE OPTIONS...: regengine releases by the speed of $package.
given releases 'releases --metric "speed: {number}"'
