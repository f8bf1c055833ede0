#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/library.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using reg::Error;
using reg::ErrorKind;
using reg::Library;
using reg::test::error_of;

namespace {

constexpr const char* kVariable = "REGENGINE_TEST_LIBRARY";

struct Named {
  explicit Named(const char* file) { setenv(kVariable, file, 1); }
  ~Named() { unsetenv(kVariable); }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
};

}  // namespace

TEST_CASE("library: loads the first name that exists, and calls its functions") {
  const Library math({"libno-such.so.9", "libm.so.6"}, kVariable, "install it");
  CHECK(math.name() == "libm.so.6");
  CHECK(math.get<double(double)>("sqrt")(16.0) == 4.0);
  CHECK(math.find<void()>("no_such_function") == nullptr);
  REQUIRE_THROWS_WITH(math.get<void()>("no_such_function"), contains("libm.so.6 has no no_such_function"));
}

TEST_CASE("library: a missing one reports why and what to do") {
  const Error error = error_of([] { Library({"libno-such.so.9", "libno-such.so.8"}, kVariable, "install it"); });
  CHECK(error.kind() == ErrorKind::unavailable);
  CHECK_THAT(error.what(), contains("libno-such.so.9"));
  CHECK(error.hint() == "install it");
}

TEST_CASE("library: the file that the environment names is the only one tried") {
  const Named named("/nowhere/libm.so.6");
  const Error error = error_of([] { Library({"libm.so.6"}, kVariable, "install it"); });
  CHECK_THAT(error.what(), contains("/nowhere/libm.so.6"));
  CHECK(error.hint() == "The environment variable REGENGINE_TEST_LIBRARY names it.");
}
