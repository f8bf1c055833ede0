#include <sys/stat.h>

#include <cstdlib>

#include "engine/base/file.h"
#include "engine/container/local_images.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

// LocalImages against scripts that stand in for docker and podman.

using namespace reg;
using reg::container::LocalImages;
using Names = std::vector<std::string>;

namespace {

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

struct World {
  // Asks until there is a first answer: a busy machine may start a program later than names() waits.
  Names first_names(LocalImages& images) {
    Names names;
    while (names.empty()) names = images.names();
    return names;
  }
  void program(const std::string& name, const std::string& script) const {
    write_file(folder / name, "#!/bin/sh\necho \"$*\" >>" + (folder / name) + ".asked\n" + script);
    chmod((folder / name).c_str(), 0755);
  }
  std::string asked(const std::string& name) const {
    return read_file_if_there(folder / (name + ".asked")).value_or("");
  }

  test::TempFolder folder;
  Variable path{"PATH", folder.path() + ":" + std::getenv("PATH")};
  Variable container_host{"CONTAINER_HOST", ""};
  Loop loop;
  Guard guard{allow_all()};
};

}  // namespace

TEST_CASE("local images: a remote docker is not asked, and podman is asked once") {
  World world;
  const Variable docker_host("DOCKER_HOST", "tcp://192.0.2.1:2375");
  world.program("docker", "echo docker:1");
  world.program("podman", "printf 'b:2\\na:1\\n<none>:<none>\\n'");
  LocalImages images(world.loop, world.guard);
  CHECK(world.first_names(images) == Names{"a:1", "b:2"});
  CHECK(images.names() == Names{"a:1", "b:2"});
  CHECK(world.asked("podman") == "images --format {{.Repository}}:{{.Tag}}\n");
  CHECK(world.asked("docker").empty());
}

TEST_CASE("local images: a local docker is asked at its socket, and a remote podman is not") {
  World world;
  const Variable docker_host("DOCKER_HOST", "unix:///tmp/docker.sock");
  const Variable container_host("CONTAINER_HOST", "ssh://192.0.2.1");
  world.program("docker", "echo docker:1");
  world.program("podman", "echo podman:1");
  LocalImages images(world.loop, world.guard);
  CHECK(world.first_names(images) == Names{"docker:1"});
  CHECK(world.asked("docker") == "--host unix:///tmp/docker.sock images --format {{.Repository}}:{{.Tag}}\n");
  CHECK(world.asked("podman").empty());
}

TEST_CASE("local images: an engine that fails has none") {
  World world;
  const Variable docker_host("DOCKER_HOST", "tcp://192.0.2.1:2375");
  world.program("podman", "echo a:1; exit 125");
  LocalImages images(world.loop, world.guard);
  while (world.asked("podman").empty()) CHECK(images.names().empty());
  for (int i = 0; i < 10; ++i) CHECK(images.names().empty());  // each waits until it has ended
}
