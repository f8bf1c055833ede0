#!/bin/sh
# What a newcomer reads first: each command there prints what the page shows. test_docs has the other pages.
set -e
for page in README.md docs/getting-started.md; do "$(dirname "$0")/test_docs.sh" "$1" $page; done
