#include "engine/broker/setting_wire.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/machine/cpus.h"

namespace reg::broker {

std::string as_text(const std::optional<gpu::ClockRequest>& request) {
  if (!request) return "";
  return fmt::format("{}{}", request->number, request->kind == gpu::ClockRequest::Kind::percent ? "%" : "");
}

std::optional<gpu::ClockRequest> clock_from(const Json& json) {
  const auto text = json.get<std::string>();
  return text.empty() ? std::nullopt : std::optional(gpu::parse_clock_request(text));
}

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
  json.at("governor").get_to(wanted.governor);
  wanted.lowest_frequency = json.at("lowest_frequency");
  json.at("turbo").get_to(wanted.turbo);
  json.at("smt").get_to(wanted.smt);
  wanted.no_idle_states = json.at("no_idle_states");
  wanted.cpus = cpus("cpus");
  wanted.cpus_near_gpu = json.at("cpus_near_gpu");
  wanted.shield = cpus("shield");
  json.at("nice").get_to(wanted.nice);
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

}  // namespace reg::broker
