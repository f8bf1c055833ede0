#!/bin/sh
# regengine why runs commands that a store holds: without a question only those of the user's own investigations.
. "$(dirname "$0")/lib.sh"

why() { # CODE STORE OPTIONS...
  code=$1 store=$2; shift 2
  alone "$code" why --store "$store" --budget 5 "$@"
}
refused() { # STORE ID COMMAND
  why 1 "$1"
  noted "investigation $2 of $1 was not made by you on this machine" "$3" "Pass --yes"
  [ ! -e REACHED ] || fail "a command of somebody else ran: $1"
}

expect 0 ab --store own.db --budget 6 "sleep 0.01" "sleep 0.2"
for column in verdict options script_text; do cp own.db "$column.db"; done
why 0 own.db

# The same with another command, and a store whose answer is as it was but not its options.
sqlite3 verdict.db "UPDATE investigations SET verdict = replace(verdict, 'sleep 0.01', 'touch REACHED; sleep 0.01')"
refused verdict.db 1 "touch REACHED; sleep 0.01"
sqlite3 options.db "UPDATE investigations SET options = json_set(options, '$.metric', 'x {number}')"
refused options.db 1 "sleep 0.01"

# What a script from elsewhere stores is not the user's, though no permission is needed to store it.
cat >foreign.lua <<'END'
local store <close> = reg.store.open "foreign.db"
store:finish_investigation(store:begin { name = "ab" }, { commands = { "touch REACHED\n\n:", "sleep 0.2" } })
END
"$engine" trust --forget "$folder" >out
expect 0 foreign.lua
refused foreign.db 1 'touch REACHED\n\n:'

# Who has looked says so.
why 0 verdict.db --yes
[ -e REACHED ] || fail "--yes does not run it"
