#!/bin/sh
# A damaged store: each damaged trial is named and left out, and everything else goes on. doctor finds the damage, and
# repair writes a copy without it.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip "no sqlite3"

cat >dozen.lua <<'END'
local opt = reg.options {}
local subjects = {}
for i = 1, 12 do subjects[i] = "s" .. i end
return reg.answer(reg.sweep(subjects, { every = true, into = opt.store, config = { test = "dozen" }, measure = function(subject, trial)
  trial:run { shell = "echo " .. subject .. " >>runs" }
  return 100
end }))
END
expect 0 --quiet dozen.lua
cp regengine.db sound.db
total=$(sqlite3 sound.db "SELECT count(*) FROM trials")
expect 0 doctor sound.db
said "sound.db: $total trials, nothing is damaged"
rm -f sound.db-*

# --- Rows whose contents are damaged: text that is not JSON, a number that is a word, a status that is none.
sqlite3 regengine.db "UPDATE trials SET info = '{\"machine\": broken' WHERE id = 3;
  UPDATE samples SET value = 'many' WHERE trial = 5; UPDATE trials SET status = 'fine' WHERE id = 7" >/dev/null
cp regengine.db rows.db
expect 0 report --store rows.db
for damage in "trial 3 is damaged and skipped: info: not valid JSON: error at byte" \
  "trial 5 is damaged and skipped: a sample: not a number" "trial 7 is damaged and skipped: not a valid status: 'fine'"; do
  grep -qF "rows.db: $damage" err || fail "the report does not say: $damage"
done
[ "$(grep -c "is damaged" err)" = 3 ] || fail "a damaged trial is named more than once"
expect 0 share --store rows.db -o shared.md
expect 0 -e 'print(reg.store.open("rows.db"):export "trials.jsonl")'
said $((total - 3))
expect 0 -e 'for line in reg.fs.read("trials.jsonl"):gmatch "[^\n]+" do reg.json.decode(line) end'

expect 1 doctor rows.db
said "damaged  trial 3: info: not valid JSON"
said "damaged  trial 5: a sample: not a number"
said "damaged  trial 7: not a valid status: 'fine'"
said "Write a repaired copy: regengine repair rows.db"
sum=$(cksum <rows.db)
mkdir elsewhere
ln -s elsewhere/new.db rows.repaired.db
expect 1 repair rows.db
complained "rows.repaired.db is there already"
[ ! -e elsewhere/new.db ] || fail "repair wrote where a link leads"
rm rows.repaired.db
expect 0 repair rows.db
said "skipped  trial 3: info: not valid JSON"
said "rows.repaired.db: $((total - 3)) trials"
[ "$(cksum <rows.db)" = "$sum" ] || fail "repair changed the damaged store"
expect 1 repair rows.db
complained "rows.repaired.db is there already"
expect 0 doctor rows.repaired.db
said "nothing is damaged"
sqlite3 sound.db "SELECT t.id, uid, key, status, folder, value FROM trials t JOIN samples ON trial = t.id WHERE t.id NOT IN (3, 5, 7)" >wanted
sqlite3 rows.repaired.db "SELECT t.id, uid, key, status, folder, value FROM trials t JOIN samples ON trial = t.id" >copied
diff wanted copied || fail "the copy lacks trials, or changed them"

# The run goes on with what is sound, and measures the rest again.
before=$(lines_in runs)
expect 0 --quiet dozen.lua
[ $(($(lines_in runs) - before)) -ge 3 ] || fail "the damaged trials were not measured again"
expect 0 --quiet dozen.lua --store rows.repaired.db

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
expect 0 repair pages.db
said "pages.repaired.db: $read_trials trials"
expect 0 doctor pages.repaired.db
said "$read_trials trials, nothing is damaged"
expect 2 repair nowhere.db
complained "no such store: nowhere.db"
expect 2 repair
complained "repair takes one store"
echo "only the damage is lost"
