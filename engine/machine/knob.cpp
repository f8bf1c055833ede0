#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

using Names = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kNoFrequencies = "the kernel exposes no frequency control here (as in most virtual machines)";

// The command that writes one file.
std::string tee(const std::string& value, const std::string& path) {
  return fmt::format("echo {} | sudo tee {}", value, path);
}

Knob knob_of(const char* measure, const std::string& wanted, const std::string& why_not) {
  return {measure, wanted, {}, why_not, "", {}};
}

std::string on_off(bool on) { return on ? "on" : "off"; }

// A switch in one file, whose values have names.
Knob one_switch(const char* measure, bool on, const std::string& path, Names names) {
  Knob knob = knob_of(measure, on_off(on), "");
  knob.names = std::move(names);
  const auto wanted =
      std::find_if(knob.names.begin(), knob.names.end(), [&](const auto& name) { return name.second == knob.wanted; });
  knob.settings = {{path, value_of(path), wanted->first}};
  knob.command = tee(wanted->first, path);
  return knob;
}

void add_setting(Knob& knob, const std::string& path, const std::string& wanted) {
  if (const std::string was = value_of(path); !was.empty() && !wanted.empty())
    knob.settings.push_back({path, was, wanted});
}

std::string different(const Knob& knob, std::string Setting::*which) {
  std::vector<std::string> values;
  for (const Setting& setting : knob.settings) values.push_back(knob.words(setting.*which));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return join(values, ", ");
}

}  // namespace

bool Knob::is_set() const {
  return std::all_of(settings.begin(), settings.end(), [](const Setting& s) { return s.was == s.wanted; });
}

std::string Knob::words(const std::string& value) const {
  for (const auto& [of_file, for_people] : names)
    if (of_file == value) return for_people;
  return value;
}

std::string Knob::was() const { return different(*this, &Setting::was); }

std::string Knob::target() const { return different(*this, &Setting::wanted); }

Knob governor(const SystemPaths& paths, const std::string& wanted) {
  Knob knob = knob_of("governor", wanted, "");
  knob.command = shell_words({"sudo", "cpupower", "frequency-set", "--governor", wanted});
  for (const std::string& policy : frequency_policies(paths)) {
    const std::string available = value_of(policy + "/scaling_available_governors");
    if (!available.empty() && !has_word(available, wanted)) knob.why_not = "valid governors: " + available;
    add_setting(knob, policy + "/scaling_governor", wanted);
  }
  if (knob.settings.empty()) knob.why_not = kNoFrequencies;
  return knob;
}

Knob lowest_frequency(const SystemPaths& paths) {
  Knob knob = knob_of("min_freq", "max", "");
  for (const std::string& policy : frequency_policies(paths))
    add_setting(knob, policy + "/scaling_min_freq", value_of(policy + "/scaling_max_freq"));
  if (knob.settings.empty())
    knob.why_not = kNoFrequencies;
  else
    knob.command = fmt::format("sudo cpupower frequency-set --min {}kHz", knob.settings[0].wanted);
  return knob;
}

Knob turbo(const SystemPaths& paths, bool on) {
  const std::string intel = paths.cpu() + "/intel_pstate/no_turbo", others = paths.cpu() + "/cpufreq/boost";
  if (!value_of(intel).empty()) return one_switch("turbo", on, intel, {{"1", "off"}, {"0", "on"}});
  if (!value_of(others).empty()) return one_switch("turbo", on, others, {{"0", "off"}, {"1", "on"}});
  return knob_of("turbo", on_off(on), "the kernel exposes no turbo control here (as in most virtual machines)");
}

Knob smt(const SystemPaths& paths, bool on) {
  const std::string path = paths.cpu() + "/smt/control", now = value_of(path);
  if (now == "on" || now == "off") return one_switch("smt", on, path, {{"on", "on"}, {"off", "off"}});
  return knob_of("smt", on_off(on),
                 now == "forceoff" ? "disabled by the firmware or the kernel command line"
                                   : "the CPUs have one thread per core, or the kernel does not expose SMT control");
}

std::string idle_states_missing(const SystemPaths& paths) {
  const std::string driver = value_of(paths.cpu() + "/cpuidle/current_driver");
  if (driver.empty() || driver == "none") return "the kernel has no cpuidle driver here (as in most virtual machines)";
  std::error_code error;
  if (!std::filesystem::exists(paths.latency(), error)) return "no such device: " + paths.latency();
  return "";
}

Fd hold_idle_states(const SystemPaths& paths) {
  Fd file = open_file(paths.latency(), O_WRONLY);
  constexpr std::array<char, 4> kNoLatency{};  // a 32-bit number of microseconds
  write_all(file.get(), {kNoLatency.data(), kNoLatency.size()}, paths.latency());
  return file;
}

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
