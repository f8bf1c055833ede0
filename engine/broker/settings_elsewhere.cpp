#include "engine/broker/settings_elsewhere.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/broker/setting_wire.h"
#include "engine/gpu/elsewhere.h"
#include "engine/machine/tuning.h"

namespace reg::broker {
namespace {

using gpu::Elsewhere;
using ClientPtr = std::shared_ptr<Client>;

Json request(const char* name, const Json& what) { return {{"setting", {{name, what}}}}; }

Json ask(const ClientPtr& client, const char* name, const Json& what) { return client->wait_for(request(name, what)); }

auto restore_later(const ClientPtr& client, const Json& held) {
  return [client, held] { return ask(client, "end", held).get<std::vector<std::string>>(); };
}

// Nobody waits for the end of a lease.
std::shared_ptr<void> lease_of(const ClientPtr& client, const Json& held) {
  const auto release = [client, held](void*) {
    try {
      client->ask<Json>(request("end", held), [](const Json& answer) { return answer; });
    } catch (const std::exception&) {
      // It ends with the broker.
    }
  };
  return {nullptr, release};
}

Elsewhere gpus_of(const ClientPtr& client) {
  Elsewhere elsewhere;
  elsewhere.lock = [client](const Elsewhere::Uuids& gpus, const auto& sm, const auto& memory) {
    const Json answer = ask(client, "lock", {{"gpus", gpus}, {"sm", as_text(sm)}, {"mem", as_text(memory)}});
    Elsewhere::Locked locked{{}, restore_later(client, answer.at("held"))};
    for (const Json& plan : answer.at("plans")) locked.plans.push_back(plan);
    return locked;
  };
  elsewhere.lease = [client](const Elsewhere::Uuids& gpus, std::size_t count, std::optional<double> patience_s) {
    Json asked{{"gpus", gpus}, {"count", count}};
    if (patience_s) asked["patience_s"] = *patience_s;
    return client->ask<Elsewhere::Leased>(request("lease", asked), [client](const Json& answer) {
      return Elsewhere::Leased{answer.at("gpus"), answer.at("waited_s"), lease_of(client, answer.at("held"))};
    });
  };
  elsewhere.monitor = [client](const Elsewhere::Uuids& gpus, double period_s) -> Elsewhere::Stop {
    const Json held = ask(client, "monitor", {{"gpus", gpus}, {"period_s", period_s}}).at("held");
    return [client, held] {
      std::vector<gpu::Summary> summaries;
      for (const Json& summary : ask(client, "end", held)) summaries.push_back(summary);
      return summaries;
    };
  };
  return elsewhere;
}

}  // namespace

void use_broker_for_settings(const ClientPtr& client) {
  gpu::use_elsewhere(gpus_of(client));
  machine::tune_elsewhere([client](const machine::Wanted& wanted) {
    const Json answer = ask(client, "tune", as_json(wanted));
    machine::TunedElsewhere tuned{{}, answer.at("given"), restore_later(client, answer.at("held"))};
    for (const Json& measure : answer.at("record")) tuned.record.push_back(measure);
    return tuned;
  });
}

void use_no_broker_for_settings() {
  gpu::use_elsewhere(std::nullopt);
  machine::tune_elsewhere(nullptr);
}

}  // namespace reg::broker
