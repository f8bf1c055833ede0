#include "engine/broker/container_wire.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/container/checks.h"
#include "engine/container/settings.h"

namespace reg::container {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Mount, host, inside, read_only)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Exec, argv, env, workdir, keep_bytes, loaded_below)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImageFacts, id, digest, digests, env, entrypoint, cmd, labels, created, layers)
// Without the fields of their bases and without settings().
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spec, image, mounts, init, installed, leased)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, measured, image_digest, dry, installed)
}  // namespace reg::container

namespace reg::broker {
namespace {

constexpr std::size_t kMostKept = std::size_t{64} << 20;

// A word of a list that docker and podman split at commas.
void check_gpu(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return isalnum(c) != 0 || c == '-' || c == ':' || c == '.'; });
  if (!plain || name.empty() || name.front() == '-')
    throw Error(ErrorKind::usage, "not a valid GPU: '" + printable(name) + "'");
}

void read_exec(const Json& json, container::Exec& command) {
  json.at("exec").get_to(command);
  command.conditions.cpus = json.at("cpus_of_host").get<std::vector<int>>();
  json.at("timeout_s").get_to(command.timeout_s);
  command.keep_bytes = std::min(command.keep_bytes, kMostKept);
}

}  // namespace

Json as_json(const container::Exec& command) {
  return {{"exec", command}, {"cpus_of_host", command.conditions.cpus}, {"timeout_s", command.timeout_s}};
}

Json as_json(const container::Spec& spec) {
  Json json = as_json(static_cast<const container::Exec&>(spec));
  container::to_json(json["spec"], spec);
  for (const container::Setting& setting : container::settings()) json["settings"][setting.name] = setting.of(spec);
  return json;
}

container::Exec exec_from(const Json& json) {
  container::Exec command;
  read_exec(json, command);
  return command;
}

container::Spec spec_from(const Json& json) {
  container::Spec spec;
  container::from_json(json.at("spec"), spec);
  for (const container::Setting& setting : container::settings())
    setting.set(spec, json.at("settings").at(setting.name).get<std::vector<std::string>>());
  read_exec(json, spec);
  if (spec.leased)
    for (const auto* names : {&spec.leased->uuids, &spec.leased->indexes})
      std::for_each(names->begin(), names->end(), check_gpu);
  for (container::Mount& mount : spec.mounts)
    mount = container::parse_mount(mount.host, mount.inside + (mount.read_only ? ":ro" : ""));
  spec.pull = container::Pull::never;
  return spec;
}

Json as_json(const container::Result& result) {
  Json json{{"outcome", static_cast<const process::Outcome&>(result)}};
  container::to_json(json["more"], result);
  return json;
}

container::Result result_from(const Json& json) {
  container::Result result;
  json.at("outcome").get_to(static_cast<process::Outcome&>(result));
  container::from_json(json.at("more"), result);
  return result;
}

Json as_json(const container::ImageFacts& facts) { return facts; }
container::ImageFacts facts_from(const Json& json) { return json; }

}  // namespace reg::broker
