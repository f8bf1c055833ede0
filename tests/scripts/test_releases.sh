#!/bin/sh
# releases.lua on wheels of the test's own, with real uv: releases and nightlies, those that cannot be installed, the
# same version with other bytes, packages that move together, the limit of the cache.
. "$(dirname "$0")/lib.sh"
. "$source_root/tests/scripts/wheels.sh"
mkdir -p nothing/at/all && serve_by_default nothing # no name leads out of this machine

# Releases that cannot be installed, each with the reason.
release odd base 1.0 1
release odd base 2.0 1
for n in 0 1 2 6 7 9 10; do release odd fast "1.$n" "$([ $n -lt 6 ] && echo 100 || echo 80)"; done
echo "crashes on import" >odd/fast-1.2-py3-none-any.whl.yanked
echo sources >odd/fast-1.3.tar.gz
release odd fast 1.4 100 --tag cp311-cp311-win_amd64
release odd fast 1.5 100 --requires 'base>=2'
release odd fast 1.7 80 --claims 1.6
release odd fast 1.8 80 --python '>=3.99'
release odd fast 2.0rc1 80
serve_by_default odd
fast=$(speed_of fast)
releases 0 --package fast --from 1.0 --to 1.9 --with 'base<2' --every --test "$fast" --json
answer "answer.verdict == 'changes' and answer.changes[1].last_good == '1.1' and answer.changes[1].first_bad == '1.6'"
answer "answer.skipped == 6"
said "skipped 1.2 (could not be built): yanked: crashes on import"
said "skipped 1.3 (could not be built): Because fast==1.3 has no usable wheels"
said "skipped 1.4 (could not be built): Because fast==1.4 has no wheels with a matching platform tag"
said "skipped 1.5 (could not be built): Because fast==1.5 depends on base>=2"
said "skipped 1.7 (could not be built): asked for fast 1.7, got 1.6"
said "skipped 1.8 (could not be built): Because the current Python version"
! grep -q '^1\.[2-578]$' runs || fail "a release was measured that could not be installed"

# To the newest one; with pre-releases; what is known needs neither an environment nor a run.
releases 0 --package fast --from 1.9 --test "$fast" --json
answer "#answer.table == 2 and answer.table[2].label == '1.10'"
releases 0 --package fast --from 1.9 --pre --test "$fast" --json
answer "#answer.table == 3 and answer.table[3].label == '2.0rc1'"
rm -r .regengine/environments
runs_nothing releases 0 --package fast --from 1.9 --test "$fast" --json
expect 0 releases --package fast --from 1.0 --to 1.9 --test "python -c 'import fast, sys; sys.exit(fast.speed < 90)'"
said "REGRESSION   the test fails"

# A dry run installs nothing.
rm -rf .regengine
tells releases 0 "10 subjects, 1.0 to 1.9" --package fast --from 1.0 --to 1.9 --test "$fast" --dry-run
[ ! -e .regengine ] || fail "a dry run left something: $(find .regengine)"

# Nightlies of an index without upload times: two are missing, one lies, and one is replaced by another build.
night() { # DAY SPEED [OPTIONS...]
  day=$1 value=$2; shift 2
  release nights fast "2.0.0.dev202410$day+cpu" "$value" "$@"
}
for day in 01 02 05 07 08 09 10; do night $day "$([ ${day#0} -lt 8 ] && echo 100 || echo 80)"; done
night 06 100 --claims 1.9
serve_by_default nothing
serve nights --html
given nights 'releases --metric "speed: {number}" --package fast --from 2024-10-01 --to 2024-10-10 --index "$url" \
  --test "$fast" --every --json'
nights 0
answer "answer.changes[1].last_good:find '20241007' and answer.changes[1].first_bad:find '20241008'"
answer "answer.skipped == 1"
answer "#answer.missing == 2 and answer.missing[1] == '2024-10-03' and answer.missing[2] == '2024-10-04'"
said "no release for 2 days: 2024-10-03 to 2024-10-04"
said "skipped 2.0.0.dev20241006+cpu (could not be built): asked for fast 2.0.0.dev20241006+cpu, got 1.9"
releases 0 --package fast --from 2.0.0.dev20241005 --to 2.0.0.dev20241009 --pre --index "$url" --test "$fast" --json
answer "answer.changes[1].first_bad:find '20241008'"
: >runs
night 02 80
nights 0
grep -q 20241002 runs || fail "other bytes of the same version were not measured"
answer "answer.changes[1].first_bad:find '20241002' and answer.changes[1].recovered_at:find '20241005'"

# Two nights of one commit are one build.
for day in 01 02 03 04; do
  commit=$(printf "%040d" "$((${day#0} / 3))")
  release commits torchy "2.6.0.dev202410$day" "$((100 - 20 * (${day#0} / 3)))" --commit "$commit"
done
serve commits --html
: >runs
releases 0 --package torchy --from 2024-10-01 --to 2024-10-04 --index "$url" --test "$(speed_of torchy)"
said "2 days not run: the build is the same as that of another day."

# Packages that move together, and one that stays where it was.
for day in 01 02 03 04 05; do release pair lib "0.5.dev202410$day" "$([ ${day#0} -lt 3 ] && echo 100 || echo 70)"; done
for day in 01 02 03 05; do release pair app "0.5.dev202410$day" 1 --requires 'lib>=0.5.dev20241001'; done
serve pair --html
lib=$(speed_of lib)
releases 0 --package app --package lib --from 2024-10-01 --to 2024-10-05 --index "$url" --test "$lib" --json
answer "answer.changes[1].first_bad:find '20241003'"
releases 0 --package app --from 2024-10-01 --to 2024-10-05 --index "$url" --test "$lib" --json
answer "answer.verdict == 'no_change'"

# A wheel per commit of a repository, all of one version; one was never built.
numbered repo 6
for n in 1 2 3 5 6; do release "built/$(id_of repo c$n)" fast 3.0 "$([ $n -lt 5 ] && echo 100 || echo 80)"; done
serve built
releases 0 --wheel "${url%/simple}/files/{commit}/fast-3.0-py3-none-any.whl" --repo repo --from c1 --to c6 --every \
  --test "$fast" --json
answer "answer.changes[1].last_good == '$(id_of repo c3)' and answer.skipped == 1"

# Environments that are kept: as many as --keep says, the last ones.
rm -rf .regengine
serve pair
releases 0 --package lib --from 2024-10-01 --to 2024-10-05 --index "$url" --test "$lib" --every --keep 2
[ "$(find .regengine/environments -name complete | wc -l)" = 2 ] || fail "--keep 2 kept $(ls .regengine/environments)"

# Without uv, pip and venv do it.
export REGENGINE_UV=
serve_by_default odd
releases 0 --package fast --from 1.4 --to 1.6 --test "$fast" --json
answer "answer.changes[1].last_good == '1.5' and answer.changes[1].first_bad == '1.6' and answer.skipped == 1"
