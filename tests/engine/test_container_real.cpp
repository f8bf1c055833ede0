// Pulls by real docker and podman from a registry behind a proxy that hangs or is slow; what else they promise is in
// tests/lua/test_container.lua. tests/support/daemons starts them and says so in the environment.

#include "engine/container/cli.h"
#include "tests/support/unit.h"

using namespace reg::container;
namespace fs = std::filesystem;

namespace {

bool have(const char* name) {
  if (!variable(name).empty()) return true;
  if (variable("REGENGINE_REQUIRE_REAL") == "1") FAIL(name << " is not set: run under tests/support/daemons");
  WARN("SKIPPED: " << name << " is not set; tests/support/daemons run COMMAND starts what this test needs");
  return false;
}

// Calls `body(engine, image)` with docker and podman, which stop a pull that stands still for `stall_s`. The first
// `failures` layers of the image come as `mode` says.
template <class F>
void with_each(const char* failures, const char* mode, double stall_s, F body) {
  for (const std::string name : {"docker", "podman"}) {
    if (!have(name == "docker" ? "REGENGINE_TEST_DOCKER" : "REGENGINE_TEST_PODMAN")) continue;
    DYNAMIC_SECTION(name) {
      const TempFolder folder;
      setenv("XDG_STATE_HOME", folder.path().c_str(), 1);  // where pulled images are noted
      Loop loop;
      Guard guard{allow_all()};
      process::Command command;
      command.argv = {TEST_SUPPORT "/flaky_registry", variable("REGENGINE_TEST_REGISTRY"), folder.path(), failures,
                      mode};
      const auto proxy = process::run(loop, command);
      const std::string port = folder / "port";
      while (!fs::exists(port) && !proxy->done()) {
        bool woken = false;
        const auto wake = loop.after(0.02, [&] { woken = true; });
        loop.run_until([&] { return woken; });
      }
      const auto engine = std::make_shared<Cli>(loop, guard, Dialect(name), stall_s);
      body(loop, *engine, "127.0.0.1:" + std::string(trim(read_file(port))) + "/regengine/bare:1");
      proxy->cancel();
      loop.run_until([&] { return proxy->done(); });
    }
  }
}

}  // namespace

TEST_CASE("a pull that hangs is stopped, and held against the image if its registry answers") {
  with_each("1000", "hang", 3, [](Loop& loop, Cli& engine, const std::string& image) {
    const auto error = error_of([&] { wait_for(loop, engine.pull(image)); });
    CHECK(error.kind() == ErrorKind::not_found);
    CHECK_THAT(error.what(), contains("could not pull " + image) && contains("(no progress for ") &&
                                 contains("; its registry answers"));
  });
}

TEST_CASE("a pull that takes longer than one may stand still is not stopped while it comes") {
  static constexpr double stall_s = 12;  // it comes for 18 s, on a machine that may be busy
  with_each("1", "slow", stall_s, [](Loop& loop, Cli& engine, const std::string& image) {
    const auto started = std::chrono::steady_clock::now();
    wait_for(loop, engine.pull(image));
    CHECK(std::chrono::steady_clock::now() - started > std::chrono::duration<double>(stall_s));
    CHECK_FALSE(wait_for(loop, engine.inspect(image)).id.empty());
  });
}
