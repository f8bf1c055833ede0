#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/machine/paths.h"
#include "engine/machine/tuning.h"

namespace reg::machine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMembers = "/cgroup.procs";
// A process that has just exited may count as a member for a moment, and a moved one may just have forked.
constexpr int kTries = 100;
constexpr auto kPause = std::chrono::milliseconds(2);

std::string own_group(const SystemPaths& paths) {
  const std::string all = read_file_if_there(paths.own_control_groups()).value_or("");
  for (const auto line : lines(all))
    if (line.starts_with("0::/") && line.size() > 4) return fmt::format("{}{}", paths.control_groups(), line.substr(3));
  return paths.control_groups();
}

void move_members(const std::string& from, const std::string& to) {
  const std::string members = read_file_if_there(from + kMembers).value_or("");
  // One that fails has exited. If it has not, removing the group fails and reports why.
  for (const auto pid : lines(members)) try_to([&] { append_file(to + kMembers, pid); });
}

}  // namespace

Shield shield(const SystemPaths& paths, const std::vector<int>& cpus) {
  const std::string root = paths.control_groups(), there = value_of(root + "/cpuset.cpus.effective");
  Shield shield{"", own_group(paths), format_cpus(cpus), "", ""};
  shield.folder = fmt::format("{}/regengine-{}-{}", root, ::getpid(), shield.cpus);
  const std::vector<int> all = there.empty() ? std::vector<int>() : parse_cpus(there);
  if (all.empty())
    shield.why_not = "no version 2 cpuset controller here (" + root + ")";
  else if (!std::includes(all.begin(), all.end(), cpus.begin(), cpus.end()))
    shield.why_not = "this machine has the CPUs " + there;
  else if (all == cpus)
    shield.why_not = "no CPU would be left for everything else";
  shield.command = fmt::format(
      "sudo sh -c \"cd {} && echo +cpuset > cgroup.subtree_control && mkdir -p shield && cd shield && "
      "echo {} > cpuset.cpus && echo root > cpuset.cpus.partition && echo $$ > cgroup.procs\"",
      root, shield.cpus);
  return shield;
}

restore::Change raise_shield(const Shield& shield, restore::Ledger& ledger) {
  const std::string partition = shield.folder + "/cpuset.cpus.partition";
  const std::string given_on = fs::path(shield.folder).parent_path().string() + "/cgroup.subtree_control";
  if (!has_word(value_of(given_on), "cpuset")) throw Error(ErrorKind::unavailable, given_on + " does not list cpuset");
  restore::Change change = ledger.announce({kControlGroup, shield.folder, shield.back});
  if (::mkdir(shield.folder.c_str(), 0755) != 0) {
    const int code = errno;
    change.forget();  // an existing group of that name is not ours
    throw system_error(shield.folder, code);
  }
  append_file(shield.folder + "/cpuset.cpus", shield.cpus);
  append_file(partition, "root");
  if (const std::string now = value_of(partition); now != "root")
    throw Error(ErrorKind::unavailable, "the kernel reports the partition as: " + now);
  return change;
}

restore::Undo remove_control_group(const restore::Entry& entry) {
  const std::string above = fs::path(entry.target).parent_path();
  if (::access(above.c_str(), W_OK) != 0) throw system_error(above, errno);
  return [folder = entry.target, back = entry.value, above] {
    for (int tried = 1;; ++tried) {
      move_members(folder, fs::is_directory(back) ? back : above);
      if (::rmdir(folder.c_str()) == 0) return;
      if (const int code = errno; code != EBUSY || tried == kTries) throw system_error(folder, code);
      std::this_thread::sleep_for(kPause);
    }
  };
}

}  // namespace reg::machine
