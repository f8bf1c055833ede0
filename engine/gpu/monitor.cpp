#include "engine/gpu/monitor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/gpu/elsewhere.h"

namespace reg::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// A moment at the power limit does not matter; a hundredth of a run shows in its time.
constexpr double kThrottledShare = 0.01;
constexpr std::uint64_t kUseBytes = std::uint64_t{64} << 20;  // an idle GPU's memory moves by less

std::optional<Spread> spread(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return Spread{values.front(), median, values.back(), sum / static_cast<double>(values.size())};
}

unsigned parent_of(unsigned pid) {
  const auto fields = stat_of(std::to_string(pid));
  return fields.size() > 1 ? whole_number<unsigned>(fields[1]).value_or(0) : 0;
}

// Whether the process is this engine, its descendant, or marked as part of one of its commands or containers.
bool ours(unsigned pid) {
  const auto self = static_cast<unsigned>(::getpid());
  for (unsigned at = pid; at > 1; at = parent_of(at))
    if (at == self) return true;
  const auto id = static_cast<pid_t>(pid);
  return variable_of(id, "REGENGINE_RUN").starts_with(engine_id() + "/") ||
         variable_of(id, "REGENGINE_ENGINE") == engine_id();
}

// It does the work of its clients, which the driver lists, too. The kernel cuts the names of commands.
bool is_mps_server(const Process& process) {
  return std::filesystem::path(process.name).filename().string().starts_with("nvidia-cuda-mps");
}

// The values read at each sample.
struct Samples {
  std::vector<double> sm, busy_sm, temperature, power;

  void add(const Samples& other) {
    for (const auto values : {&Samples::sm, &Samples::busy_sm, &Samples::temperature, &Samples::power})
      (this->*values).insert((this->*values).end(), (other.*values).begin(), (other.*values).end());
  }

  void spread_into(Summary& summary) const {
    summary.sm_mhz = spread(sm);
    summary.busy_sm_mhz = spread(busy_sm);
    summary.temperature_c = spread(temperature);
    summary.power_w = spread(power);
  }
};

// The samples and throttle times of one GPU.
class Record {
 public:
  explicit Record(Device device) : device_(std::move(device)) {
    unless_lost([this] {
      first_ = last_ = device_.throttle_counters();
      summary_.power_limit_w = device_.power_limit_w();
    });
  }

  void sample() {
    unless_lost([this] { take(); });
  }

  const Device& device() const { return device_; }

  /// At the last sample.
  std::optional<std::uint64_t> own_bytes() const { return own_bytes_; }

  Summary summary() const {
    Summary result = summary_;
    result.seconds = std::chrono::duration<double>(last_seen_ - start_).count();
    samples_.spread_into(result);
    for (const auto& [pid, process] : foreign_) result.foreign.push_back(process);
    result.throttle_s = sampled_;
    for (const char* reason : {"sw_power_cap", "sw_thermal", "hw_thermal", "hw_power_brake"}) {
      const std::optional<double> counted = counted_s(reason);
      if (counted || last_reasons_) (counted ? result.some_counted : result.some_sampled) = true;
      if (counted.value_or(0) <= 0) continue;
      double& seconds = result.throttle_s[reason];
      seconds = std::max(seconds, *counted);  // a counter that stays where it is hides nothing that was seen
    }
    add_thermal(result);
    for (const auto& [reason, seconds] : result.throttle_s)
      if (seconds > kThrottledShare * result.seconds) result.throttled = true;
    return result;
  }

  void add_to(Summary& all, Samples& samples) const {
    const Summary own = summary();
    all.seconds = std::max(all.seconds, own.seconds);
    all.samples += own.samples;
    all.memory_peak_bytes = std::max(all.memory_peak_bytes, own.memory_peak_bytes);
    for (const auto& [reason, seconds] : own.throttle_s) all.throttle_s[reason] += seconds;
    all.some_counted = all.some_counted || own.some_counted;
    all.some_sampled = all.some_sampled || own.some_sampled;
    all.throttled = all.throttled || own.throttled;
    if (own.used) all.used = all.used.value_or(false) || *own.used;
    all.foreign.insert(all.foreign.end(), own.foreign.begin(), own.foreign.end());
    if (all.lost.empty()) all.lost = own.lost;
    samples.add(samples_);
  }

 private:
  void unless_lost(auto read) {
    try {
      if (summary_.lost.empty()) read();
    } catch (const GpuLost& error) {
      summary_.lost = error.what();
    }
  }

  void take() {
    const auto now = Clock::now();
    const auto keep = [](std::vector<double>& values, const auto& value) {
      if (value) values.push_back(static_cast<double>(*value));
    };
    const auto reasons = device_.event_reasons();
    const auto sm = device_.clock(nvml::kSm);
    keep(samples_.sm, sm);
    const auto utilization = device_.utilization();
    // By the utilization; without it by the reasons, of which idle is not reported while clocks are locked.
    if (utilization ? utilization->gpu > 0 : reasons && (*reasons & nvml::kIdle) == 0) {
      keep(samples_.busy_sm, sm);
      summary_.pcie_generation = std::max(summary_.pcie_generation, device_.pcie_generation());
    }
    keep(samples_.temperature, device_.temperature());
    keep(samples_.power, device_.power_w());
    if (const auto memory = device_.memory()) {
      summary_.memory_peak_bytes = std::max(summary_.memory_peak_bytes.value_or(0), memory->used);
      if (summary_.samples == 0) memory_at_first_ = memory->used;
      if (memory->used >= memory_at_first_ + kUseBytes) summary_.used = true;
    }
    if (reasons)
      for (const std::string& reason : reason_words(*reasons & kBadReasons & ~fleeting(*reasons)))
        sampled_[reason] += std::chrono::duration<double>(now - last_seen_).count();
    last_reasons_ = reasons;
    const bool lists_users = device_.session()->functions().processes != nullptr;  // or short work is not seen
    if (utilization && (lists_users || utilization->gpu > 0))
      summary_.used = summary_.used.value_or(false) || utilization->gpu > 0;
    own_bytes_.reset();
    for (Process& process : device_.processes()) {
      if (summary_.samples == 0) there_at_first_.insert(process.pid);
      if (!there_at_first_.contains(process.pid)) summary_.used = true;
      see(std::move(process));
    }
    summary_.own_peak_bytes = std::max(summary_.own_peak_bytes, own_bytes_);
    last_ = device_.throttle_counters();
    last_seen_ = now;
    ++summary_.samples;
  }

  std::optional<double> counted_s(const char* reason) const {
    const auto before = first_.find(reason), after = last_.find(reason);
    return before == first_.end() || after == last_.end() ? std::nullopt
                                                          : std::optional(after->second - before->second);
  }

  // Thermal violations that no counter of a single reason has count as those of software. The larger counts.
  void add_thermal(Summary& result) const {
    const auto hardware = result.throttle_s.find("hw_thermal");
    const double rest = counted_s("thermal").value_or(0) - (hardware == result.throttle_s.end() ? 0 : hardware->second);
    if (rest <= kThrottledShare * result.seconds) return;
    double& seconds = result.throttle_s["sw_thermal"];
    seconds = std::max(seconds, rest);
  }

  // A hardware slowdown of one sample without a cause is a change of the performance state.
  std::uint64_t fleeting(std::uint64_t reasons) const {
    const bool lasts =
        ((last_reasons_.value_or(0) & nvml::kHwSlowdown) | (reasons & (nvml::kHwThermal | nvml::kHwPowerBrake))) != 0;
    return lasts ? 0 : std::uint64_t{nvml::kHwSlowdown};
  }

  void see(Process process) {
    auto owner = ours_.find(process.pid);
    if (owner == ours_.end()) {
      // A process without a /proc entry has just ended, or is hidden from this user and will be in the next sample too.
      // Inside a container it may also be this engine's own, under its pid on the host.
      const bool visible = std::filesystem::exists(fmt::format("/proc/{}", process.pid));
      if (!visible && (in_container() || unseen_.insert(process.pid).second)) return;
      owner = ours_.emplace(process.pid, ours(process.pid)).first;
    }
    if (owner->second) {
      if (process.bytes) own_bytes_ = own_bytes_.value_or(0) + *process.bytes;
      return;
    }
    if (is_mps_server(process)) return;
    Process& kept = foreign_.try_emplace(process.pid, process).first->second;
    kept.bytes = std::max(kept.bytes, process.bytes);
  }

  Device device_;
  Clock::time_point start_ = Clock::now(), last_seen_ = start_;
  std::map<std::string, double> first_, last_;
  std::optional<std::uint64_t> last_reasons_;
  Samples samples_;
  std::map<std::string, double> sampled_;
  std::map<unsigned, bool> ours_;  // by pid
  std::set<unsigned> there_at_first_;
  std::uint64_t memory_at_first_ = 0;
  std::set<unsigned> unseen_;  // pids that had no /proc entry once
  std::map<unsigned, Process> foreign_;
  std::optional<std::uint64_t> own_bytes_;
  Summary summary_;
};

class Sampler {
 public:
  Sampler(const std::vector<Device>& devices, double period_s)
      : period_(period_s), faults_(devices), records_(devices.begin(), devices.end()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  std::vector<Summary> stop() {
    thread_ = {};  // waits for its end
    sample();
    Samples samples;
    auto faults = faults_.look();
    std::vector<Summary> all{{}};
    all[0].own_peak_bytes = own_peak_bytes_;
    for (const Record& record : records_) {
      record.add_to(all[0], samples);
      Summary& one = all.emplace_back(record.summary());
      one.faults = std::move(faults[record.device().uuid()]);
      if (const std::string slower = slower_link(record.device(), one.pcie_generation); !slower.empty())
        one.faults.push_back(slower);
      all[0].faults.insert(all[0].faults.end(), one.faults.begin(), one.faults.end());
    }
    samples.spread_into(all[0]);
    return all;
  }

 private:
  void sample() {
    std::optional<std::uint64_t> own;
    for (Record& record : records_) {
      record.sample();
      if (const auto bytes = record.own_bytes()) own = own.value_or(0) + *bytes;
    }
    own_peak_bytes_ = std::max(own_peak_bytes_, own);
  }

  void run(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any stopped;
    auto next = Clock::now();
    do {
      sample();
      next = std::max(next + std::chrono::duration_cast<Clock::duration>(period_), Clock::now());
      stopped.wait_until(lock, stop, next, [] { return false; });
    } while (!stop.stop_requested());
  }

  const std::chrono::duration<double> period_;
  Faults faults_;
  std::vector<Record> records_;
  std::optional<std::uint64_t> own_peak_bytes_;
  std::jthread thread_;
};

}  // namespace

StopMonitor monitor(const std::vector<Device>& devices, double period_s) {
  if (elsewhere()) return elsewhere()->monitor(uuids_of(devices), period_s);
  return [sampler = std::make_shared<Sampler>(devices, period_s)] { return sampler->stop(); };
}

}  // namespace reg::gpu
