#include "engine/broker/container_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/broker/container_wire.h"
#include "engine/broker/written.h"
#include "engine/container/cli.h"
#include "engine/loop/coroutine.h"

namespace reg::broker {

using container::Container;
using container::Runtime;

namespace {

template <class T>
Op<Json> as_answer(Op<T> op, std::shared_ptr<void> held, std::function<Json(const T&)> write) {
  const auto kept = std::move(held);
  co_return write(co_await op);
}

container::Spec pinned_spec(const Json& what) {
  container::Spec spec = spec_from(what);
  spec.pin_mounts = !spec.mounts.empty();
  return spec;
}

Json null_of(const Nothing&) { return nullptr; }

}  // namespace

ContainerRequests::ContainerRequests(Loop& loop, Policy& policy, std::function<restore::Ledger&()> ledger)
    : limits_(new Answered(policy)),
      guard_(std::unique_ptr<Policy>(limits_)),
      runtimes_(std::make_shared<container::Runtimes>(loop, guard_)),
      ledger_(std::move(ledger)) {}

ContainerRequests::~ContainerRequests() {
  kept_.clear();  // removes them
  for (auto& [runtime, change] : announced_) change.forget();
}

// If this process is killed, the guardian removes what is left.
void ContainerRequests::announce(const std::string& runtime) {
  if (announced_.contains(runtime)) return;
  try {
    announced_[runtime] = ledger_().announce({container::kContainers, runtime, engine_id()});
  } catch (const Error&) {
    announced_[runtime];  // without a guardian, the next regengine does
  }
}

void ContainerRequests::set_files(container::Exec& command, const Json& request, const Message& message) {
  command.out_file = written_file(message, request, "out");
  command.err_file = written_file(message, request, "err");
  std::set<std::string> files;
  for (const std::string& file : {command.out_file, command.err_file})
    if (!file.empty()) files.insert(real_path(file));
  limits_->set_files(std::move(files));
}

std::shared_ptr<Container> ContainerRequests::kept(const std::string& name) const {
  const auto found = kept_.find(name);
  if (found == kept_.end()) throw Error(ErrorKind::usage, "not a container of this script: " + name);
  return found->second;
}

// What it admits it admits before the first wait, so that the files are those of this request.
Op<Json> ContainerRequests::handle(const Json& request, const std::shared_ptr<Message>& message) {
  const Json& asked = request.at("container");
  const std::string call = asked.at("call"), name = asked.at("runtime");
  if (name != "docker" && name != "podman") throw Error(ErrorKind::usage, "not a container engine: " + name);
  const std::shared_ptr<Runtime> runtime = runtimes_->named(name);
  const Json& what = asked.at("what");
  limits_->set_files({});
  if (call == "run" || call == "start") announce(name);
  if (call == "run") {
    container::Spec spec = pinned_spec(what);
    set_files(spec, request, *message);
    return as_answer<container::Result>(runtime->run(std::move(spec)), message,
                                        [](const container::Result& result) { return as_json(result); });
  }
  if (call == "start") return start(runtime, pinned_spec(what));
  if (call == "exec") {
    container::Exec command = exec_from(what.at("command"));
    set_files(command, request, *message);
    const auto container = kept(what.at("name"));
    return as_answer<container::Result>(container->exec(std::move(command)), message,
                                        [container](const container::Result& result) { return as_json(result); });
  }
  if (call == "restart") return as_answer<Nothing>(kept(what)->restart(), kept(what), null_of);
  if (call == "remove") return remove(what);
  return image(*runtime, call, call == "version" ? "" : what.get<std::string>());
}

Op<Json> ContainerRequests::image(Runtime& runtime, const std::string& call, const std::string& name) {
  if (call == "version")
    return as_answer<std::string>(runtime.check(), nullptr, [](const std::string& version) { return Json(version); });
  if (call == "facts")
    return as_answer<std::optional<container::ImageFacts>>(
        dynamic_cast<container::Cli&>(runtime).look_up(name), nullptr,
        [](const std::optional<container::ImageFacts>& facts) { return facts ? as_json(*facts) : Json(); });
  if (call == "pull") return as_answer<Nothing>(runtime.pull(name), nullptr, null_of);
  if (call == "find" || call == "find_created")
    return as_answer<std::optional<container::Found>>(
        runtime.find(name, call == "find_created"), nullptr, [](const std::optional<container::Found>& found) {
          return found ? Json::array({found->digest, found->created}) : Json();
        });
  if (call == "tags")
    return as_answer<std::vector<std::string>>(runtime.tags(name), nullptr,
                                               [](const std::vector<std::string>& images) { return Json(images); });
  if (call == "discard") return as_answer<bool>(runtime.discard(name), nullptr, [](bool done) { return Json(done); });
  throw Error(ErrorKind::usage, "not a request to a container engine: " + call);
}

Op<Json> ContainerRequests::remove(std::string name) {
  const auto container = kept(name);
  kept_.erase(name);
  container->close();
  co_return nullptr;
}

Op<Json> ContainerRequests::start(std::shared_ptr<Runtime> runtime, container::Spec spec) {
  const std::shared_ptr<Container> container = co_await runtime->start(std::move(spec));
  kept_[container->name()] = container;
  co_return Json{{"name", container->name()}, {"id", container->id()}};
}

}  // namespace reg::broker
