#!/bin/sh
# tests/scripts/test_portable.sh REGENGINE: what this build takes from glibc is in 2.28, or packaging/portable/older_glibc.c
# has it: so the wheel and the tarball can be built, which takes too long for every change.
. "$(dirname "$0")/lib.sh"
need objdump
! objdump -p "$engine" | grep -q 'NEEDED *lib[at]san' || skip "a sanitizer takes more"
objdump -T "$engine" | sed -nE 's/.*\(GLIBC_([0-9.]+)\) *(.*)/\1 \2/p' | sort -u >taken
[ "$(wc -l <taken)" -gt 100 ] || fail "objdump lists too little: $(cat taken)"
while read -r version name; do
  [ "$(printf '%s\n' "$version" 2.28 | sort -V | tail -n 1)" = 2.28 ] ||
    grep -qE "(OLD\(|__wrap_| )$name\>" "$source_root/packaging/portable/older_glibc.c" || fail "$name needs glibc $version"
done <taken
