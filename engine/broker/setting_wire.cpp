#include "engine/broker/setting_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/machine/cpus.h"

// What may be absent is null.
namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) {
    to = nullptr;
    if (from) to = *from;
  }
  static void from_json(const json& from, std::optional<T>& to) {
    to = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
  }
};
}  // namespace nlohmann

namespace reg::gpu {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockPlan, sm_mhz, memory_mhz, description)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Process, pid, name, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spread, min, median, max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Summary, seconds, samples, sm_mhz, temperature_c, power_w, busy_sm_mhz,
                                   memory_peak_bytes, own_peak_bytes, throttle_s, some_counted, some_sampled, throttled,
                                   used, foreign, faults, lost)
}  // namespace reg::gpu

namespace reg::machine {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measure, measure, wanted, state, was, now, why, command)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ForCommands, cpus, group, group_cpus, nice, fixed_addresses)
}  // namespace reg::machine

namespace reg::broker {

std::string as_text(const std::optional<gpu::ClockRequest>& request) {
  if (!request) return "";
  return fmt::format("{}{}", request->number, request->kind == gpu::ClockRequest::Kind::percent ? "%" : "");
}

std::optional<gpu::ClockRequest> clock_from(const Json& json) {
  const auto text = json.get<std::string>();
  return text.empty() ? std::nullopt : std::optional(gpu::parse_clock_request(text));
}

Json as_json(const gpu::ClockPlan& plan) { return plan; }
gpu::ClockPlan plan_from(const Json& json) { return json; }

Json as_json(const gpu::Summary& summary) { return summary; }
gpu::Summary summary_from(const Json& json) { return json; }

Json as_json(const machine::Wanted& wanted) {
  return {{"governor", wanted.governor},
          {"lowest_frequency", wanted.lowest_frequency},
          {"turbo", wanted.turbo},
          {"smt", wanted.smt},
          {"no_idle_states", wanted.no_idle_states},
          {"cpus", format_cpus(wanted.cpus)},
          {"cpus_near_gpu", wanted.cpus_near_gpu},
          {"shield", format_cpus(wanted.shield)},
          {"nice", wanted.nice},
          {"fixed_addresses", wanted.fixed_addresses}};
}

machine::Wanted wanted_from(const Json& json) {
  const auto cpus = [&](const char* key) {
    const auto text = json.at(key).get<std::string>();
    return text.empty() ? std::vector<int>() : parse_cpus(text);
  };
  machine::Wanted wanted;
  wanted.governor = json.at("governor").get<std::optional<std::string>>();
  wanted.lowest_frequency = json.at("lowest_frequency");
  wanted.turbo = json.at("turbo").get<std::optional<bool>>();
  wanted.smt = json.at("smt").get<std::optional<bool>>();
  wanted.no_idle_states = json.at("no_idle_states");
  wanted.cpus = cpus("cpus");
  wanted.cpus_near_gpu = json.at("cpus_near_gpu");
  wanted.shield = cpus("shield");
  wanted.nice = json.at("nice").get<std::optional<int>>();
  wanted.fixed_addresses = json.at("fixed_addresses");
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz_";
  if (wanted.governor &&
      (wanted.governor->empty() || wanted.governor->find_first_not_of(kOfNames) != std::string::npos))
    throw Error(ErrorKind::usage, "not a valid governor: '" + *wanted.governor + "'");
  constexpr int kHighest = -20, kLowest = 19;
  if (wanted.nice && (*wanted.nice < kHighest || *wanted.nice > kLowest))
    throw Error(ErrorKind::usage, "'nice' must be from -20 to 19");
  return wanted;
}

Json as_json(const machine::Measure& measure) { return measure; }
machine::Measure measure_from(const Json& json) { return json; }

Json as_json(const machine::ForCommands& given) { return given; }
machine::ForCommands given_from(const Json& json) { return json; }

}  // namespace reg::broker
