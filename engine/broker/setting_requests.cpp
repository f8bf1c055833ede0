#include "engine/broker/setting_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/broker/audited.h"
#include "engine/broker/setting_wire.h"
#include "engine/gpu/lease.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"
#include "engine/gpu/part.h"
#include "engine/loop/coroutine.h"
#include "engine/machine/tuning.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostHeld = 64;
constexpr double kShortestPeriod_s = 0.001;

// Each must be a whole UUID of this machine: no index, address or part of one is looked up here.
template <class Thing, class Uuid>
std::vector<Thing> named(const Json& asked, const std::vector<Thing>& there, const Uuid& uuid_of) {
  std::vector<Thing> found;
  for (const auto& uuid : asked.at("gpus").get<std::vector<std::string>>()) {
    const auto is_it = [&](const Thing& thing) { return uuid_of(thing) == uuid; };
    const auto one = std::find_if(there.begin(), there.end(), is_it);
    if (one == there.end()) throw Error(ErrorKind::usage, "not a GPU of this machine: '" + printable(uuid) + "'");
    if (std::any_of(found.begin(), found.end(), is_it)) throw Error(ErrorKind::usage, "the same GPU twice: " + uuid);
    found.push_back(*one);
  }
  if (found.empty()) throw Error(ErrorKind::usage, "no GPUs are named");
  return found;
}

}  // namespace

SettingRequests::SettingRequests(Loop& loop, Policy& policy, std::function<restore::Ledger&()> ledger)
    : loop_(loop), guard_(std::make_unique<Answered>(policy)), ledger_(std::move(ledger)) {}

Op<Json> SettingRequests::handle(Json request) {
  if (request.contains("end")) co_return end(request["end"].get<std::uint64_t>());
  check_room();
  if (request.contains("lock")) co_return lock(request["lock"]);
  if (request.contains("monitor")) co_return monitor(request["monitor"]);
  if (request.contains("tune")) co_return tune(request["tune"]);
  if (!request.contains("lease")) throw Error(ErrorKind::usage, "not a request for a setting");
  const Json asked = request["lease"];
  const auto uuid_of = [](const gpu::Part& part) { return part.uuid; };
  gpu::LeaseRequest wanted{named(asked, gpu::parts_of(nvml(), "all"), uuid_of), asked.at("count").get<std::size_t>()};
  std::optional<double> patience_s;
  if (asked.contains("patience_s")) patience_s = asked["patience_s"].get<double>();
  const Op<std::shared_ptr<gpu::Lease>> waited = gpu::lease(loop_, std::move(wanted), patience_s);
  auto lease = co_await waited;
  check_room();
  Json uuids = Json::array();
  for (const auto& one : lease->gpus()) uuids.push_back(one.part.uuid);
  const double waited_s = lease->waited_s();
  const std::uint64_t number = keep({[lease] { return Json(); }});
  co_return Json{{"held", number}, {"gpus", uuids}, {"waited_s", waited_s}};
}

Json SettingRequests::lock(const Json& asked) {
  const auto sm = clock_from(asked.at("sm")), memory = clock_from(asked.at("mem"));
  if (!sm && !memory) throw Error(ErrorKind::usage, "a lock needs 'sm' or 'mem'");
  const std::vector<gpu::Device> gpus = gpus_of(asked);
  std::vector<std::string> indexes;
  for (const gpu::Device& device : gpus) indexes.push_back(fmt::to_string(device.index()));
  std::string clocks = sm ? "sm " + as_text(sm) : "";
  if (memory) clocks += (sm ? ", mem " : "mem ") + as_text(memory);
  guard_.admit({EffectKind::gpu,
                fmt::format("lock the clocks of {}: {}", gpu::title_of(indexes), clocks),
                {{EffectKind::gpu, {"lock"}}}});
  const auto locks = std::make_shared<gpu::ClockLocks>(gpus, sm, memory, ledger_());
  Json plans = Json::array();
  for (const gpu::ClockLock& one : locks->each()) plans.push_back(one.plan());
  return {{"held", keep({[locks] { return Json(locks->unlock()); }})}, {"plans", plans}};
}

Json SettingRequests::monitor(const Json& asked) {
  const auto period_s = asked.at("period_s").get<double>();
  if (!(period_s >= kShortestPeriod_s)) throw Error(ErrorKind::usage, "'period_s' must be at least 0.001");
  const auto monitor = std::make_shared<gpu::Monitor>(gpus_of(asked), period_s);
  const auto stop = [monitor] {
    const gpu::Monitor::Result& result = monitor->stop();
    Json all = Json::array({result.all});
    for (const auto& [device, summary] : result.each) all.push_back(summary);
    return all;
  };
  return {{"held", keep({stop})}};
}

Json SettingRequests::tune(const Json& asked) {
  const machine::Wanted wanted = wanted_from(asked);
  if (wanted.nice.value_or(0) < 0)
    guard_.admit({EffectKind::machine,
                  fmt::format("run commands at the priority {}", *wanted.nice),
                  {{EffectKind::machine, {"nice"}}}});
  const auto tuning = std::make_shared<machine::Tuning>(machine::this_machine(), wanted, guard_, ledger_);
  Json record = Json::array();
  for (const machine::Measure& measure : tuning->record()) record.push_back(measure);
  const Json given = tuning->for_commands();
  const std::uint64_t number = keep({[tuning] { return Json(tuning->restore()); }, tuning->for_commands()});
  return {{"held", number}, {"record", record}, {"given", given}};
}

Json SettingRequests::end(std::uint64_t number) {
  const auto held = held_.extract(number);
  if (held.empty()) throw Error(ErrorKind::usage, fmt::format("this script does not hold number {}", number));
  return held.mapped().end();
}

std::uint64_t SettingRequests::keep(Held held) {
  held_.emplace(++last_, std::move(held));
  return last_;
}

void SettingRequests::check_room() const {
  if (held_.size() >= kMostHeld)
    throw Error(ErrorKind::usage, fmt::format("this script holds {} locks, leases and the like", kMostHeld),
                "Close some of them.");
}

std::vector<gpu::Device> SettingRequests::gpus_of(const Json& asked) {
  return named(asked, gpu::Device::all(nvml()), [](const gpu::Device& device) { return device.uuid(); });
}

const std::shared_ptr<gpu::Nvml>& SettingRequests::nvml() {
  if (!nvml_) nvml_ = gpu::Nvml::open();
  return nvml_;
}

void SettingRequests::check(const process::Conditions& conditions) const {
  const auto given = [&](auto gives) {
    return std::any_of(held_.begin(), held_.end(), [&](const auto& held) { return gives(held.second.given); });
  };
  if (conditions.nice.value_or(0) < 0 &&
      !given([&](const machine::ForCommands& one) { return one.nice.value_or(0) <= *conditions.nice; }))
    throw Error(ErrorKind::permission, "not permitted: a higher priority");
  if (!conditions.group.empty() &&
      !given([&](const machine::ForCommands& one) { return one.group == conditions.group; }))
    throw Error(ErrorKind::permission, "not permitted: the control group " + printable(conditions.group));
}

}  // namespace reg::broker
