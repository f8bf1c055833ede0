#include <filesystem>

#include "engine/artifact/compiled.h"
#include "engine/base/file.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
using artifact::hash_of_archive;
using artifact::hash_of_program;

namespace fs = std::filesystem;

namespace {

// A small ELF file with a section of code, a build-id, and data without contents; a small zip archive.
std::string seed(const std::string& name) { return read_file(TEST_SEEDS "/content/" + name); }

std::string with(std::string bytes, std::size_t at, char byte) {
  bytes.at(at) = byte;
  return bytes;
}

}  // namespace

TEST_CASE("artifact: the content of a program is its code and data, not its build-id") {
  const TempFolder folder;
  const auto hash = [&](const std::string& bytes) {
    write_file(folder / "file", bytes);
    return hash_of_program(folder / "file");
  };
  const std::string program = seed("program");
  constexpr std::size_t code = 64, build_id = 64 + 16 + 16, machine = 18;
  CHECK(hash(program).size() == 64);
  CHECK(hash(program) == hash(with(program, build_id, 'x')));
  CHECK(hash(program) != hash(with(program, code, '\xcc')));
  CHECK(hash(with(program, machine, '\xbe')).empty());  // for GPUs
  CHECK(hash("#!/bin/sh\n").empty());
  CHECK(hash(seed("wheel")).empty());
  CHECK(hash_of_program(folder / "absent").empty());
  CHECK(hash_of_program(folder.path()).empty());
}

TEST_CASE("artifact: the content of an archive is its files, not their times") {
  const TempFolder folder;
  const auto hash = [&](const std::string& bytes) {
    write_file(folder / "file", bytes);
    return hash_of_archive(folder / "file");
  };
  const std::string wheel = seed("wheel");
  const auto directory = wheel.find("PK\1\2");
  constexpr std::size_t time = 12, checksum = 16;
  CHECK(hash(wheel).size() == 64);
  CHECK(hash(wheel) == hash(with(wheel, directory + time, 'x')));
  CHECK(hash(wheel) != hash(with(wheel, directory + checksum, 'x')));
  CHECK(hash("PK").empty());
  CHECK(hash(seed("program")).empty());
}

TEST_CASE("artifact: a damaged file has a hash or none, wherever it was cut or changed") {
  const TempFolder folder;
  for (const char* name : {"program", "wheel"}) {
    const std::string whole = seed(name);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const std::string& bytes : {whole.substr(0, at), with(whole, at, '\xff')}) {
        write_file(folder / "file", bytes);
        CHECK(hash_of_program(folder / "file").size() % 64 == 0);
        CHECK(hash_of_archive(folder / "file").size() % 64 == 0);
      }
    }
  }
}

TEST_CASE("artifact: compiled files below a folder, by their first bytes or their names") {
  const TempFolder folder;
  fs::create_directories(folder / "deep/er");
  write_file(folder / "deep/er/program", seed("program"));
  write_file(folder / "deep/object", with(seed("program"), 16, 1));  // ET_REL
  write_file(folder / "x.whl", seed("wheel"));
  write_file(folder / "module_0001.jit_f.cpu_after_optimizations.txt", "HloModule jit_f");
  write_file(folder / "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt", "");
  write_file(folder / "script", "#!/bin/sh\n");
  fs::create_symlink("deep/er/program", folder / "link");
  fs::create_directory_symlink(".", folder / "loop");
  CHECK(artifact::compiled_files(folder.path()) ==
        std::vector<std::string>{"deep/er/program", "module_0001.jit_f.cpu_after_optimizations.txt", "x.whl"});
  CHECK_THROWS(artifact::compiled_files(folder / "absent"));
}
