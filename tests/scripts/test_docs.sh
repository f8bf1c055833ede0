#!/bin/sh
# tests/scripts/test_docs.sh REGENGINE [PAGE...]: each command of README.md and of the pages below docs prints what the
# page shows. tests/support/page.lua says which commands run, and what is compared.
. "$(dirname "$0")/lib.sh"
shift
for tool in git make cc awk; do
  command -v $tool >/dev/null || skip "no $tool"
done
export COLUMNS=120 NO_COLOR=1
mkdir bin
ln -s "$engine" bin/regengine
PATH=$folder/bin:$PATH
pages=${*:-$(cd "$source_root" && echo README.md docs/*.md docs/how-to/*.md packaging/*.md packaging/*/*.md)}

wrong=
for page in $pages; do
  rm -rf page
  mkdir -p page/home
  XDG_STATE_HOME=$folder/page/state "$engine" --trust "$source_root/tests/support/page.lua" "$engine" "$source_root" \
    "$page" "$folder/page" >out 2>err || wrong="$wrong $page"
  cat out err
done
[ -z "$wrong" ] || { echo "FAILED:$wrong"; exit 1; }
