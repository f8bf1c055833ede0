#include <chrono>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/container/cli.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"
#include "tests/support/real.h"

// Pulls by real docker and real podman from a registry behind a proxy that hangs or is slow.

using namespace reg;
using namespace reg::container;
using reg::test::error_of;

namespace {

// Of a hanging pull, and of one that goes on for 18 s on a machine that may be busy.
constexpr double kStall_s = 3, kLongStall_s = 12;

struct World {
  World() { setenv("XDG_STATE_HOME", folder.path().c_str(), 1); }  // where pulled images are noted
  ~World() {
    if (!proxy) return;
    proxy->cancel();
    loop.run_until([&] { return proxy->done(); });
  }

  template <class T>
  T wait(Op<T> op) {
    loop.run_until([&] { return op->done(); });
    return op->take();
  }

  // Of the registry behind a proxy whose first `failures` layers come as `mode` says.
  std::string image(const std::string& failures, const std::string& mode) {
    process::Command command;
    command.argv = {TEST_SUPPORT "/flaky_registry", test::variable("REGENGINE_TEST_REGISTRY"), folder.path(), failures,
                    mode};
    proxy = process::run(loop, command);
    const std::string port = folder / "port";
    loop.run_until([&, wake = std::shared_ptr<void>()]() mutable {
      wake = loop.after(0.02, [] {});
      return std::filesystem::exists(port) || proxy->done();
    });
    return "127.0.0.1:" + std::string(trim(read_file(port))) + "/regengine/bare:1";
  }

  std::shared_ptr<Cli> runtime(const std::string& name, double stall_s) {
    return std::make_shared<Cli>(loop, guard, Dialect::of(name), stall_s);
  }

  test::TempFolder folder;
  Loop loop;
  Guard guard{allow_all()};
  Op<process::Outcome> proxy;
};

template <class F>
void with_each(F body) {
  test::with_each_engine([&](const std::string& name) {
    World world;
    body(world, name);
  });
}

}  // namespace

TEST_CASE("a pull that hangs is stopped, and held against the image if its registry answers") {
  with_each([](World& world, const std::string& name) {
    const std::string image = world.image("1000", "hang");
    const auto error = error_of([&] { world.wait(world.runtime(name, kStall_s)->pull(image)); });
    CHECK(error.kind() == ErrorKind::not_found);
    const std::string what = error.what();
    INFO(what);
    CHECK(what.find("could not pull " + image) != std::string::npos);
    CHECK(what.find("(no progress for ") != std::string::npos);
    CHECK(what.ends_with("; its registry answers"));
  });
}

TEST_CASE("a pull that takes longer than one may stand still is not stopped while it comes") {
  with_each([](World& world, const std::string& name) {
    const std::string image = world.image("1", "slow");
    const auto runtime = world.runtime(name, kLongStall_s);
    const auto started = std::chrono::steady_clock::now();
    world.wait(runtime->pull(image));
    CHECK(std::chrono::steady_clock::now() - started > std::chrono::duration<double>(kLongStall_s));
    CHECK_FALSE(world.wait(runtime->inspect(image)).id.empty());
  });
}
