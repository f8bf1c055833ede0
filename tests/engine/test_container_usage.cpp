#include <sys/stat.h>

#include "engine/container/usage.h"
#include "tests/support/unit.h"

// What surrounds regengine-usage. tests/scripts/test_usage_program.sh runs the program, test_usage.sh in containers.

using namespace reg::container;
namespace fs = std::filesystem;

namespace {

// The current folder is one of its own.
struct Workspace {
  Workspace() { fs::current_path(folder.path()); }
  ~Workspace() { fs::current_path(before); }
  fs::path before = fs::current_path();
  TempFolder folder;
};

fs::perms permissions(const fs::path& path) { return fs::status(path).permissions() & fs::perms::mask; }

// The file of the only measurement in a folder, or the program.
fs::path file_in(const Mount& mount, bool program = false) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(mount.host))
    if (entry.path().filename().string().starts_with("regengine-usage") == program) found = entry.path();
  return found;
}

}  // namespace

TEST_CASE("every user in the container may run the program and write its file, whatever the umask") {
  Workspace workspace;
  const mode_t before = ::umask(0077);
  const Mount mount = usage_mount();
  {
    const Usage usage(mount);
    const auto run = fs::perms::others_read | fs::perms::others_exec;
    CHECK((permissions(mount.host) & run) == run);
    CHECK((permissions(file_in(mount, true)) & run) == run);
    const auto write = fs::perms::others_read | fs::perms::others_write;
    CHECK((permissions(file_in(mount)) & write) == write);
    CHECK((permissions(mount.host) & fs::perms::others_write) == fs::perms::none);
  }
  ::umask(before);
  CHECK(file_in(mount).empty());
  // Another program in its place gives way.
  write_file(file_in(mount, true).string(), "#!/bin/sh\n");
  usage_mount();
  CHECK(fs::file_size(file_in(mount, true)) > 1000);
}

TEST_CASE("what was not written is not measured") {
  Workspace workspace;
  const Mount mount = usage_mount();
  const Usage usage(mount);
  for (const char* text : {"", "started", "100 200", "100 200 300\n", "100 200 0 1 2 3 4\n", "1 2 x 4 5 6 7\n",
                           "-1 2 3 4 5 6 7\n", "1 2 x 3 4 5 6 7\n"}) {
    write_file(file_in(mount).string(), text);
    Result result;
    usage.read_into(result);
    INFO(text);
    CHECK_FALSE(result.measured);
    CHECK(result.peak_bytes == 0);
  }
  write_file(file_in(mount).string(), "1500000 250000 2048 300 4 50 6\n");
  Result result;
  usage.read_into(result);
  CHECK(result.measured);
  CHECK(result.user_s == Approx(1.5));
  CHECK(result.sys_s == Approx(0.25));
  CHECK((result.peak_bytes == 2097152 && result.minor_faults == 300 && result.major_faults == 4));
  CHECK((result.voluntary_switches == 50 && result.involuntary_switches == 6));
}

TEST_CASE(
    "what dead engines of this machine left is removed, and no others, nor where a link leads; no container gets "
    "that") {
  Workspace workspace;
  const std::string dead = ".regengine/usage/0000-1-2-3.abcd.", ours = ".regengine/usage/" + engine_id() + ".abcd.";
  for (const std::string& name : {dead + host_name(), dead + "elsewhere", ours + host_name()}) make_folders(name);
  usage_mount();
  CHECK_FALSE(fs::exists(dead + host_name()));
  CHECK(fs::exists(dead + "elsewhere"));
  CHECK(fs::exists(ours + host_name()));
  const TempFolder others;
  const std::string notes = "notes." + host_name();
  for (const std::string link : {".regengine", ".regengine/usage"}) {
    fs::remove_all(".regengine");
    if (link != ".regengine") make_folders(".regengine");
    for (const std::string& folder : {others / notes, others / ("usage/" + notes)}) make_folders(folder);
    fs::create_directory_symlink(others.path(), link);
    if (link == ".regengine")
      usage_mount();
    else
      CHECK(kind_of([] { usage_mount(); }) == ErrorKind::permission);
    for (const std::string& folder : {others / notes, others / ("usage/" + notes)}) CHECK(fs::exists(folder));
    fs::remove(link);
  }
}
