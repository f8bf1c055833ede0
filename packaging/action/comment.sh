# A step of action.yml: writes the answer into the job's summary and into one comment of the pull request, the same at each push.
set -euo pipefail
mark='<!-- regengine -->'
body=$RUNNER_TEMP/comment.md
{
  echo "$mark"
  echo "### Performance: \`${HEAD:0:10}\` against its base"
  echo
  echo '```'
  sed 's/```/` ` `/g' "$RUNNER_TEMP/answer"
  echo '```'
} >"$body"
cat "$body" >>"$GITHUB_STEP_SUMMARY"

comments=repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments
old=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1) || old=
if [ -n "$old" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" -F "body=@$body" >/dev/null
else
  gh api --method POST "$comments" -F "body=@$body" >/dev/null
fi || echo "::warning::the comment could not be written; the answer is in the job's summary. A pull request from a fork has a token that only reads."
