#!/bin/sh
# A damaged store: each damaged trial is named and skipped, and everything else goes on. doctor finds the damage, and
# names the command that copies what can be read.
. "$(dirname "$0")/lib.sh"

sweep_of dozen.lua 12 :
expect 0 --quiet dozen.lua
cp .regengine/results.db sound.db
total=$(sqlite3 sound.db "SELECT count(*) FROM trials")
says 0 "sound.db: $total trials, nothing is damaged" doctor sound.db
rm -f sound.db-*

# --- Rows whose contents are damaged: text that is not JSON, a number that is a word, a status that is none.
sqlite3 .regengine/results.db "UPDATE trials SET info = '{\"machine\": broken' WHERE id = 3;
  UPDATE samples SET value = 'many' WHERE trial = 5; UPDATE trials SET status = 'fine' WHERE id = 7" >/dev/null
cp .regengine/results.db rows.db
expect 0 report --store rows.db
noted "rows.db: trial 3 is damaged and skipped: info: not valid JSON: error at byte" \
  "rows.db: trial 5 is damaged and skipped: a sample: not a number" \
  "rows.db: trial 7 is damaged and skipped: not a valid status: 'fine'"
[ "$(grep -c "is damaged" err)" = 3 ] || fail "a damaged trial is named more than once"
expect 0 share --store rows.db -o shared.md
says 0 $((total - 3)) -e 'print(reg.store.open("rows.db"):export "trials.jsonl")'
expect 0 -e 'for line in reg.fs.read("trials.jsonl"):gmatch "[^\n]+" do reg.json.decode(line) end'

expect 1 doctor rows.db
said "rows.db: $((total - 3)) trials, 3 damaged"
not_said ".recover"
for trial in 3 5 7; do noted "rows.db: trial $trial is damaged and skipped"; done

# The run goes on with what is sound, and measures the rest again.
before=$(lines_in runs)
expect 0 --quiet dozen.lua
[ $(($(lines_in runs) - before)) -ge 3 ] || fail "the damaged trials were not measured again"

# --- A page of the file that is overwritten.
expect 0 -e 'local store <close> = reg.store.open "pages.db"
  local id = store:begin { name = "many" }
  for i = 1, 300 do
    local trial = store:start { investigation = id, subject = "s" .. i, key = "k" .. i, config = { text = ("x"):rep(200) } }
    store:finish(trial.id, { status = "ok", samples = { v = i } })
  end'
page=$(sqlite3 pages.db "SELECT pageno FROM dbstat WHERE name = 'trials' AND pagetype = 'leaf' LIMIT 1 OFFSET 4" 2>/dev/null) ||
  skip "this sqlite3 cannot tell the pages of a table"
size=$(sqlite3 pages.db "PRAGMA page_size")
dd if=/dev/urandom of=pages.db bs="$size" seek=$((page - 1)) count=1 conv=notrunc 2>/dev/null
expect 0 -e 'local store <close> = reg.store.open "pages.db" print(#store:trials {})'
read_trials=$(cat out)
[ "$read_trials" -gt 250 ] && [ "$read_trials" -lt 300 ] || fail "$read_trials of 300 trials were read"
[ $((read_trials + $(grep -c "is damaged and skipped" err))) = 300 ] || fail "not every trial that is left out is named"
expect 1 doctor pages.db
said "pages.db: $read_trials trials, the file is damaged: "
said "Copy what can be read: sqlite3 pages.db .recover | sqlite3 pages.recovered.db"
says 2 "no such store: nowhere.db" doctor nowhere.db
# That of Debian 12 cannot recover, not even a sound store.
if sqlite3 sound.db .recover >/dev/null 2>&1; then
  sqlite3 pages.db .recover | sqlite3 pages.recovered.db
  says 0 "$read_trials trials, nothing is damaged" doctor pages.recovered.db
fi
