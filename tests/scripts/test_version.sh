#!/bin/sh
# cmake/Version.cmake: the version is that of the git tag, else of CHANGELOG.md; the program says it. And what it takes
# from glibc is in 2.28, or packaging/portable/older_glibc.c has it: so the wheel and the tarball can be built, which takes
# too long for every change.
. "$(dirname "$0")/lib.sh"

mkdir -p clone/cmake
cp "$source_root/cmake/Version.cmake" clone/cmake/
printf '# Changelog\n\n## 0.3.0\n\n- new\n\n## 0.2.1\n' >clone/CHANGELOG.md
cat >show.cmake <<'END'
include(clone/cmake/Version.cmake)
message(STATUS "${REGENGINE_VERSION} ${REGENGINE_RELEASE}")
END
version_is() {
  found=$(cmake -P show.cmake | sed -n 's/^-- //p')
  [ "$found" = "$1" ] || fail "the version is '$found', not '$1'"
}
commit() { git -C clone add . && git -C clone commit -q --allow-empty -m "$1"; }

# Not a repository, as a tarball of the source, and one without tags.
export GIT_CEILING_DIRECTORIES="$folder"
version_is "0.3.0 0.3.0"
git init -q clone
commit one
git -C clone tag nightly
version_is "0.3.0 0.3.0"

git -C clone tag v1.2.10
version_is "1.2.10 1.2.10"
commit two
commit three
version_is "1.2.10+2.g$(git -C clone rev-parse --short HEAD) 1.2.10"

printf 'nothing\n' >clone/CHANGELOG.md
git -C clone tag -d v1.2.10 >/dev/null
if cmake -P show.cmake >out 2>err; then fail "no version, and no error"; fi
noted "heading '## 1.2.3'"

# The program's own: three numbers first.
"$engine" --version | grep -qE '^regengine [0-9]+\.[0-9]+\.[0-9]+(\+[0-9]+\.g[0-9a-f]+)? ' || fail "$("$engine" --version)"

need objdump
! objdump -p "$engine" | grep -q 'NEEDED *lib[at]san' || skip "a sanitizer takes more"
objdump -T "$engine" | sed -nE 's/.*\(GLIBC_([0-9.]+)\) *(.*)/\1 \2/p' | sort -u >taken
[ "$(wc -l <taken)" -gt 100 ] || fail "objdump lists too little: $(cat taken)"
while read -r version name; do
  [ "$(printf '%s\n' "$version" 2.28 | sort -V | tail -n 1)" = 2.28 ] ||
    grep -qE "(OLD\(|__wrap_| )$name\>" "$source_root/packaging/portable/older_glibc.c" || fail "$name needs glibc $version"
done <taken
