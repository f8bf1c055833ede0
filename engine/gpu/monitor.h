#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/device.h"
#include "engine/machine/paths.h"

namespace reg::gpu {

struct Spread {
  double min = 0, median = 0, max = 0, mean = 0;
};

/// What a Monitor measured on one GPU, or on several together.
struct Summary {
  double seconds = 0;
  std::size_t samples = 0;
  std::optional<Spread> sm_mhz, temperature_c, power_w;
  std::optional<Spread> busy_sm_mhz;  ///< the SM clock at the samples at which something ran on the GPU
  std::optional<std::uint64_t> memory_peak_bytes;
  /// Of this engine's own processes, at the sample at which they had most together; nullopt if none was seen.
  std::optional<std::uint64_t> own_peak_bytes;
  /// Seconds by reason, only those in kBadReasons; summed over several GPUs.
  std::map<std::string, double> throttle_s;
  /// Whether the driver counted the time of some reasons, and of some not: those are estimated from the samples.
  bool some_counted = false, some_sampled = false;
  bool throttled = false;  ///< for some reason, for more than 1 % of the time
  /// Whether anything used it: utilization above 0, or a compute process that was not there at first. nullopt where the
  /// driver does not report the utilization.
  std::optional<bool> used;
  /// The highest at the samples at which something ran: a link that idles saves power.
  std::optional<unsigned> pcie_generation;
  std::optional<double> power_limit_w;  ///< at the start; of one GPU
  std::vector<Process> foreign;         ///< compute processes that are not this engine's, with their peak memory
  std::vector<std::string> faults;      ///< what broke meanwhile, see faults.h
  std::string lost;                     ///< why it ended early; "" if it did not
};

/// Ends the sampling and says what came of it: the first summary is of all GPUs together, the others of each.
using StopMonitor = std::function<std::vector<Summary>()>;

/// Samples GPUs in a thread until what it returns is called or gone; in the process that Elsewhere leads to if there is
/// one. It changes nothing. It takes a first sample at once and a last one at the end.
StopMonitor monitor(const std::vector<Device>& devices, double period_s);

/// What breaks on GPUs from the construction to look(): memory errors, Xids, errors of NVLink, a request of the
/// driver to repair it; another power limit; and lanes of the PCIe link that an earlier one of this engine has seen.
/// What a driver does not report does not count, nor do old faults.
class Faults {
 public:
  explicit Faults(const std::vector<Device>& devices);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  /// In words, by UUID.
  std::map<std::string, std::vector<std::string>> look();

 private:
  std::vector<Device> devices_;
  std::vector<Health> before_;
  nvml::EventSet xids_ = nullptr;
};

/// In words, if the generation of the PCIe link while the GPU worked is lower than earlier in this engine; else "".
std::string slower_link(const Device& device, std::optional<unsigned> generation);

/// One finding that describes this GPU, and one for each setting that makes timings noisy. NVML does not report whether
/// the clocks are locked.
std::vector<machine::Finding> survey(const Device& device);

/// DCGM, where it runs: whether it watches profiling metrics only its clients know.
std::vector<machine::Finding> other_watchers(const machine::SystemPaths& paths);

/// A clock that this model holds under a heavy load, as ClockRequest has it. Dense products need all the power
/// of an H200 at 68 % of its highest clock.
const char* suggested_clock(const Device& device);

}  // namespace reg::gpu
