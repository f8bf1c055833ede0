#include "engine/broker/broker.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/broker/written.h"
#include "engine/process/effect.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostRequests = 1000;

void check_counter(const process::Command& command) {
  if (command.count &&
      (command.count->type != process::kInstructions.type || command.count->config != process::kInstructions.config))
    throw Error(ErrorKind::permission, "not permitted: counting anything but instructions");
}

}  // namespace

Broker::Broker(Loop& loop, Policy& policy, Audit audit, Fd socket, std::function<restore::Ledger&()> ledger,
               std::string output)
    : loop_(loop),
      policy_(policy, std::move(audit)),
      channel_(std::make_shared<Channel>(loop, std::move(socket))),
      git_(loop, policy_),
      containers_(loop, policy_, ledger),
      settings_(loop, policy_, std::move(ledger)),
      output_(std::move(output)) {
  channel_->listen([this](Message message) { handle(std::move(message)); }, [this] { end_everything(); });
}

void Broker::handle(Message message) {
  std::uint64_t id = 0;
  try {
    if (message.text.starts_with(kText) && !output_.empty()) {
      const std::string_view sent = std::string_view(message.text).substr(kText.size());
      const auto end = std::from_chars(sent.data(), sent.data() + sent.size(), id).ptr;
      write_file(output_, sent.substr(std::min<std::size_t>(sent.size(), end - sent.data() + 1)));
      return channel_->send(pack({{"id", id}, {"result", nullptr}}));
    }
    const Json request = unpack(message.text);
    if (request.contains("cancel")) {
      const auto found = running_.find(request["cancel"].get<std::uint64_t>());
      if (found != running_.end()) found->second->cancel();
      return;
    }
    if (request.contains("audit")) return policy_.tell(request["audit"]);
    id = request.at("id").get<std::uint64_t>();
    if (running_.contains(id)) throw Error(ErrorKind::usage, "a request of this number is under way already");
    if (running_.size() >= kMostRequests) throw Error(ErrorKind::usage, "too many requests at the same time");
    start(id, request, std::move(message));
  } catch (const std::exception&) {
    refuse(id, std::current_exception());
  }
}

void Broker::start(std::uint64_t id, const Json& request, Message message) {
  if (request.contains("git"))
    return follow(id, git_.handle(request["git"]), [](const Json& result) { return result; });
  if (request.contains("setting"))
    return follow(id, settings_.handle(request["setting"]), [](const Json& result) { return result; });
  const auto files = std::make_shared<Message>(std::move(message));
  if (request.contains("container"))
    return follow(id, containers_.handle(request, files), [](const Json& result) { return result; });
  follow(id, run(request, files), [files](const process::Outcome& outcome) { return as_json(outcome); });
}

Op<process::Outcome> Broker::run(const Json& request, const std::shared_ptr<Message>& message) {
  process::Command command = command_from(request.at("run"));
  check_counter(command);
  if (!output_.empty() && command.argv != std::vector<std::string>{"xdg-open", output_})
    throw Error(ErrorKind::permission, "not permitted: running anything but xdg-open of the output");
  settings_.check(command.conditions);
  for (auto& [inside, folder] : command.mounts) folder = real_path(folder);  // so that no link comes in between
  const Effect effect = process::effect_of(command);
  policy_.permit(effect, false);
  command.bounds = policy_.bounds(effect);
  command.out_file = written_file(*message, request, "out");
  command.err_file = written_file(*message, request, "err");
  return process::run(loop_, std::move(command));
}

// `write`: the result as it is sent; it holds what the work needs until then.
template <class T, class Write>
void Broker::follow(std::uint64_t id, const Op<T>& op, Write write) {
  running_.emplace(id, op);
  op->then([this, id, op, write = std::move(write)] {
    running_.erase(id);
    try {
      channel_->send(pack({{"id", id}, {"result", write(op->take())}}));
    } catch (const std::exception&) {
      refuse(id, std::current_exception());
    }
  });
}

void Broker::refuse(std::uint64_t id, const std::exception_ptr& error) {
  channel_->send(pack({{"id", id}, {"error", as_json(error)}}));
}

void Broker::end_everything() {
  gone_ = true;
  const auto running = running_;
  for (const auto& [id, op] : running) op->cancel();
}

}  // namespace reg::broker
