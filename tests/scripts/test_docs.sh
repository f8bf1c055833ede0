#!/bin/sh
# tests/scripts/test_docs.sh REGENGINE [PAGE...]: each command of the pages below docs and packaging prints what the page
# shows. tests/support/page.lua says which commands run, and what is compared. test_readme has the first two pages,
# test_docs_releases the longest.
. "$(dirname "$0")/lib.sh"
shift
need git make cc awk
export COLUMNS=120 NO_COLOR=1
mkdir bin
ln -s "$engine" bin/regengine
PATH=$folder/bin:$PATH
if [ $# != 1 ]; then  # two at a time
  [ $# != 0 ] || set -- $(cd "$source_root" && ls docs/*.md docs/how-to/*.md packaging/*.md packaging/*/*.md |
    grep -vE 'getting-started|pip-release')
  printf '%s\n' "$@" | xargs -P 2 -n 1 "$source_root/tests/scripts/test_docs.sh" "$engine"
  exit
fi

shows() {
  status=0
  rm -rf page
  mkdir -p page/home
  XDG_STATE_HOME=$folder/page/state "$engine" --trust "$source_root/tests/support/page.lua" "$engine" "$source_root" \
    "$1" "$folder/page" >out 2>err || status=1
  cat out err
  return $status
}
# A page may measure for less than a second: a machine that changes its speed then has another answer, once.
shows "$1" || { echo "$1: once more" && shows "$1"; }
