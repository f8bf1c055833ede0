# A step of action.yml: checkouts of the base and of the pull request beside each other, both built.
set -euo pipefail
[ -n "$BASE" ] || { echo "::error::the event has no pull request; run this action on: pull_request"; exit 1; }
for side in base head; do
  if [ $side = base ]; then commit=$BASE; else commit=$HEAD; fi
  # actions/checkout fetches one commit unless it is told otherwise.
  git cat-file -e "$commit^{commit}" 2>/dev/null || git fetch -q --depth=1 origin "$commit"
  git worktree add -q --detach "$RUNNER_TEMP/$side" "$commit"
  if [ -n "$BUILD" ]; then
    echo "::group::build $side ($commit)"
    (cd "$RUNNER_TEMP/$side" && bash -euo pipefail -c "$BUILD")
    echo "::endgroup::"
  fi
done
