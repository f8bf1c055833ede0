#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/broker/broker.h"
#include "engine/gpu/device.h"
#include "engine/gpu/elsewhere.h"
#include "engine/gpu/lease.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"
#include "engine/machine/paths.h"
#include "engine/machine/tuning.h"

namespace reg::gpu {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockPlan, sm_mhz, memory_mhz, description)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Process, pid, name, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spread, min, median, max, mean)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Summary, seconds, samples, sm_mhz, temperature_c, power_w, busy_sm_mhz,
                                   memory_peak_bytes, own_peak_bytes, throttle_s, some_counted, some_sampled, throttled,
                                   used, pcie_generation, power_limit_w, foreign, faults, lost)
}  // namespace reg::gpu

namespace reg::machine {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measure, measure, wanted, was, now, state, why, command)
// Without the variables, which each command brings itself.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Wanted, governor, lowest_frequency, turbo, smt, no_idle_states, cpus)
}  // namespace reg::machine

namespace reg::broker {
namespace {

using gpu::Elsewhere;
using ClientPtr = std::shared_ptr<Client>;

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

// Throws usage for what the bindings refuse, too.
machine::Wanted wanted_from(const Json& json) {
  machine::Wanted wanted = json;
  if (std::ranges::any_of(wanted.cpus, [](int cpu) { return cpu < 0 || cpu >= CPU_SETSIZE; }))
    throw Error(ErrorKind::usage, "not a valid CPU list");
  if (!wanted.cpus.empty()) wanted.cpus = machine::parse_cpus(machine::format_cpus(wanted.cpus));  // in order
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz_";
  if (wanted.governor &&
      (wanted.governor->empty() || wanted.governor->find_first_not_of(kOfNames) != std::string::npos))
    throw Error(ErrorKind::usage, "not a valid governor: '" + *wanted.governor + "'");
  return wanted;
}

// The broker's side.
class Settings {
 public:
  Settings(Loop& loop, Guard& guard, GetLedger ledger) : loop_(loop), guard_(guard), ledger_(std::move(ledger)) {}

  Op<Json> lease(Json asked) {
    const auto uuid_of = [](const gpu::Part& part) { return part.uuid; };
    gpu::LeaseRequest wanted{named(asked, gpu::parts_of(nvml(), "all"), uuid_of), asked.at("count").get<std::size_t>()};
    const auto patience_s = asked.at("patience_s").get<std::optional<double>>();
    const Op<std::shared_ptr<gpu::Lease>> waited = gpu::lease(loop_, std::move(wanted), patience_s);
    auto lease = co_await waited;
    Json uuids = Json::array();
    for (const auto& one : lease->gpus()) uuids.push_back(one.part.uuid);
    const double waited_s = lease->waited_s();
    const std::uint64_t number = keep([lease] { return Json(); });
    co_return Json{{"held", number}, {"gpus", uuids}, {"waited_s", waited_s}};
  }

  Json lock(const Json& asked) {
    const gpu::ClockRequest wanted{asked.at("sm"), asked.at("mem")};
    const std::string clocks = wanted.words();
    if (clocks.empty()) throw Error(ErrorKind::usage, "a lock needs 'sm' or 'mem'");
    const std::vector<gpu::Device> gpus = gpus_of(asked);
    std::vector<std::string> indexes;
    for (const gpu::Device& device : gpus) indexes.push_back(fmt::to_string(device.index()));
    guard_.admit({EffectKind::gpu,
                  fmt::format("lock the clocks of {}: {}", gpu::title_of(indexes), clocks),
                  {{EffectKind::gpu, {"lock"}}}});
    const auto locks = std::make_shared<gpu::ClockLocks>(gpus, wanted, ledger_);
    Json plans = Json::array();
    for (const gpu::ClockLock& one : locks->each()) plans.push_back(one.plan);
    return {{"held", keep([locks] { return Json(locks->unlock()); })}, {"plans", plans}};
  }

  Json monitor(const Json& asked) {
    const auto period_s = asked.at("period_s").get<double>();
    if (!(period_s >= kShortestPeriod_s)) throw Error(ErrorKind::usage, "'period_s' must be at least 0.001");
    return {{"held", keep([stop = gpu::monitor(gpus_of(asked), period_s)] { return Json(stop()); })}};
  }

  Json tune(const Json& asked) {
    const machine::Tuning made = machine::tune(machine::this_machine(), wanted_from(asked), guard_, ledger_);
    const std::uint64_t number = keep([made] { return Json(made.restore()); });
    return {{"held", number}, {"record", made.record}, {"given", made.for_commands}};
  }

  Json end(const Json& number) {
    const auto held = held_.extract(number.get<std::uint64_t>());
    if (held.empty()) throw Error(ErrorKind::usage, "this script does not hold number " + number.dump());
    return held.mapped()();
  }

 private:
  // `end` restores what the boxed engine holds, and returns the answer.
  std::uint64_t keep(std::function<Json()> end) {
    if (held_.size() >= kMostHeld)
      throw Error(ErrorKind::usage, fmt::format("this script holds {} locks, leases and the like", kMostHeld),
                  "Close some of them.");
    held_.emplace(++last_, std::move(end));
    return last_;
  }

  std::vector<gpu::Device> gpus_of(const Json& asked) {
    return named(asked, gpu::Device::all(nvml()), [](const gpu::Device& device) { return device.uuid(); });
  }

  const std::shared_ptr<gpu::Nvml>& nvml() {
    if (!nvml_) nvml_ = gpu::Nvml::open();
    return nvml_;
  }

  Loop& loop_;
  Guard& guard_;
  GetLedger ledger_;
  std::shared_ptr<gpu::Nvml> nvml_;
  std::map<std::uint64_t, std::function<Json()>> held_;
  std::uint64_t last_ = 0;
};

// The boxed engine's side.
auto restore_later(const ClientPtr& client, const Json& held) {
  return [client, held] { return client->wait_for("end", held).get<std::vector<std::string>>(); };
}

Op<Elsewhere::Leased> lease_elsewhere(ClientPtr client, Json what) {
  const Op<Json> asked = client->ask<Json>("lease", std::move(what));
  const Json answer = co_await asked;
  // Nobody waits for the end of a lease.
  const auto release = [client, held = answer.at("held")](void*) {
    try_to([&] { client->ask<Json>("end", held); });  // it ends with the broker, too
  };
  Elsewhere::Leased leased{answer.at("gpus"), answer.at("waited_s"), {nullptr, release}};
  co_return leased;
}

Elsewhere gpus_of(const ClientPtr& client) {
  Elsewhere elsewhere;
  elsewhere.lock = [client](const Elsewhere::Uuids& gpus, const gpu::ClockRequest& wanted) {
    const Json answer = client->wait_for("lock", {{"gpus", gpus}, {"sm", wanted.sm}, {"mem", wanted.mem}});
    return Elsewhere::Locked{answer.at("plans"), restore_later(client, answer.at("held"))};
  };
  elsewhere.lease = [client](const Elsewhere::Uuids& gpus, std::size_t count, std::optional<double> patience_s) {
    return lease_elsewhere(client, {{"gpus", gpus}, {"count", count}, {"patience_s", patience_s}});
  };
  elsewhere.monitor = [client](const Elsewhere::Uuids& gpus, double period_s) -> gpu::StopMonitor {
    const Json held = client->wait_for("monitor", {{"gpus", gpus}, {"period_s", period_s}}).at("held");
    return [client, held] { return client->wait_for("end", held).get<std::vector<gpu::Summary>>(); };
  };
  return elsewhere;
}

}  // namespace

void add_settings(Requests& requests, Loop& loop, Guard& guard, GetLedger ledger) {
  const auto all = std::make_shared<Settings>(loop, guard, std::move(ledger));
  requests["lease"] = [all](const Request& request) { return all->lease(request.what()); };
  const auto add = [&](const std::string& name, Json (Settings::*get)(const Json&)) {
    requests[name] = [all, get](const Request& request) { return answer(((*all).*get)(request.what())); };
  };
  add("lock", &Settings::lock);
  add("monitor", &Settings::monitor);
  add("tune", &Settings::tune);
  add("end", &Settings::end);
}

void use_broker_for_settings(const ClientPtr& client) {
  gpu::elsewhere() = gpus_of(client);
  machine::tune_elsewhere([client](const machine::Wanted& wanted) {
    const Json answer = client->wait_for("tune", wanted);
    return machine::Tuning{answer.at("record"), answer.at("given"), restore_later(client, answer.at("held"))};
  });
}

}  // namespace reg::broker
