#include "engine/machine/survey.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "engine/base/text.h"
#include "engine/machine/tuning.h"

namespace reg::machine {
namespace {

Finding of_knob(const char* what, const Knob& knob, const char* noisy) {
  if (!knob.why_not.empty()) return {what, false, knob.why_not, ""};
  if (knob.is_set()) return {what, true, knob.was(), ""};
  return {what, false, knob.was() + "; " + noisy, knob.command};
}

Finding lowest(const SystemPaths& paths) {
  const Knob knob = lowest_frequency(paths);
  Finding finding = of_knob("CPU min freq", knob, "CPUs clock down between runs and start slow");
  if (knob.why_not.empty())
    finding.words = finding.quiet ? "at the maximum" : knob.was() + " kHz" + finding.words.substr(knob.was().size());
  return finding;
}

Finding idle_states(const SystemPaths& paths) {
  if (const std::string why = idle_states_missing(paths); !why.empty()) return {"CPU idle states", false, why, ""};
  return {"CPU idle states", false, "on; waking up adds latency", kHoldIdleStates};
}

Finding addresses(const SystemPaths& paths) {
  const Measure measure = try_fixed_addresses(paths);
  if (measure.was == "off") return {"ASLR", true, "off", ""};
  return {"ASLR", true, "on (the default); reg.machine.tune{ aslr = false } turns it off for measured commands", ""};
}

// Drivers of processors' own sensors, and the kernel's names for zones with a processor in them.
constexpr std::string_view kDrivers = "coretemp k10temp zenpower cpu_thermal";
constexpr std::string_view kZones = "x86_pkg_temp cpu-thermal cpu_thermal";
constexpr double kMillidegrees = 1000;
constexpr double kMicroseconds = 1e6;

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Of "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234": Linux, Documentation/accounting/psi.rst.
std::optional<double> crowded_in(const std::string& line) {
  constexpr std::string_view kTotal = "total=";
  const size_t at = line.find(kTotal);
  if (at == std::string::npos) return std::nullopt;
  const auto total = number_in(std::string_view(line).substr(at + kTotal.size()));
  return total ? std::optional(*total / kMicroseconds) : std::nullopt;
}

}  // namespace

std::vector<Finding> survey(const SystemPaths& paths) {
  return {of_knob("CPU governor", governor(paths, "performance"), "the clock follows the load"),
          lowest(paths),
          of_knob("CPU turbo", turbo(paths, false), "the clock depends on temperature and the load of other cores"),
          of_knob("CPU SMT", smt(paths, false), "two threads share a core"),
          idle_states(paths),
          addresses(paths)};
}

std::map<std::string, std::string> facts(const SystemPaths& paths) {
  std::map<std::string, std::string> found;
  for (const auto& [name, knob] :
       {std::pair{"governor", governor(paths, "performance")}, std::pair{"min_freq_khz", lowest_frequency(paths)},
        std::pair{"turbo", turbo(paths, false)}, std::pair{"smt", smt(paths, false)}})
    if (!knob.settings.empty()) found[name] = knob.was();
  return found;
}

std::string cpu_sensor(const SystemPaths& paths) {
  for (const std::string& folder : entries(paths.root + "/sys/class/hwmon"))
    if (has_word(kDrivers, value_of(folder + "/name")) && number_in(value_of(folder + "/temp1_input")))
      return folder + "/temp1_input";
  for (const std::string& folder : entries(paths.root + "/sys/class/thermal"))
    if (has_word(kZones, value_of(folder + "/type")) && number_in(value_of(folder + "/temp"))) return folder + "/temp";
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
