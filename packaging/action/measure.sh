# A step of action.yml: measures both checkouts, and writes $RUNNER_TEMP/answer and the verdict.
set -euo pipefail
PATH=$RUNNER_TEMP/regengine/bin:$PATH
answer=$RUNNER_TEMP/answer
mkdir -p "$RUNNER_TEMP/results"
cd "$RUNNER_TEMP/results"
eval "options=($OPTIONS)"  # the workflow's own text, quoted as in a shell

status=0
if [ -n "$SUITE" ]; then
  # The pull request's suite for both sides, so that what differs is the code.
  for side in base head; do
    (cd "$RUNNER_TEMP/$side" &&
      regengine --trust suite --suite "$RUNNER_TEMP/head/$SUITE" --output-dirname "$RUNNER_TEMP/results/$side" "${options[@]}")
  done
  regengine compare base head --min-effect "$MIN_EFFECT" --fail-on-regression --json >"$answer.json" || status=$?
  sed '$d' "$answer.json" >"$answer"
  ambiguous=$(tail -n 1 "$answer.json" | python3 -c 'import json, sys; print(json.load(sys.stdin)["ambiguous"])')
  if [ $status = 0 ] && [ "$ambiguous" != 0 ]; then status=3; fi
else
  [ -n "$TEST" ] || { echo "::error::pass test or suite"; exit 2; }
  regengine ab "cd '$RUNNER_TEMP/base' && { $TEST
}" "cd '$RUNNER_TEMP/head' && { $TEST
}" ${METRIC:+--metric "$METRIC"} --min-effect "$MIN_EFFECT" --fail-on-regression "${options[@]}" >"$answer" || status=$?
fi
cat "$answer"
case $status in
  0) verdict=passed ;;
  3) verdict=inconclusive ;;
  4) verdict=regression ;;
  *) exit $status ;;
esac
echo "verdict=$verdict" >>"$GITHUB_OUTPUT"
