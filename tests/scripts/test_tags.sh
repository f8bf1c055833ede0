#!/bin/sh
# nightly.lua with tags as registries have them: dates in other forms, commits, versions, lists of digests. From a real
# registry behind a proxy that sends lists of tags in pages.
. "$(dirname "$0")/lib.sh"
need_images

start_proxy 0 500
at_end="kill $proxy"

made() { # REPOSITORY: images of the lines of stdin, TAG CREATED MLUPS
  "$source_root/tests/support/made_images" "$REGENGINE_TEST_REGISTRY" regengine/busybox:1 "$1"
}
echo 'echo "MLUPS: $MLUPS"' >test.sh
tags() { # EXIT-CODE REPOSITORY[:TAG] OPTIONS...
  code=$1; image=$registry/$2; shift 2
  rm -rf .regengine/results.db*
  expect "$code" nightly --runtime $runtime --image "$image" --test test.sh --metric 'MLUPS: {number}' --exact --quiet \
    --network none --json "$@"
}
ordered() { # TAG...: the dry run lists these, in this order
  sed -n '/^  in this order/,/^  would take/p' out | awk '/^    / { print $1 }' >order
  [ "$(echo $(cat order))" = "$*" ] || { cat order; fail "the order is not: $*"; }
}
first_bad() {
  answer "#answer.changes == 1 and answer.changes[1].last_good == '$1' and answer.changes[1].first_bad == '$2'"
}

# Days without dashes, and months.
made tags/torch <<END >/dev/null
2.6.0.dev20241109-cuda12.4 2024-11-09T08:00:00Z 600
2.6.0.dev20241110-cuda12.4 2024-11-10T08:00:00Z 600
2.6.0.dev20241112-cuda12.4 2024-11-12T08:00:00Z 500
2.6.0-cuda12.4 2025-01-29T08:00:00Z 500
2.10.0-cuda12.4 2026-01-29T08:00:00Z 500
END
tags 0 'tags/torch:2.6.0.dev{date:%Y%m%d}-cuda12.4' --from 2024-11-08 --to 2024-11-12
first_bad 2024-11-10 2024-11-12
answer "#answer.missing == 2"
tags 2 'tags/torch:2.6.0.dev{date}-cuda12.4' --from 2024-11-08 --to 2024-11-12
complained "no image from 2024-11-08 to 2024-11-12"
complained "tags/torch:2.6.0.dev20241109-cuda12.4 exists: write {date:%Y%m%d} in place of {date}."
tags 0 'tags/torch:2.6.0.dev{date:%Y%m%d}-cuda12.4' --to 2024-11-12 --good-value 600
first_bad 2024-11-10 2024-11-12
made tags/ngc <<END >/dev/null
24.01-py3 2024-01-20T08:00:00Z 600
24.02-py3 2024-02-20T08:00:00Z 600
24.03-py3 2024-03-20T08:00:00Z 600
24.05-py3 2024-05-20T08:00:00Z 500
END
tags 0 'tags/ngc:{date:%y.%m}-py3' --from 2024-01-15 --to 2024-05-01
first_bad 24.03 24.05
answer "answer.missing[1] == '24.04' and answer.unit ~= 'night'"
tags 0 'tags/ngc:{date:%y.%m}-py3' --to 2024-05-01 --good-value 600
first_bad 24.03 24.05

# Versions, in more pages than one, and creation dates.
made tags/rocm <<END >/dev/null
rocm6.10.0-jax0.4.35-py3.10 2024-09-02T00:00:00Z 500
rocm6.2.3-jax0.4.35-py3.10 2024-09-03T00:00:00Z 500
rocm6.2.3-jax0.4.9-py3.10 2024-09-04T00:00:00Z 600
rocm6.2.3-jax0.4.35.dev3-py3.10 2024-09-01T00:00:00Z 600
latest 2024-09-04T00:00:00Z 600
buildcache 2024-09-04T00:00:00Z 600
rocm6.2.3-jax0.4.35rc1-py3.10 2024-09-05T00:00:00Z 500
END
before=$(grep -c 'tags/list' proxy/requests || true)
tags 0 tags/rocm --tags '^rocm[\d.]+-jax' --dry-run
[ $(($(grep -c 'tags/list' proxy/requests) - before)) = 2 ] || fail "the tags did not come in two pages"
ordered rocm6.2.3-jax0.4.9-py3.10 rocm6.2.3-jax0.4.35.dev3-py3.10 rocm6.2.3-jax0.4.35rc1-py3.10 \
  rocm6.2.3-jax0.4.35-py3.10 rocm6.10.0-jax0.4.35-py3.10
said "in this order, by version:"
tags 0 tags/rocm --tags '^rocm[\d.]+-jax'
first_bad rocm6.2.3-jax0.4.35.dev3-py3.10 rocm6.2.3-jax0.4.35rc1-py3.10
tags 0 tags/rocm --tags '^rocm.*py3.10$' --order created --dry-run
ordered rocm6.2.3-jax0.4.35.dev3-py3.10 rocm6.10.0-jax0.4.35-py3.10 rocm6.2.3-jax0.4.35-py3.10 \
  rocm6.2.3-jax0.4.9-py3.10 rocm6.2.3-jax0.4.35rc1-py3.10
said "2024-09-01 00:00 UTC"
tags 0 tags/rocm --tags '^rocm.*py3.10$' --order created --from 2024-09-02 --to 2024-09-03 --dry-run
ordered rocm6.10.0-jax0.4.35-py3.10 rocm6.2.3-jax0.4.35-py3.10
echo 'reproducible 1970-01-01T00:00:00Z 1' | made tags/rocm >/dev/null
tells tags 2 "reproducible was created on 1970-01-01, a fixed date" tags/rocm --tags . --order created --dry-run

# Commits, in the order of a repository or of their creation.
numbered repo 4
git -C repo checkout -q -b side c2
echo side >repo/side; commit repo side
git -C repo checkout -q main
for number in 1 2 3 4; do # created in another order
  echo "nightly-$(id_of repo c$number) 2024-03-0$((7 - number))T00:00:00Z $((number > 2 ? 500 : 600))"
done | made tags/sha >/dev/null
echo "nightly-$(id_of repo side) 2024-03-09T00:00:00Z 600" | made tags/sha >/dev/null
echo "nightly-cu12 2024-03-09T00:00:00Z 600" | made tags/sha >/dev/null
tags 0 'tags/sha:nightly-{sha}' --repo repo --dry-run
ordered $(for number in 1 2 3 4; do id_of repo c$number | cut -c 1-10; done)
noted "skipping 1 of 5 images, whose commits are not first parents on main in "
tags 0 'tags/sha:nightly-{sha}' --repo repo
first_bad "nightly-$(id_of repo c2)" "nightly-$(id_of repo c3)"
tags 0 'tags/sha:nightly-{sha}' --dry-run
ordered $(for name in c4 c3 c2 c1 side; do id_of repo $name | cut -c 1-10; done)
said "in this order, by creation date:"

# Two images of one day are two subjects.
made tags/dev <<END >/dev/null
nightly-dev-cu13-20260920-0f6761b5 2026-09-20T01:00:00Z 600
nightly-dev-cu13-20260921-ffff61b5 2026-09-21T01:00:00Z 600
nightly-dev-cu13-20260921-0f676111 2026-09-21T13:00:00Z 500
nightly-dev-cu13-20260922-0f676112 2026-09-22T01:00:00Z 500
nightly-dev-cu12-20260922-0f676112 2026-09-22T01:00:00Z 500
nightly-dev-cu13-20261322-0f676112 2026-09-22T01:00:00Z 500
END
tags 0 'tags/dev:nightly-dev-cu13-{date:%Y%m%d}-{sha}' --from 2026-09-20 --to 2026-09-22
first_bad nightly-dev-cu13-20260921-ffff61b5 nightly-dev-cu13-20260921-0f676111
said "  first bad   nightly-dev-cu13-20260921-0f676111   $registry/tags/dev:nightly-dev-cu13-20260921-0f676111@sha256:"
tags 0 'tags/dev:nightly-dev-cu13-{date:%Y%m%d}-{sha}' --from 2026-09-21 --to 2026-09-21 --dry-run
ordered nightly-dev-cu13-20260921-ffff61b5 nightly-dev-cu13-20260921-0f676111

# A tag that moves, by the digests that it had.
made tags/moving <<END >digests
nightly 2024-03-01T00:00:00Z 600
nightly 2024-03-02T00:00:00Z 601
nightly 2024-03-03T00:00:00Z 500
END
cut -d ' ' -f 2 digests >list
tags 0 tags/moving --images list --better higher
answer "answer.changes[#answer.changes].last_good == '$(sed -n 2p list)'"
said "  first bad   $(sed -n 3p list | cut -c 1-19)   $registry/tags/moving@$(sed -n 3p list)"
{ echo "# the last three"; sed "s|^|$registry/tags/moving@|" list; echo; } >names
fresh expect 0 nightly --runtime $runtime --images names --test test.sh --metric 'MLUPS: {number}' --exact --dry-run
ordered $(cut -c 1-19 list)
said "in this order, as listed:"
cut -d ' ' -f 1 digests >twice
expect 2 nightly --runtime $runtime --image "$registry/tags/moving" --images - --test test.sh --dry-run <twice
complained "listed twice: $registry/tags/moving:nightly"
printf '%s\nnone\n' "$(head -n 1 list)" >list
tells tags 0 "1 image not found: none" tags/moving --images list --dry-run

# A script from elsewhere sees the tags that it declared.
cat >foreign.lua <<END
reg.needs { container = "$registry/tags/dev:nightly-dev-cu13-{date:%Y%m%d}-{sha}" }
local o = { runtime = "$runtime" }
print(#reg.container.nights("$registry/tags/dev:nightly-dev-cu13-{date:%Y%m%d}-{sha}", o))
reg.container.nights("$registry/tags/dev:nightly-dev-{sha}", o)
END
"$engine" trust --forget "$folder"
tells alone 1 "not permitted: container=$registry/tags/dev" --allow "container=$registry/tags/dev:nightly-dev-cu13-*" \
  foreign.lua
[ "$(cat out)" = 4 ] || fail "a script from elsewhere did not see what it declared"
"$engine" trust "$folder"

# Bad input is said before anything runs.
tells tags 2 "no {date} in the image name" tags/dev
tells tags 2 "an image name with {date} needs the last date" 'tags/dev:x-{date}' --from 2024-03-01
tells tags 2 "not a valid part of an image name: '{day}'" 'tags/dev:x-{day}' --from 2024-03-01 --to 2024-03-01
tells tags 2 "exclude each other" 'tags/dev:x-{date}' --tags x --from 2024-03-01 --to 2024-03-01
tells tags 2 "not a valid regular expression" tags/dev --tags 'x('
tells tags 2 "no such images: $registry/tags/dev with tags nothing" tags/dev --tags nothing
tells tags 2 "could not list the tags of $registry/tags/none" tags/none --tags nothing
tells tags 2 "a range of dates needs dates" tags/dev --tags cu13 --from 2024-03-01
