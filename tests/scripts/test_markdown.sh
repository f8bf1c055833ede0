#!/bin/sh
# A script from Markdown, as people paste and quote it: it runs like the file, and messages have the Markdown's lines.
. "$(dirname "$0")/lib.sh"

fence='```'
cat >script.lua <<'END'
#!/usr/bin/env regengine
--- Says what it was given.
local opt = reg.options {
  repo  = { "NAME=PATH", type = "string", list = true },
  from  = { "first night", type = "string", required = true },
  every = { "measure all", type = "boolean" },
}
local helper = require "helper"
print(table.concat(opt.repo, " "), opt.from, opt.every, helper.word(), math.random(1 << 40))
if opt.from == "fail" then error("it failed") end
END
write_issue() { # OPTIONS: an issue with the script and what it requires
  cat <<END
# It became slower

Look:

${fence}lua title=script.lua options=$1 seed=7
$(cat script.lua)
$fence

<details>
<summary>helper</summary>

${fence}lua module=helper
local M = {}
function M.word() if M.broken then error("broken") end return "helped" end
return M
$fence

</details>
END
}
write_issue '["--repo","a=1","--repo","b=2","--from","2024-03-01"]' >issue.md

# With the options it was reported with; one's own stand over them; the seed is the reported one.
says 0 "a=1 b=2	2024-03-01	false	helped" issue.md
noted "issue.md:6: reported with --repo a=1 --repo b=2 --from 2024-03-01"
cp out first
expect 0 issue.md
cmp -s out first || fail "other random numbers"
says 0 "a=1 b=3	2024-03-01	true	helped" issue.md --repo b=3 --every
says 0 "a=1 b=2 c=4	2024-04-01" issue.md --repo c=4 --from 2024-04-01
says 0 "plain	2024-03-01" issue.md --repo plain
expect 0 -q issue.md
[ ! -s err ] || fail "-q is not quiet"
says 0 "usage: regengine issue.md [options]" issue.md --help

# What was masked is asked for, all of it in one line.
write_issue '["--repo","a=<redacted>","--repo","b=2","--from","<redacted>/x"]' >masked.md
says 2 "masked.md: redacted when it was shared: --repo a=PATH --from PATH" masked.md
says 2 "when it was shared: --from PATH" masked.md --repo a=/src/a
says 0 "a=/src/a b=2	x" masked.md --repo a=/src/a --from x

# Words without an option are given all or none; one word may be optional.
cat >compare.lua <<'END'
local opt = reg.options { results = { "files", type = "string", list = true, words = true, required = true } }
print(table.concat(opt.results, " "))
END
{ printf '%slua options=["new.jsonl","<redacted>"]\n' "$fence"; cat compare.lua; echo "$fence"; } >compare.md
says 2 "compare.md: redacted when it was shared: new.jsonl PATH" compare.md
says 0 "a b" compare.md a b
cat >one.lua <<'END'
local opt = reg.options { name = { "whose", type = "string", words = true } }
print(opt.name)
END
says 0 nil one.lua
says 0 x one.lua x
says 2 "one.lua: takes only one NAME: 'x', 'y'" one.lua x y
says 0 "usage: regengine one.lua [options] [NAME]" one.lua --help
said "  [NAME] "

# A script that reads its words by itself has the reported ones, or one's own.
printf '%slua options=["one","two"]\nprint(...)\n%s\n' "$fence" "$fence" >words.md
says 0 "one	two" words.md
printf '%slua options=["one","<redacted>/x"]\nprint(...)\n%s\n' "$fence" "$fence" >masked_words.md
says 2 "masked_words.md: redacted when it was shared: one PATH" masked_words.md
says 0 "one	two" masked_words.md one two
expect 0 words.md three
[ "$(cat out)" = three ] || fail "not one's own words"

# Pasted, quoted, in a list, folded, from Windows, over standard input: the same script.
rm first
while read -r how command; do
  sh -c "$command" <issue.md >"$how.md"
  expect 0 "$how.md"
  [ -e first ] || cp out first
  cmp -s out first || fail "$how: another answer"
  expect 0 - <"$how.md"
  cmp -s out first || fail "$how over standard input: another answer"
done <<'END'
plain cat
quoted sed 's/^/> /'
twice sed 's/^/> > /'
listed sed '1s/^/- /; 2,$s/^\(.\)/  \1/'
numbered sed '1s/^/1. /; 2,$s/^/   /'
windows sed 's/$/\r/'
reply sed 's/^/> /; s/$/\r/'
END
(cat quoted.md; echo; cat plain.md) >both.md # an answer that quotes what it answers
expect 0 both.md

# A mistake is told with the Markdown's line, however the block lies in it.
for file in plain quoted windows numbered; do
  expect 1 $file.md --from fail
  noted "regengine: $file.md:15: it failed"
done
expect 1 issue.md --from fail
sed 's/M.broken/true/' issue.md >broken.md
expect 1 broken.md
noted "broken.md:23: broken"
sed 's/^print(/print((/' issue.md >ungrammatical.md
says 2 "ungrammatical.md:14:" ungrammatical.md

# Several blocks: which one is said, or asked for.
printf '%slua\n\n-- the first\nprint "one"\n%s\n%ssh\necho no\n%s\n~~~Lua\n#!/usr/bin/env regengine\nprint("two", ...)\n' \
  "$fence" "$fence" "$fence" "$fence" >several.MD
says 2 'several.MD has 2 lua blocks: 1 (line 2): -- the first; 2 (line 10): print("two", ...)' several.MD
says 0 "two	more" several.MD --block 2 more
expect 0 --block 1 several.MD
[ "$(cat out)" = one ] || fail "not the first block"
says 0 "two	--block	3" --block 2 several.MD --block 3 # the script's own
says 2 "has no lua block 3; it has 2" several.MD --block 3
says 2 "not a valid number: 'x'" several.MD --block x
says 2 "has no lua block 0" --block 0 several.MD
expect 2 issue.md --block 1
noted "comes before the script: regengine --block"
says 2 "not a Markdown file: 'script.lua'" --block 1 script.lua

# By another name than .md it is Markdown where it is no Lua.
printf 'words\n\n%slua\nprint "by its text"\n%s\n' "$fence" "$fence" >issue
says 0 "by its text" issue

# What is no script.
printf 'words\n\n    %slua\n    print(1)\n\n<!--\n%slua\nprint "hidden"\n%s\n-->\n' "$fence" "$fence" "$fence" >none.md
says 2 "none.md has no fenced lua block" none.md
printf '%slua options=[1]\nprint(1)\n%s\n' "$fence" "$fence" >wrong.md
says 2 "wrong.md:1: the options behind the fence are not a list of strings" wrong.md

# Lua over standard input stays Lua, with a fence in a comment or a mistake in it.
printf -- '--[[\n%slua\nprint(1)\n%s\n]]\nprint "lua"\n' "$fence" "$fence" >script
says 0 lua - <script
echo 'print((' >script
says 2 "stdin:2:" - <script

# Nothing of it drives the terminal: escapes in code, options and names are shown, not sent.
escape=$(printf '\033')
printf '%slua title=%s[1m options=["\\u001b[31m","\\u009b2J"]\nx = %s[31m = 1\n' "$fence" "$escape" "$escape" >evil.md
expect 2 evil.md
cat err >all
printf '%s\n%slua\n-- %s[2J\n' "$fence" "$fence" "$escape" >>evil.md
expect 2 evil.md
cat err >>all
printf '%slua options=[%s]\n' "$fence" "$escape" >evil.md
expect 2 evil.md
cat err >>all
! grep -qF "$escape" all || fail "an escape reached the terminal"
grep -qF "reported with '\\x1b[31m' '\\x9b2J'" all && grep -qF -- '-- \x1b[2J' all || fail "an escape is not shown"
