#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/broker/broker.h"
#include "engine/container/cli.h"
#include "engine/container/runtimes.h"
#include "engine/container/settings.h"

namespace reg::container {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Mount, host, inside, read_only)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Exec, argv, env, cwd, keep_bytes, loaded_below, timeout_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Found, digest, created)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImageFacts, id, digest, digests, env, entrypoint, cmd, labels, created, layers)
// Without the fields of its base and without settings().
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spec, image, mounts, init, installed, leased)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, REGENGINE_FIELDS_OF_OUTCOME, measured, image_digest, dry, installed)
}  // namespace reg::container

namespace reg::broker {
namespace {

using namespace container;

// All that a script decides of a container or a command in one, but the output files, which go as open files, and what
// the boxed engine does itself: measuring (Exec::usage) and pulling.
Json as_json(const Exec& command) { return {{"exec", command}, {"cpus_of_host", command.on_cpus}}; }

Json as_json(const Spec& spec) {
  Json json = as_json(static_cast<const Exec&>(spec));
  container::to_json(json["spec"], spec);
  for (const Setting& setting : settings()) json["settings"][setting.name] = setting.of(spec);
  return json;
}

// A word of a list that docker and podman split at commas.
void check_gpu(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return isalnum(c) != 0 || c == '-' || c == ':' || c == '.'; };
  if (!std::ranges::all_of(name, is_plain) || name.empty() || name.front() == '-')
    throw Error(ErrorKind::usage, "not a valid GPU: '" + printable(name) + "'");
}

// These throw usage for what the bindings and checks.cpp would refuse; checks.cpp itself is left to the runtime. The
// mounts of a spec are looked up anew.
void read_exec(const Json& json, Exec& command, const Request& request) {
  json.at("exec").get_to(command);
  json.at("cpus_of_host").get_to(command.on_cpus);
  command.keep_bytes = std::min(command.keep_bytes, kMostKept);
  command.out_file = request.file("out");
  command.err_file = request.file("err");
}

Spec spec_from(const Request& request) {
  const Json& json = request.what();
  Spec spec;
  container::from_json(json.at("spec"), spec);
  for (const Setting& setting : settings())
    setting.set(spec, json.at("settings").at(setting.name).get<std::vector<std::string>>());
  read_exec(json, spec, request);
  if (spec.leased)
    for (const auto* names : {&spec.leased->uuids, &spec.leased->indexes})
      std::for_each(names->begin(), names->end(), check_gpu);
  for (Mount& mount : spec.mounts) mount = parse_mount(mount.host, mount.inside + (mount.read_only ? ":ro" : ""));
  spec.pull = Pull::never;
  spec.pin_mounts = !spec.mounts.empty();
  return spec;
}

// The broker's side.
class Containers {
 public:
  Containers(Loop& loop, Guard& guard, GetLedger ledger)
      : runtimes_(std::make_shared<Runtimes>(loop, guard)), ledger_(std::move(ledger)) {}

  ~Containers() {
    kept_.clear();  // removes them
    for (auto& [runtime, change] : announced_) change.forget();
  }
  Containers(const Containers&) = delete;
  Containers& operator=(const Containers&) = delete;

  Runtime& named(const std::string& runtime) { return *runtimes_->named(runtime); }

  // If this process is killed, the guardian removes what is left.
  void announce(const std::string& runtime) {
    if (announced_.contains(runtime)) return;
    restore::Change& change = announced_[runtime];
    // Without a guardian, the next regengine does it.
    try_to([&] { change = ledger_().announce({kContainers, runtime, engine_id()}); });
  }

  Op<Json> run(Runtime& runtime, const Request& request) { return as_answer(runtime.run(spec_from(request))); }

  Op<Json> start(Runtime& runtime, const Request& request) {
    Spec spec = spec_from(request);
    const std::shared_ptr<Container> container = co_await runtime.start(std::move(spec));
    kept_[container->name()] = container;
    co_return Json{{"name", container->name()}, {"id", container->id()}};
  }

  Op<Json> exec(Runtime&, const Request& request) {
    Exec command;
    read_exec(request.what().at("command"), command, request);
    return while_kept(request.what().at("name"), [&](Container& one) { return one.exec(std::move(command)); });
  }

  Op<Json> restart(Runtime&, const Request& request) {
    return while_kept(request.what(), [](Container& one) { return one.restart(); });
  }

  Op<Json> remove(Runtime&, const Request& request) {
    const auto container = kept(request.what());
    kept_.erase(container->name());
    container->close();
    return answer(nullptr);
  }

 private:
  std::shared_ptr<Container> kept(const std::string& name) const {
    const auto found = kept_.find(name);
    if (found == kept_.end()) throw Error(ErrorKind::usage, "not a container of this script: " + name);
    return found->second;
  }

  template <class Work>
  Op<Json> while_kept(std::string name, Work work) const {
    const auto container = kept(name);
    const auto op = work(*container);
    co_return Json(co_await op);
  }

  std::shared_ptr<Runtimes> runtimes_;
  std::map<std::string, std::shared_ptr<Container>> kept_;
  GetLedger ledger_;
  std::map<std::string, restore::Change> announced_;  // by runtime
};

// The boxed engine's side.
class CliElsewhere : public Cli {
 public:
  CliElsewhere(std::shared_ptr<Client> client, Loop& loop, Guard& guard, const Dialect& dialect)
      : Cli(loop, guard, dialect), client_(std::move(client)) {}

  Op<std::string> check() override { return ask<std::string>("version", ""); }
  Op<bool> discard(std::string image) override {
    if (!admit(dialect().remove_image(image), {need_of_image(image)})) co_return false;
    const Op<bool> asked = ask<bool>("discard", image);
    co_return co_await asked;
  }

 protected:
  Op<std::optional<ImageFacts>> facts(std::string image) override {
    return ask<std::optional<ImageFacts>>("facts", image);
  }
  Op<Nothing> pull_now(std::string image) override { return ask<Nothing>("pull", image); }
  Op<std::optional<Found>> find_now(std::string image, bool created) override {
    return ask<std::optional<Found>>(created ? "find_created" : "find", image);
  }
  Op<std::vector<std::string>> tags_now(std::string pattern) override {
    return ask<std::vector<std::string>>("tags", pattern);
  }
  Op<Result> run_now(Spec spec) override { return ask<Result>("run", as_json(spec), spec); }
  Op<std::shared_ptr<Kept>> start_now(Spec spec, std::string) override {
    const Op<Json> asked = ask<Json>("start", as_json(spec));
    const Json json = co_await asked;
    co_return std::make_shared<Kept>(Kept{json.at("name"), json.at("id"), 0, {}, nullptr, 0});
  }
  Op<Result> exec_now(std::shared_ptr<Kept> kept, Exec command) override {
    return ask<Result>("exec", {{"name", kept->name}, {"command", as_json(command)}}, command);
  }
  Op<Nothing> restart_now(std::shared_ptr<Kept> kept) override { return ask<Nothing>("restart", kept->name); }
  Op<Nothing> remove(std::string container) override { return ask<Nothing>("remove", container); }

  // The broker does that.
  Op<Nothing> remove_left_behind() override { co_return; }

 private:
  template <class T>
  Op<T> ask(const std::string& name, const Json& what, const Exec& output = {}) {
    return client_->ask<T>(this->name() + "." + name, what, output);
  }

  std::shared_ptr<Client> client_;
};

}  // namespace

void add_containers(Requests& requests, Loop& loop, Guard& guard, GetLedger ledger) {
  const auto all = std::make_shared<Containers>(loop, guard, std::move(ledger));
  const auto add = [&](const std::string& name, auto answer) {
    for (const std::string program : {"docker", "podman"})
      requests[std::string(program).append(".").append(name)] = [all, program,
                                                                 answer](const Request& request) -> Op<Json> {
        Runtime& runtime = all->named(program);
        if constexpr (!std::is_member_function_pointer_v<decltype(answer)>)
          return as_answer(answer(runtime, request.what().get<std::string>()));
        else
          return all->announce(program), ((*all).*answer)(runtime, request);
      };
  };
  add("run", &Containers::run);
  add("start", &Containers::start);
  add("exec", &Containers::exec);
  add("restart", &Containers::restart);
  add("remove", &Containers::remove);
  add("version", [](Runtime& runtime, const std::string&) { return runtime.check(); });
  add("facts", [](Runtime& runtime, const std::string& image) { return dynamic_cast<Cli&>(runtime).look_up(image); });
  add("pull", [](Runtime& runtime, const std::string& image) { return runtime.pull(image); });
  add("find", [](Runtime& runtime, const std::string& image) { return runtime.find(image, false); });
  add("find_created", [](Runtime& runtime, const std::string& image) { return runtime.find(image, true); });
  add("tags", [](Runtime& runtime, const std::string& pattern) { return runtime.tags(pattern); });
  add("discard", [](Runtime& runtime, const std::string& image) { return runtime.discard(image); });
}

void use_broker_for_containers(const std::shared_ptr<Client>& client) {
  container::use_cli_elsewhere([client](Loop& loop, Guard& guard, const Dialect& dialect) {
    return std::make_shared<CliElsewhere>(client, loop, guard, dialect);
  });
}

}  // namespace reg::broker
