#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/container/checks.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

// The names that patterns are held against.

using namespace reg;
using reg::test::TempFolder;
using Names = std::vector<std::string>;

namespace {

bool knows(const Need& need, const std::string& name) {
  return std::find(need.names.begin(), need.names.end(), name) != need.names.end();
}

}  // namespace

TEST_CASE("needs of a container: an image is known in full and in short, with and without its tag") {
  CHECK(container::need_of_image("busybox").names ==
        Names{"busybox", "busybox", "docker.io/library/busybox:latest", "docker.io/library/busybox"});
  const Need jax = container::need_of_image("ghcr.io/nvidia/jax:jax-2024-03-01");
  CHECK(jax.names ==
        Names{"ghcr.io/nvidia/jax:jax-2024-03-01", "ghcr.io/nvidia/jax:jax-2024-03-01", "ghcr.io/nvidia/jax"});
  CHECK(knows(container::need_of_image("127.0.0.1:5000/a/b:1"), "127.0.0.1:5000/a/b"));
  const std::string digest = "@sha256:" + std::string(64, 'a');
  CHECK(knows(container::need_of_image("a/b" + digest), "docker.io/a/b" + digest));
}

TEST_CASE("real paths: links are followed also to where nothing is yet, and a ring of them is an error") {
  namespace fs = std::filesystem;
  const TempFolder folder;
  fs::create_directory(folder / "outside");
  fs::create_directory(folder / "work");
  fs::create_symlink("../outside/new", folder / "work/dangling");
  fs::create_symlink("dangling", folder / "work/twice");
  fs::create_symlink("ring", folder / "work/ring");
  const std::string root = fs::canonical(folder / "");
  const auto below = [&](const std::string& path) { return (fs::path(root) / path).string(); };
  CHECK(real_path(folder / "work/dangling") == below("outside/new"));
  CHECK(real_path(folder / "work/twice") == below("outside/new"));
  CHECK(real_path(folder / "work/new/x") == below("work/new/x"));
  CHECK(real_path("/") == "/");
  CHECK_THROWS_AS(real_path(folder / "work/ring"), Error);
}
