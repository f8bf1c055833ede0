#!/bin/sh
# How much of the standard library a strategy loads: what it does not use is loaded on first use. Lines of code are those that
# are neither empty nor only a comment.
. "$(dirname "$0")/lib.sh"

# A library whose modules say that they are loaded.
cp -r "$source_root/stdlib" library
find library -name '*.lua' | while read -r file; do
  name=${file#library/}
  sed -i "1s|^|print '[loads] $name' |;1s|--|\\n--|" "$file"
done

# MODULES LINES ARGUMENTS...: no more than that.
loads() {
  modules=$1 lines=$2; shift 2
  expect 0 --stdlib library "$@"
  sed -n 's/^.*\[loads\] //p' out | sort -u >loaded
  found=$(wc -l <loaded)
  code=$(cd "$source_root/stdlib" && xargs cat <"$folder/loaded" | grep -cvE '^[[:space:]]*(--.*)?$')
  echo "$1: $found modules, $code lines of code"
  [ "$found" -le "$modules" ] || fail "$1 loads $found modules, not at most $modules: $(tr '\n' ' ' <loaded)"
  [ "$code" -le "$lines" ] || fail "$1 loads $code lines, not at most $lines"
}

numbered repo 8 'echo "echo speed: $((number < 6 ? 100 : 80))" >test.sh'
loads 55 6500 bisect --repo repo --good c1 --bad c8 --test 'sh test.sh' --metric 'speed: {number}'
loads 54 6300 bisect --repo repo --good c1 --bad c8 --test 'sh test.sh | grep -q 100'
loads 52 5700 ab --metric 'time: {number} ms' 'echo time: 10 ms' 'echo time: 12 ms'

mkdir -p nights/jax-2024-03-01 nights/jax-2024-03-02
loads 54 6100 nightly --dry-run --runtime local --image "$folder/nights/jax-{date}" --from 2024-03-01 --to 2024-03-02 \
  --test repo/test.sh --metric 'speed: {number}'

cat >zip.lua <<'LUA'
return { name = "zip", workloads = { "gzip" }, command = function() return "gzip -c zip.lua >/dev/null" end }
LUA
loads 38 4200 suite --suite zip.lua --repeat 2
