#include "tests/support/processes.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::test {
namespace {

// The fields of /proc/PID/stat behind the name: state, parent, ...; none when there is no such process.
std::vector<std::string> stat_of(const std::string& pid) {
  const std::string text = read_file_if_there("/proc/" + pid + "/stat").value_or("");
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return {};
  const auto parts = split(std::string_view(text).substr(bracket + 2), ' ');
  return {parts.begin(), parts.end()};
}

std::string name_of(const std::string& pid) { return read_file_if_there("/proc/" + pid + "/comm").value_or(""); }

struct Child {
  std::string state, name;
};

template <class Wanted>
std::size_t count_children(Wanted wanted) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    const auto stat = stat_of(pid);
    if (stat.size() < 2 || stat[1] != std::to_string(::getpid())) continue;
    if (wanted(Child{stat[0], name_of(pid)})) ++count;
  }
  return count;
}

}  // namespace

bool runs(pid_t pid) {
  const auto stat = stat_of(std::to_string(pid));
  return !stat.empty() && stat[0] != "Z" && stat[0] != "X";
}

void wait_until_gone(pid_t pid) {
  while (runs(pid)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::waitpid(pid, nullptr, WNOHANG);
}

std::size_t zombies() {
  return count_children([](const Child& child) { return child.state == "Z"; });
}

std::size_t copies() {
  return count_children([own = name_of("self")](const Child& child) { return child.name == own; });
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace reg::test
