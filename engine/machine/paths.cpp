#include "engine/machine/paths.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sched.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::machine {
namespace {

int cpu_number(std::string_view text, const std::string& whole) {
  const auto number = whole_number<int>(text);
  if (!number || *number < 0 || *number >= CPU_SETSIZE)
    throw Error(ErrorKind::usage, "not a valid CPU list: '" + whole + "'", "Write it as taskset does: \"0-3,8\".");
  return *number;
}

}  // namespace

SystemPaths this_machine() {
  const char* root = std::getenv("REGENGINE_SYSFS");
  return {root == nullptr ? "" : std::filesystem::absolute(root).string()};  // the guardian has another working folder
}

void check_setting(const std::string& path) {
  const SystemPaths paths = this_machine();
  const std::string real = real_path(path);
  const std::string cpu = real_path(paths.cpu());
  for (const std::string& known : {cpu + "/cpufreq/policy*/scaling_governor", cpu + "/cpufreq/policy*/scaling_min_freq",
                                   cpu + "/intel_pstate/no_turbo", cpu + "/cpufreq/boost", cpu + "/smt/control"})
    if (::fnmatch(known.c_str(), real.c_str(), FNM_PATHNAME | FNM_NOESCAPE) == 0) return;
  throw Error(ErrorKind::permission, "not a setting that regengine changes: " + path,
              "Remove the journal that names it.");
}

std::string value_of(const std::string& path) {
  const std::string text = read_file_if_there(path).value_or("");
  return std::string(trim(text.substr(0, text.find('\n'))));
}

std::vector<int> cpus_near(const SystemPaths& paths, const std::string& pci) {
  constexpr std::size_t longest = std::string_view("0000:01:00.0").size();  // the driver's domain has eight digits
  if (pci.size() < longest) return {};
  const std::string device = in_small_letters(pci.substr(pci.size() - longest));
  const std::string list = value_of(fmt::format("{}/sys/bus/pci/devices/{}/local_cpulist", paths.root, device));
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

// Drivers of processors' own sensors, and the kernel's names for zones with a processor in them.
constexpr const char* kDrivers = "coretemp k10temp zenpower cpu_thermal";
constexpr const char* kZones = "x86_pkg_temp cpu-thermal cpu_thermal";
constexpr double kMillidegrees = 1000;
constexpr double kMicroseconds = 1e6;

static std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Of "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234": Linux, Documentation/accounting/psi.rst.
static std::optional<double> crowded_in(const std::string& line) {
  constexpr std::string_view kTotal = "total=";
  const size_t at = line.find(kTotal);
  if (at == std::string::npos) return std::nullopt;
  const auto total = number_in(std::string_view(line).substr(at + kTotal.size()));
  return total ? std::optional(*total / kMicroseconds) : std::nullopt;
}

std::string cpu_sensor(const SystemPaths& paths) {
  for (const auto& [all, kind, kinds, value] :
       {std::array{"hwmon", "/name", kDrivers, "/temp1_input"}, std::array{"thermal", "/type", kZones, "/temp"}})
    for (const std::string& folder : entries(fmt::format("{}/sys/class/{}", paths.root, all)))
      if (has_word(kinds, value_of(folder + kind)) && number_in(value_of(folder + value))) return folder + value;
  return "";
}

Load load(const SystemPaths& paths, const std::string& sensor) {
  Load load{number_in(value_of(paths.root + "/proc/loadavg")), std::nullopt,
            crowded_in(value_of(paths.root + "/proc/pressure/cpu"))};
  if (!sensor.empty()) load.cpu_c = number_in(value_of(sensor));
  if (load.cpu_c) *load.cpu_c /= kMillidegrees;
  return load;
}

}  // namespace reg::machine
