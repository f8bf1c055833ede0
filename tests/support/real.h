#pragma once

#include "tests/support/unit.h"

// Tests with real container engines. tests/support/daemons starts them and says so in the environment.

namespace reg::test {

/// Whether the part of the real world that `variable_name` announces is here. Where it is not the test says so and is
/// to return; CI (REGENGINE_REQUIRE_REAL=1) lets none be missing.
inline bool have(const char* variable_name) {
  if (!variable(variable_name).empty()) return true;
  if (variable("REGENGINE_REQUIRE_REAL") == "1") FAIL(variable_name << " is not set: run under tests/support/daemons");
  WARN("SKIPPED: " << variable_name << " is not set; tests/support/daemons run COMMAND starts what this test needs");
  return false;
}

/// Runs `body(name)` with each real container engine; a missing one is skipped loudly.
template <class F>
void with_each_engine(F body) {
  if (!have("REGENGINE_TEST_IMAGE")) return;
  for (const std::string name : {"docker", "podman"}) {
    if (!have(name == "docker" ? "REGENGINE_TEST_DOCKER" : "REGENGINE_TEST_PODMAN")) continue;
    DYNAMIC_SECTION(name) { body(name); }
  }
}

}  // namespace reg::test
