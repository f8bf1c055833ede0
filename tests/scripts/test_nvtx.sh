#!/bin/sh
# The engine's own phases, as a tool that listens to NVTX hears them: nested, and each start with its end.
. "$(dirname "$0")/lib.sh"

numbered repo 8 '[ $number -ge 6 ] && echo bad >state || echo good >state'
given bisect 'bisect --repo repo --good c1 --bad c8 --build true --test' 'rm -rf .regengine/results.db* heard'

# Without a tool: nothing is written, and the answer is the same.
export REGENGINE_FAKE_NVTX="$folder/heard"
bisect 0 'grep -q good state'
[ ! -e heard ] || fail "something was written without a tool"
sed -n '/first bad/p' out >answer.without

[ -e "$REGENGINE_FAKES/nvtx_recorder.so" ] || skip "no NVTX recorder: it needs the CUDA Toolkit's nvtx3 headers"
export NVTX_INJECTION64_PATH="$REGENGINE_FAKES/nvtx_recorder.so"

# The ranges of ./heard: every one ended, and inside it lies what lies inside. A line each: the categories from the
# outermost one to it, and its text. Ranges of one task at a time are nested, so what is open when one starts is what is
# around it.
nesting() {
  awk -F '\t' '
    $1 == "start" { path = ""; for (i = 1; i <= depth; ++i) path = path category[open[i]] " > "
                    open[++depth] = $2; category[$2] = $4; print path $4 ": " $6 }
    $1 == "end"   { if (depth == 0 || open[depth] != $2) { print "out of order: end " $2; exit }
                    --depth }
    END           { if (depth > 0) print "never ended: " open[depth] }' heard >tree
  ! grep -E '^(out of order|never ended)' tree || fail "the ranges are not nested and complete"
}

bisect 0 'grep -q good state'
sed -n '/first bad/p' out | cmp -s - answer.without || fail "another answer with a tool"
nesting
head -n 1 heard | grep -q '^domain	regengine$' || fail "the phases are not in the domain regengine"
of_trial='^investigation > subject > trial'
matches tree '^investigation: commits$' '^investigation > subject: .*commit 1$|^investigation > subject: [0-9a-f]{7,}' \
  "$of_trial: trial [0-9]+\$" "$of_trial > checkout: $(short repo c1) in " \
  "$of_trial > build: true\$" "$of_trial > build > process: /bin/sh -c true\$" \
  "$of_trial > run: grep -q good state\$" "$of_trial > run > process: "
trials=$(ask_store "SELECT count(*) AS n FROM trials")
for phase in trial run; do
  [ "$(grep -c "> $phase: " tree)" = "$trials" ] || fail "not one $phase for each of the $trials trials"
done
# What is built is not built again for its next run.
built=$(grep -c '> build: ' tree)
[ "$built" = "$(grep -c '> checkout: ' tree)" ] || fail "not one build for each checkout"
[ "$built" -ge 5 ] && [ "$built" -lt "$trials" ] || fail "$built builds for $trials trials of 5 commits"

# A container of the local runtime, and a script that ends by an error: all that was begun is ended.
cat >error.lua <<'END'
reg.container.use { runtime = "local" }
reg.container.run { image = ".", cmd = { "true" } }
reg.sweep({ "a", "b" }, { title = "fails", measure = function() error("a defect of the script") end })
END
rm -f heard
expect 1 error.lua
nesting
matches tree "^container: $(pwd -P)\$" '^container > process: true$' '^investigation: fails$' "$of_trial: "

# Ctrl-C in the middle of a run.
rm -rf heard .regengine/results.db*
launch bisect --repo repo --good c1 --bad c8 --test "echo x >$folder/ready; sleep 4321"
interrupt_when there ready
nesting
matches tree '> run > process: '
