#include "engine/nvtx/domain.h"
#include "engine/nvtx/phase.h"
#include "tests/support/catch.h"

using reg::nvtx::Domain;

// What a tool hears is tested with a tool, in tests/lua/test_nvtx.lua and tests/scripts/test_nvtx.sh: NVTX looks for
// one once in a process.

TEST_CASE("nvtx: without a tool all of it may be called, and does nothing") {
  REQUIRE_FALSE(reg::nvtx::attached());  // unless the tests are run under nsys
  Domain& domain = Domain::named("tests");
  CHECK(domain.category("io") == 0);
  domain.mark({.text = "mark", .argb = 0xff000000, .payload = 1.5});
  CHECK(domain.start({.text = "range", .payload = std::int64_t{1}}) == 0);
  domain.end(0);
  domain.push({.text = "push"});
  domain.pop();
  const reg::nvtx::Phase phase("checkout", "a phase");
}

TEST_CASE("nvtx: the status says why nothing is recorded, and what would help") {
  const reg::Presence& status = reg::nvtx::status();
  CHECK(status.ok == reg::nvtx::attached());
  CHECK(status.ok == status.message.empty());
  CHECK(status.ok == status.hint.empty());
}

TEST_CASE("nvtx: a name is one domain") {
  CHECK(&Domain::named("one") == &Domain::named("one"));
  CHECK(&Domain::named("one") != &Domain::named("two"));
  CHECK(&Domain::named("") == &Domain::named(""));
}
