#!/bin/sh
# tests/scripts/test_doctor.sh REGENGINE: the doctor says what is there and what is not, and a lack is no failure.
set -eu
engine=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "FAILED: $1" && cat "$folder/out"
  exit 1
}

"$engine" doctor > "$folder/out" || fail "its exit code is not 0"
grep -Evq '^(ok  |no  |note)  [A-Za-z ]{17}  [^ ]' "$folder/out" && fail "a line is not in its columns"
for what in regengine git docker podman GPU 'GPU driver' CPU 'CPU governor' load disk terminal; do
  [ "$(grep -c "^....  $what  " "$folder/out")" = 1 ] || fail "no one line about $what"
done
grep -q "^ok    git  .*$(git --version | cut -d' ' -f3)" "$folder/out" || fail "git's version is not what git says"

# Where nothing is installed each line says what that costs.
PATH=$folder "$engine" doctor > "$folder/out" || fail "its exit code is not 0 where nothing is installed"
for what in git docker podman; do
  grep -q "^no    $what  .*not installed; costs: " "$folder/out" || fail "the lack of $what is not said"
done

# A daemon that is not there is told apart from a client that is not there.
if command -v docker > /dev/null; then
  DOCKER_HOST=unix://$folder/none "$engine" doctor > "$folder/out"
  grep -q "^no    docker  .*cannot be reached" "$folder/out" || fail "a docker without its daemon passes as good"
fi
echo "doctor: all as promised"
