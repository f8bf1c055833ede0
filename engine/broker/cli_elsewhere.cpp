#include "engine/broker/cli_elsewhere.h"

#include <nlohmann/json.hpp>

#include "engine/broker/container_wire.h"
#include "engine/container/cli.h"
#include "engine/container/needs.h"
#include "engine/container/runtimes.h"
#include "engine/loop/coroutine.h"

namespace reg::broker {
namespace {

using container::Dialect;
using container::Found;
using container::ImageFacts;
using container::Result;

Nothing nothing_from(const Json&) { return {}; }

class CliElsewhere : public container::Cli {
 public:
  CliElsewhere(std::shared_ptr<Client> client, Loop& loop, Guard& guard, const Dialect& dialect)
      : Cli(loop, guard, dialect), client_(std::move(client)) {}

 protected:
  Op<std::string> version() override {
    return ask<std::string>("version", nullptr, [](const Json& json) { return json.get<std::string>(); });
  }

  Op<std::optional<ImageFacts>> facts(std::string image) override {
    return ask<std::optional<ImageFacts>>("facts", image, [](const Json& json) {
      return json.is_null() ? std::nullopt : std::optional(facts_from(json));
    });
  }

  Op<Nothing> pull_now(std::string image) override { return ask<Nothing>("pull", image, nothing_from); }

  Op<std::optional<Found>> find_now(std::string image, bool created) override {
    return ask<std::optional<Found>>(created ? "find_created" : "find", image, [](const Json& json) {
      return json.is_null() ? std::nullopt : std::optional(Found{json.at(0), json.at(1)});
    });
  }

  Op<std::vector<std::string>> tags_now(std::string pattern) override {
    return ask<std::vector<std::string>>("tags", pattern,
                                         [](const Json& json) { return json.get<std::vector<std::string>>(); });
  }

  Op<bool> discard_now(std::string image) override {
    if (!admit(dialect().remove_image(image), {container::need_of_image(image)})) return settled(false);
    return ask<bool>("discard", image, [](const Json& json) { return json.get<bool>(); });
  }

  Op<Result> run_now(container::Spec spec) override {
    return ask_with_files<Result>("run", as_json(spec), spec, result_from);
  }

  Op<std::shared_ptr<Kept>> start_now(container::Spec spec, std::string) override {
    return ask<std::shared_ptr<Kept>>("start", as_json(spec), [](const Json& json) {
      return std::make_shared<Kept>(Kept{json.at("name"), json.at("id"), 0, {}, nullptr});
    });
  }

  Op<Result> exec_now(std::shared_ptr<Kept> kept, container::Exec command) override {
    return ask_with_files<Result>("exec", {{"name", kept->name}, {"command", as_json(command)}}, command, result_from);
  }

  Op<Nothing> restart_now(std::shared_ptr<Kept> kept) override {
    return ask<Nothing>("restart", kept->name, nothing_from);
  }

  Op<Nothing> remove(std::string container) override { return ask<Nothing>("remove", container, nothing_from); }

  // The broker does that.
  Op<Nothing> remove_left_behind() override { return settled(Nothing{}); }

 private:
  template <class T>
  static Op<T> settled(T value) {
    auto op = std::make_shared<Operation<T>>();
    op->resolve(std::move(value));
    return op;
  }

  Json request(const char* call, const Json& what) const {
    return {{"container", {{"runtime", name()}, {"call", call}, {"what", what}}}};
  }

  template <class T>
  Op<T> ask(const char* call, const Json& what, std::function<T(const Json&)> read) {
    return client_->ask<T>(request(call, what), std::move(read));
  }

  template <class T>
  Op<T> ask_with_files(const char* call, const Json& what, const container::Exec& command,
                       std::function<T(const Json&)> read) {
    Json message = request(call, what);
    const OutputFiles files(message, command.out_file, command.err_file);
    return client_->ask<T>(message, std::move(read), files.numbers());
  }

  std::shared_ptr<Client> client_;
};

}  // namespace

void use_broker_for_containers(const std::shared_ptr<Client>& client) {
  container::use_cli_elsewhere([client](Loop& loop, Guard& guard, const Dialect& dialect) {
    return std::make_shared<CliElsewhere>(client, loop, guard, dialect);
  });
}

}  // namespace reg::broker
