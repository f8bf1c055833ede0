#!/bin/sh
# The page that installs many releases of a package, which takes minutes; test_docs has the other pages.
exec "$(dirname "$0")/test_docs.sh" "$1" docs/how-to/pip-release.md
