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

template <class Names>
bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> number_in(const std::string& path) {
  const std::string text = value_of(path);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

std::string cpu_sensor(const SystemPaths& paths) {
  for (const std::string& folder : entries(paths.sensors()))
    if (has(kDrivers, value_of(folder + "/name")) && number_in(folder + "/temp1_input")) return folder + "/temp1_input";
  for (const std::string& folder : entries(paths.thermal_zones()))
    if (has(kZones, value_of(folder + "/type")) && number_in(folder + "/temp")) return folder + "/temp";
  return "";
}

Load load(const SystemPaths& paths, const std::string& sensor) {
  Load load{number_in(paths.load_average()), std::nullopt};
  if (!sensor.empty()) load.cpu_c = number_in(sensor);
  if (load.cpu_c) *load.cpu_c /= kMillidegrees;
  return load;
}

}  // namespace reg::machine
