#include "engine/gpu/lease.h"
#include "tests/support/unit.h"

using namespace reg::gpu;

TEST_CASE(
    "gpu: a lock file that was removed is made again; a link in its place is refused, and nothing is written there") {
  const TempFolder folder;
  const std::string uuid = "GPU-" + random_id(16);
  LockFile removed = LockFile::open(uuid);
  std::filesystem::remove(removed.path());
  REQUIRE(removed.take());
  CHECK_FALSE(LockFile::open(uuid).take());  // all meet at one

  const std::string path = LockFile::open(uuid).path(), victim = folder / "victim";
  write_file(victim, "precious");
  const auto refused = [&] { return error_of([&] { LockFile::open(uuid); }).kind() == ErrorKind::permission; };
  std::filesystem::remove(path);
  std::filesystem::create_symlink(victim, path);
  CHECK(refused());
  std::filesystem::remove(path);
  std::error_code across_devices;
  std::filesystem::create_hard_link(victim, path, across_devices);
  if (!across_devices) CHECK(refused());
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK_FALSE(LockFile::open(uuid));
  CHECK(read_file(victim) == "precious");
  std::filesystem::remove(path);
}
