#!/bin/sh
# The injection library as it goes into other people's programs: what it needs, what it shows, that it stays out of the
# way, and where the engine finds it.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$engine")
library=$build/libregengine_inject.so
program=$build/fakes/cuda_program
export LC_ALL=C

# The C library of 2012 (CentOS 7) is enough.
for version in $(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -u); do
  newest=$(printf '%s\nGLIBC_2.17\n' "$version" | sort -V | tail -n 1)
  [ "$newest" = GLIBC_2.17 ] || fail "the library needs $version: $(objdump -T "$library" | grep "$version")"
done
[ "$(objdump -T "$library" | grep -c 'GLIBC_')" -gt 10 ] || fail "objdump shows no versions"
for needed in $(objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }'); do
  case $needed in
  libc.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux*) ;;
  *) fail "the library needs $needed" ;;
  esac
done
shown=$(objdump -T "$library" | awk '/ g / && !/UND/ { print $NF }' | sort | tr '\n' ' ')
[ "$shown" = "InitializeInjection InitializeInjectionNvtx2 " ] || fail "the library shows: $shown"

# It is mapped into every process of CUDA: small. (As it is installed: without what debuggers need.)
cp "$library" stripped.so
strip stripped.so
size=$(stat -c %s stripped.so)
[ "$size" -le 131072 ] || fail "the library has $size bytes"
echo "the injection library: $size bytes, newest symbol $(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)"

# Without a folder to write to it does nothing at all.
env CUDA_INJECTION64_PATH="$library" REGENGINE_CUPTI="$build/fakes/cupti.so" \
  "$program" init play say alive >out 2>err ||
  fail "exit code $?"
[ "$(cat out)" = alive ] && [ ! -s err ] || fail "it is to be heard of"

# A folder that cannot be written to, or is gone, is nothing to the program. (A file in its place: root may write
# anywhere.)
echo 'kernel a 1000 2000' >records
: >file
for place in "$folder/gone" "$folder/file"; do
  env CUDA_INJECTION64_PATH="$library" REGENGINE_CUPTI="$build/fakes/cupti.so" \
    REGENGINE_FAKE_CUPTI=records REGENGINE_TRACE_DIR="$place" \
    "$program" init play say alive code 5 >out 2>err && fail "no exit code" || [ $? = 5 ] || fail "exit code"
  [ "$(cat out)" = alive ] && [ ! -s err ] || fail "it is to be heard of"
done

# No driver, no CUDA: an ordinary program never loads it.
expect 0 -e 'local run = reg.trace.run { shell = "cat /proc/self/maps" }
  print(run.stdout:find "regengine_inject", run.trace.ok, run.trace.why)'
said 'nil	false	no CUDA was initialized in the command'

# What is written for a run is gone after it, however it ends.
mkdir temporary
export TMPDIR="$folder/temporary"
expect 0 -e 'reg.trace.run { cmd = { "true" } }'
expect 2 -e 'reg.trace.run { cmd = { "no-such-program" } }'
launch -e 'reg.trace.run { shell = "echo > begun; sleep 1000" }'
begun() { [ -e begun ] && [ -n "$(ls temporary)" ]; }
interrupt_when begun
[ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
unset TMPDIR

# Installed, it is found; a binary that was copied alone says what it lacks.
cmake --install "$build" --prefix "$folder/prefix" >cmake.log 2>&1 || { cat cmake.log; fail "install"; }
trace="local run = reg.trace.run { cmd = { '$program', 'init', 'play' },
  env = { REGENGINE_CUPTI = '$build/fakes/cupti.so',
  REGENGINE_FAKE_CUPTI = 'records' } } print(run.trace.ok, #run.trace.kernels)"
engine=$folder/prefix/bin/regengine
says 0 'true	1' -e "$trace"
mkdir alone
cp "$engine" alone/
engine=$folder/alone/regengine
says 1 'tracing needs libregengine_inject.so, which is not beside' -e "$trace"
expect 0 -e 'local status = reg.trace.status() print(status.ok, status.message, status.hint)'
said 'false	tracing needs libregengine_inject.so' 'cmake --install'
