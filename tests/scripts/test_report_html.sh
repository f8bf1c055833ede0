#!/bin/sh
# The report of a real bisect, in a real Chromium: it loads without network and errors, the points are there and lead to
# their trials, it follows dark mode and narrow screens, and it prints. Nothing in it runs.
. "$(dirname "$0")/lib.sh"
need git chromium python3
page() { python3 "$source_root/tests/scripts/chromium_page.py" "$@" >out || fail "chromium: $*"; }

# Twenty commits: one is slower and has a message that would like to be more than text, one does not build.
git init -q -b main repo
evil='<img src=x onerror="document.title=1"> slower & <script>document.title=2</script>'
for i in $(seq 1 20); do
  number=$((i < 13 ? 600 + i % 2 : 540 + i % 2))
  echo "echo MLUPS: $number" >repo/bench
  echo "$i" >repo/file
  [ $i != 15 ] || echo broken >repo/broken
  [ $i != 16 ] || rm repo/broken
  if [ $i = 13 ]; then commit repo "$evil"; else commit repo "commit $i"; fi
done
build='test ! -e broken || { printf "\033[31merror:\033[0m <b>broken</b>\n"; exit 1; }'
expect 0 bisect --repo repo --good main~19 --bad main --build "$build" --test 'sh ./bench' \
  --metric 'MLUPS: {number}' --quiet
culprit=$(id_of repo main~7)

says 0 "MLUPS fell by" report -o page.html
said "report: page.html"
[ "$(grep -c '<script' page.html)" = "$(grep -c '</script>' page.html)" ] || fail "script elements do not match"
holds page.html "$culprit" '&lt;img src=x onerror=&quot;' 'Ann &lt;' '2 files changed: bench (+1 -1), file (+1 -1)'

# It loads, asks for nothing, complains of nothing; the points are drawn, each with what is known of its subject, and
# leads to its trial in the table.
colour="getComputedStyle(document.querySelector('circle.point')).fill"
paper="getComputedStyle(document.body).backgroundColor"
place="(() => { const at = document.querySelector('circle.point').getBoundingClientRect();
  return [at.left + 4, at.top + 4]; })()"
page page.html --script "$colour" --script "$paper" --script "document.title" \
  --script "[document.images.length, document.scripts.length, document.querySelectorAll('h1').length]" \
  --script "[...document.querySelectorAll('a title')].map(e => e.textContent).find(t => t.startsWith('$(echo "$culprit" |
    cut -c 1-10)'))" --script "document.querySelectorAll('text.failed').length"
answer "#answer.console == 0 and #answer.requests == 0"
answer "answer.values[1] == 'rgb(0, 103, 168)' and answer.values[2] == 'rgb(255, 255, 255)'"
answer "answer.values[3]:find('^MLUPS fell by') and answer.values[6] == $(grep -o 'text class="failed"' page.html | wc -l)"
answer "answer.values[6] >= 1"
answer "answer.values[4][1] == 0 and answer.values[4][2] == 0 and answer.values[4][3] == 1"
answer "answer.values[5]:find('54[01]') and answer.values[5]:find('<img src=x onerror=', 1, true) and
  answer.values[5]:find('2024-03-01 10:13 UTC', 1, true)"
page page.html --click "$place" --script "location.hash" \
  --script "document.querySelector(':target').getClientRects().length"
answer "#answer.console == 0 and answer.values[1]:find('^#trial%-%d+%-%d+$') and answer.values[2] == 1"

# Dark where the system is dark: the paper and the points; white on paper.
page page.html --dark --script "$colour" --script "$paper" --pdf page.pdf
answer "answer.values[1] == 'rgb(99, 179, 237)' and answer.values[2] == 'rgb(20, 24, 29)' and #answer.console == 0"
[ "$(head -c 4 page.pdf)" = %PDF ] || fail "no PDF"
holds page.html "@media screen and (prefers-color-scheme: dark)" # not on paper

# On a phone nothing is wider than the screen.
page page.html --width 360 --script "document.documentElement.scrollWidth" \
  --script "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 361 &&
    !e.closest('.scroll')).length"
answer "answer.values[1] <= 360 and answer.values[2] == 0"

# The page's own policy lets nothing else run, load or be sent, whatever got into it.
page page.html --script "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';
    document.body.append(s);
    document.body.insertAdjacentHTML('beforeend',
      '<img src=\"http://192.0.2.1/x.png\" onerror=\"window.ran = 2\"><p onclick=\"window.ran = 3\" id=p>');
    document.getElementById('p').click(); return typeof window.ran; })()" \
  --script "fetch('http://192.0.2.1/').then(() => 'sent', () => 'refused')" --script "typeof window.ran"
answer "answer.values[1] == 'undefined' and answer.values[2] == 'refused' and answer.values[3] == 'undefined'"

# A store whose every text would like to be more than text, of a sweep that was killed: a page like any other.
"$engine" -e "
  local evil = '</script><script>document.title=1</script><img src=x onerror=\"document.title=2\">\27[31m\\u{202e}'
  local store <close> = reg.store.open 'evil.db'
  local id = store:begin { name = evil, script = evil, text = evil, options = { [evil] = evil },
    facts = { [evil] = evil } }
  for i = 1, 9 do
    local trial = store:start { investigation = id, subject = evil .. i, kind = evil, key = tostring(i),
      config = { metric = evil } }
    reg.fs.write(trial.folder .. '/OUT', evil)
    local failed = i == 5 and { status = 'crashed', message = evil }
    store:finish(trial.id, failed or { status = 'ok', samples = { [evil] = { i, i + 0.5 } }, env = { [evil] = evil },
      info = { [evil] = evil } })
  end"
says 0 "No answer yet, 9 trials" report --store evil.db --output evil.html
page evil.html --script "document.querySelector('.failed title').textContent" --script "document.title" \
  --script "[document.images.length, document.scripts.length]"
answer "#answer.console == 0 and #answer.requests == 0 and answer.values[2]:find('^No answer yet') and
  answer.values[3][1] == 0"
answer "answer.values[3][2] == 0 and answer.values[1]:find('crashed') and not answer.values[1]:find('\u{202e}')"

# An engine that was killed in the middle: what it had measured is there, and what it was at.
sweep_of killed.lua 4 '[ $subject != s4 ] || { echo at it; kill -9 $PPID; }' 'title = "killed", metric = "ms",'
expect 137 killed.lua --quiet
says 0 "No answer yet, 4 trials" report killed -o killed.html
holds killed.html "it was stopped, is still running, or" "at it" '<title>s4: interrupted'

# Where the page is written.
mkdir elsewhere
expect 0 report -o "$PWD/elsewhere/report.html"
[ -s elsewhere/report.html ] || fail "no report where a whole path says"
within elsewhere 0 report --store ../.regengine/results.db -o ../beside.html
[ -s beside.html ] || fail "no report beside it"
[ "$(ls -A elsewhere)" = report.html ] || fail "a report left something: $(ls -A elsewhere)"
expect 0 report -oshort.html
[ -s short.html ] || fail "no report where a short option says"
expect 0 report 1 --output other.html --dry-run
[ ! -e other.html ] || fail "a dry run wrote"
