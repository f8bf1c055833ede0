#!/bin/sh
# What a newcomer reads first: each command there prints what the page shows. test_docs has the other pages.
exec "$(dirname "$0")/test_docs.sh" "$1" README.md docs/getting-started.md
