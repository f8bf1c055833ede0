#include "engine/machine/load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace reg::machine {
namespace {

// Drivers of processors' own sensors, and the kernel's names for zones with a processor in them.
constexpr std::array<std::string_view, 4> kDrivers{"coretemp", "k10temp", "zenpower", "cpu_thermal"};
constexpr std::array<std::string_view, 3> kZones{"x86_pkg_temp", "cpu-thermal", "cpu_thermal"};
constexpr double kMillidegrees = 1000;
constexpr double kMicroseconds = 1e6;

template <class Names>
bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

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

std::string cpu_sensor(const SystemPaths& paths) {
  for (const std::string& folder : entries(paths.sensors()))
    if (has(kDrivers, value_of(folder + "/name")) && number_in(value_of(folder + "/temp1_input")))
      return folder + "/temp1_input";
  for (const std::string& folder : entries(paths.thermal_zones()))
    if (has(kZones, value_of(folder + "/type")) && number_in(value_of(folder + "/temp"))) return folder + "/temp";
  return "";
}

Load load(const SystemPaths& paths, const std::string& sensor) {
  Load load{number_in(value_of(paths.load_average())), std::nullopt, crowded_in(value_of(paths.cpu_pressure()))};
  if (!sensor.empty()) load.cpu_c = number_in(value_of(sensor));
  if (load.cpu_c) *load.cpu_c /= kMillidegrees;
  return load;
}

}  // namespace reg::machine
