#!/bin/sh
# tests/scripts/test_docs.sh REGENGINE [PAGE...]: each command of the pages below docs and packaging prints what the page
# shows. tests/support/page.lua says which commands run, and what is compared. test_readme has the first two pages,
# test_docs_releases the longest.
. "$(dirname "$0")/lib.sh"
shift
for tool in git make cc awk; do
  command -v $tool >/dev/null || skip "no $tool"
done
export COLUMNS=120 NO_COLOR=1
mkdir bin
ln -s "$engine" bin/regengine
PATH=$folder/bin:$PATH
pages=${*:-$(cd "$source_root" && ls docs/*.md docs/how-to/*.md packaging/*.md packaging/*/*.md | grep -vE 'getting-started|pip-release')}

shows() { # PAGE
  status=0
  rm -rf page
  mkdir -p page/home
  XDG_STATE_HOME=$folder/page/state "$engine" --trust "$source_root/tests/support/page.lua" "$engine" "$source_root" \
    "$1" "$folder/page" >out 2>err || status=1
  cat out err
  return $status
}

# A page may measure for less than a second: a machine that changes its speed then has another answer, once.
wrong=
for page in $pages; do
  shows "$page" || { echo "$page: once more" && shows "$page"; } || wrong="$wrong $page"
done
[ -z "$wrong" ] || { echo "FAILED:$wrong"; exit 1; }
