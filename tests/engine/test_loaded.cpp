#include <elf.h>

#include <cstring>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/process/command.h"
#include "engine/process/loaded.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
using process::build_id_of;
using process::Command;

namespace fs = std::filesystem;

namespace {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct Note {
  std::string name;
  unsigned type = NT_GNU_BUILD_ID;
  std::string contents;
};

std::string padded(std::string text, std::size_t alignment) {
  text.resize((text.size() + alignment - 1) / alignment * alignment);
  return text;
}

// A file with headers and one segment of notes, as a linker writes it.
std::string elf_of(const std::vector<Note>& notes, std::size_t alignment = 4) {
  std::string segment;
  for (const Note& note : notes) {
    const Elf64_Nhdr head{static_cast<unsigned>(note.name.size()), static_cast<unsigned>(note.contents.size()),
                          note.type};
    segment += padded(bytes_of(head) + note.name, alignment) + padded(note.contents, alignment);
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  Elf64_Phdr load{}, note{};
  load.p_type = PT_LOAD;
  note.p_type = PT_NOTE;
  note.p_offset = sizeof header + 2 * sizeof note;
  note.p_filesz = segment.size();
  note.p_align = alignment;
  return bytes_of(header) + bytes_of(load) + bytes_of(note) + segment;
}

const std::string kGnu("GNU\0", 4);

// A copy of a program of this machine; its path.
std::string copy_of(const std::string& program, const std::string& to) {
  fs::copy_file(process::find_in_absolute_folders(process::own_path(), program), to);
  return fs::canonical(to);
}

// What a shell line loaded from a folder.
std::map<std::string, std::string> loaded_by(const std::string& line, const std::string& folder) {
  Loop loop;
  Command command;
  command.argv = {"/bin/sh", "-c", line};
  command.loaded_below = {folder};
  const auto op = process::run(loop, command);
  loop.run_until([&] { return op->done(); });
  return op->take().loaded;
}

// The same where something must be seen, with ever longer times in place of TIME: a slow machine only takes longer.
std::map<std::string, std::string> seen_by(const std::string& line, const std::string& folder) {
  for (double time = 0.2;; time *= 2) {
    std::string timed = line;
    for (auto at = timed.find("TIME"); at != std::string::npos; at = timed.find("TIME"))
      timed.replace(at, 4, std::to_string(time));
    if (auto seen = loaded_by(timed, folder); !seen.empty()) return seen;
  }
}

}  // namespace

TEST_CASE("process: the build-id of a program is that of its GNU note") {
  const TempFolder folder;
  const auto id_in = [&](const std::string& bytes) {
    write_file(folder / "file", bytes);
    return build_id_of(folder / "file");
  };
  const Note id{kGnu, NT_GNU_BUILD_ID, std::string("\x01\xab\x00\xff", 4)};
  CHECK(id_in(elf_of({id})) == "01ab00ff");
  CHECK(id_in(elf_of({{kGnu, NT_GNU_ABI_TAG, std::string(16, 'x')}, {"Go", 4, "abc"}, id})) == "01ab00ff");
  CHECK(id_in(elf_of({{kGnu, NT_GNU_PROPERTY_TYPE_0, std::string(12, 'x')}, id}, 8)) == "01ab00ff");
  CHECK(id_in(elf_of({})).empty());
  CHECK(id_in(elf_of({{"FreeBSD", NT_GNU_BUILD_ID, "abcd"}})).empty());
  CHECK(id_in(elf_of({{kGnu, NT_GNU_BUILD_ID, std::string(65, 'x')}})).empty());
  CHECK(id_in("#!/bin/sh\n").empty());
  CHECK(id_in("").empty());
  CHECK(build_id_of(folder / "absent").empty());
  CHECK(build_id_of(folder.path()).empty());
}

TEST_CASE("process: a damaged file has a build-id or none, wherever it was cut or changed") {
  const TempFolder folder;
  const std::string whole = elf_of({{kGnu, NT_GNU_BUILD_ID, std::string(20, 'x')}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(folder / "file", whole.substr(0, size));
    CHECK(build_id_of(folder / "file").empty());
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = '\xff';
    write_file(folder / "file", changed);
    CHECK(build_id_of(folder / "file").size() <= 128);
  }
}

TEST_CASE("process: what a command and its children load from below a folder is noted with its build-id") {
  const TempFolder folder;
  fs::create_directory(folder / "tree");
  const std::string sleep = copy_of("sleep", folder / "tree/sleep");
  const std::string other = copy_of("sleep", folder / "other");
  const std::string tree = folder / "tree";
  const auto seen = seen_by(sleep + " TIME; " + other + " TIME", tree);
  REQUIRE(seen.size() == 1);
  CHECK(seen.begin()->first == sleep);
  const std::string id = build_id_of(sleep);
  CHECK(seen.begin()->second == (id.empty() ? "sha256:" + hash_of_path(sleep) : id));
  CHECK(loaded_by("sleep 0.1", tree).empty());

  // Without the note its contents stand for it; once they change, so does the id.
  std::string bytes = read_file(sleep);
  for (std::size_t at = bytes.find(kGnu); at != std::string::npos; at = bytes.find(kGnu, at)) bytes[at] = 'X';
  write_file(sleep, bytes, 0755);
  const auto hashed = seen_by("(exec " + sleep + " TIME)", tree);
  REQUIRE(hashed.size() == 1);
  CHECK(hashed.begin()->second == "sha256:" + hash_of_path(sleep));
  write_file(sleep, bytes + "more", 0755);
  CHECK(seen_by("exec " + sleep + " TIME", tree) != hashed);
}

TEST_CASE("process: a program that is removed while it runs, and one behind a symbolic link") {
  const TempFolder folder;
  fs::create_directory(folder / "tree");
  const std::string sleep = copy_of("sleep", folder / "tree/sleep");
  fs::create_directory_symlink(folder / "tree", folder / "link");
  CHECK(seen_by(folder / "link/sleep TIME", folder / "link").count(sleep) == 1);
  CHECK(loaded_by("cd " + (folder / "tree") + "; ./sleep 0.3 & sleep 0.1; rm sleep; wait", folder / "tree").empty());
}
