#include "engine/machine/paths.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::machine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNvidia = "0x10de";
constexpr const char* kDisplayClass = "0x03";  // VGA and 3D controllers, not the audio and USB functions of the card

int cpu_number(std::string_view text, const std::string& whole) {
  const auto number = whole_number<int>(text);
  if (!number || *number < 0 || *number >= CPU_SETSIZE)
    throw Error(ErrorKind::usage, "not a valid CPU list: '" + whole + "'", "Write it as taskset does: \"0-3,8\".");
  return *number;
}

}  // namespace

SystemPaths this_machine() {
  const char* root = std::getenv("REGENGINE_SYSFS");
  return {root == nullptr ? "" : fs::absolute(root).string()};  // the guardian has another working folder
}

void check_setting(const std::string& path) {
  const SystemPaths paths = this_machine();
  const std::string real = real_path(path);
  const std::string cpu = real_path(paths.cpu()), groups = real_path(paths.control_groups());
  for (const std::string& known :
       {cpu + "/cpufreq/policy*/scaling_governor", cpu + "/cpufreq/policy*/scaling_min_freq",
        cpu + "/intel_pstate/no_turbo", cpu + "/cpufreq/boost", cpu + "/smt/control", groups + "/regengine-*"})
    if (::fnmatch(known.c_str(), real.c_str(), FNM_PATHNAME | FNM_NOESCAPE) == 0) return;
  throw Error(ErrorKind::permission, "not a setting that regengine changes: " + path,
              "Remove the journal that names it.");
}

void check_control_group(const std::string& path) {
  const std::string all = real_path(this_machine().control_groups()), real = real_path(path);
  if (real == all || real.starts_with(all + "/")) return;
  throw Error(ErrorKind::permission, "not a control group: " + path, "Remove the journal that names it.");
}

std::string value_of(const std::string& path) {
  const std::string text = read_file_if_there(path).value_or("");
  return std::string(trim(text.substr(0, text.find('\n'))));
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    paths.push_back(at->path());
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // policy2 before policy10
  });
  return paths;
}

std::vector<std::string> frequency_policies(const SystemPaths& paths) {
  std::vector<std::string> found;
  for (const std::string& path : entries(paths.cpu() + "/cpufreq"))
    if (fs::path(path).filename().string().starts_with("policy")) found.push_back(path);
  return found;
}

std::vector<int> cpus_near_gpu(const SystemPaths& paths) {
  for (const std::string& folder : entries(paths.pci())) {
    if (value_of(folder + "/vendor") != kNvidia || !value_of(folder + "/class").starts_with(kDisplayClass)) continue;
    return parse_cpus(value_of(folder + "/local_cpulist"));
  }
  return {};
}

std::vector<int> cpus_near(const SystemPaths& paths, const std::string& pci) {
  constexpr std::size_t longest = std::string_view("0000:01:00.0").size();  // the driver's domain has eight digits
  if (pci.size() < longest) return {};
  const std::string list =
      value_of(fmt::format("{}/{}/local_cpulist", paths.pci(), in_small_letters(pci.substr(pci.size() - longest))));
  return list.empty() ? std::vector<int>() : parse_cpus(list);
}

std::vector<int> parse_cpus(const std::string& text) {
  std::set<int> cpus;
  for (const auto piece : split(text, ',')) {
    const auto dash = piece.find('-');
    const int first = cpu_number(trim(piece.substr(0, dash)), text);
    const int last = dash == std::string_view::npos ? first : cpu_number(trim(piece.substr(dash + 1)), text);
    if (last < first) throw Error(ErrorKind::usage, "not a valid CPU list: '" + text + "': a range must ascend");
    for (int cpu = first; cpu <= last; ++cpu) cpus.insert(cpu);
  }
  return {cpus.begin(), cpus.end()};
}

std::string format_cpus(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::to_string(cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace reg::machine
