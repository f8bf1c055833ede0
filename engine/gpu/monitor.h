#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/device.h"

namespace reg::gpu {

struct Spread {
  double min = 0, median = 0, max = 0;
};

/// What a Monitor saw of one GPU, or of several together.
struct Summary {
  double seconds = 0;
  std::size_t samples = 0;
  std::optional<Spread> sm_mhz, temperature_c, power_w;
  std::optional<Spread> busy_sm_mhz;  ///< the SM clock at the samples at which it did not idle
  std::optional<std::uint64_t> memory_peak_bytes;
  /// Seconds by reason, the bad ones alone; of several GPUs their sum.
  std::map<std::string, double> throttle_s;
  bool throttle_counted = false;  ///< by the driver; else from the reasons at each sample
  bool throttled = false;         ///< some reason held for more than a hundredth of the time
  std::vector<Process> foreign;   ///< compute processes that are not this engine's, with their peak
  std::string lost;               ///< why it ended early; "" where it did not
};

/// Samples GPUs in a thread of its own, beside a run, until stop(). It only looks.
class Monitor {
 public:
  Monitor(std::vector<Device> devices, double period_s);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  struct Result {
    Summary all;
    std::vector<std::pair<Device, Summary>> each;
  };
  /// Ends it, with a last sample. A second call gives the same.
  const Result& stop();

 private:
  class Sampler;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace reg::gpu
