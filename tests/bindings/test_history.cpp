#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "bindings/program/history.h"
#include "engine/base/file.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using reg::History;
using reg::test::TempFolder;

namespace {

std::string file_in(const TempFolder& folder) { return folder.path() + "/below/history"; }

// Another prompt that types `count` entries "NAME 0", "NAME 1", ...
pid_t type(const std::string& file, const std::string& name, int count, std::size_t most) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  for (int i = 0; i < count; ++i) {
    History history(file, most);  // opening it may shorten the file
    history.add(name + " " + std::to_string(i));
  }
  _exit(0);
}

}  // namespace

TEST_CASE("history: multi-line entries are read back unchanged") {
  for (const std::string entry : {"x = 1", "for i = 1, 2 do\n\tprint 'a\\n'\nend", "\\", "\\101", "é \\\\n"})
    CHECK(reg::history_entry(reg::history_line(entry)) == entry);
  CHECK(reg::history_line("a\nb") == "a\\nb");
}

TEST_CASE("history: survives the session, readable only by its owner") {
  const TempFolder folder;
  {
    History history(file_in(folder), 100);
    CHECK(history.entries().empty());
    for (const char* entry : {"one", "two\nlines", "two\nlines", "  ", "one"}) history.add(entry);
  }
  CHECK(History(file_in(folder), 100).entries() == std::vector<std::string>{"one", "two\nlines", "one"});
  struct stat status {};
  REQUIRE(stat(file_in(folder).c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("history: a link is not followed") {
  const TempFolder folder;
  const std::string other = folder.path() + "/other", linked = folder.path() + "/history";
  reg::write_file(other, "precious\n");
  std::filesystem::create_symlink(other, linked);
  History history(linked, 1);
  CHECK(history.entries().empty());
  history.add("typed");
  CHECK(reg::read_file(other) == "precious\n");
  struct stat status {};
  REQUIRE(stat(other.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) != 0600);
}

TEST_CASE("history: a truncated line damages no other") {
  const TempFolder folder;
  History(file_in(folder), 100).add("first");
  reg::append_file(file_in(folder), "broken o");
  History(file_in(folder), 100).add("next");
  CHECK(History(file_in(folder), 100).entries() == std::vector<std::string>{"first", "broken o", "next"});
}

TEST_CASE("history: keeps only the newest entries once there are twice as many") {
  const TempFolder folder;
  for (int i = 0; i < 25; ++i) History(file_in(folder), 10).add(std::to_string(i));
  const History history(file_in(folder), 10);
  CHECK(history.entries().size() == 10);
  CHECK(history.entries().back() == "24");
  const std::string text = reg::read_file(file_in(folder));
  CHECK(std::count(text.begin(), text.end(), '\n') < 25);
}

TEST_CASE("history: several prompts at once lose no entries, even while one shortens the file") {
  const TempFolder folder;
  constexpr int kEach = 150;
  History(file_in(folder), 1000).add("begin");
  std::vector<pid_t> typists;
  for (const char* name : {"a", "b", "c"}) typists.push_back(type(file_in(folder), name, kEach, 300));
  for (const pid_t pid : typists) {
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
  }
  const auto kept = History(file_in(folder), 1000).entries();
  const auto has = [&](const std::string& entry) { return std::find(kept.begin(), kept.end(), entry) != kept.end(); };
  CHECK(kept.size() == 3 * kEach + 1);
  for (const char* name : {"a", "b", "c"})
    for (int i = 0; i < kEach; ++i) CHECK(has(std::string(name) + " " + std::to_string(i)));

  // Even if every opening shortens it, the newest entries remain.
  typists.clear();
  for (const char* name : {"d", "e"}) typists.push_back(type(file_in(folder), name, kEach, 20));
  for (const pid_t pid : typists) waitpid(pid, nullptr, 0);
  const auto newest = History(file_in(folder), 20).entries();
  CHECK(newest.size() == 20);
  CHECK((newest.back() == "d 149" || newest.back() == "e 149"));
}

TEST_CASE("history: a device, a pipe or a huge file does not delay the prompt") {
  const TempFolder folder;
  for (const char* name : {"pipe", "device", "folder"}) {
    const std::string file = folder.path() + "/" + name;
    if (name == std::string("pipe")) REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    if (name == std::string("device")) std::filesystem::create_symlink("/dev/zero", file);
    if (name == std::string("folder")) std::filesystem::create_directory(file);
    History history(file, 10);
    history.add("one");
    CHECK(history.entries() == std::vector<std::string>{"one"});
  }
  const std::string big = folder.path() + "/big";
  reg::write_file(big, std::string(20 << 20, 'x') + "\nlast\n");
  CHECK(History(big, 10).entries() == std::vector<std::string>{"last"});
  std::string many;
  while (many.size() < (20 << 20)) many += "an entry of the history\n";
  reg::write_file(big, many + "newest\n");
  CHECK(History(big, 10).entries().back() == "newest");
  CHECK(reg::read_file(big).size() < 1000);
}

TEST_CASE("history: works within the session if the file cannot be written") {
  History nowhere("/proc/nowhere/history", 10);
  nowhere.add("one");
  CHECK(nowhere.entries() == std::vector<std::string>{"one"});
  History none("", 10);
  none.add("one");
  CHECK(none.entries().size() == 1);
}
