#include "engine/broker/broker.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/broker/written.h"
#include "engine/process/command.h"

namespace reg::broker {
namespace {

constexpr std::size_t kMostRequests = 1000;

void check_counter(const process::Command& command) {
  if (command.count &&
      (command.count->type != process::kInstructions.type || command.count->config != process::kInstructions.config))
    throw Error(ErrorKind::permission, "not permitted: counting anything but instructions");
}

// Takes a number and the space behind it from the text's head.
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(std::min<std::size_t>(text.size(), end - text.data() + 1));
  return number;
}

}  // namespace

Broker::Broker(Loop& loop, Policy& policy, Audit audit, Fd socket, std::function<restore::Ledger&()> ledger,
               std::vector<std::string> outputs, Write write)
    : loop_(loop),
      policy_(policy, std::move(audit)),
      channel_(std::make_shared<Channel>(loop, std::move(socket))),
      git_(loop, policy_),
      containers_(loop, policy_, ledger),
      settings_(loop, policy_, std::move(ledger)),
      outputs_(std::move(outputs)),
      write_(std::move(write)) {
  channel_->listen([this](Message message) { handle(std::move(message)); }, [this] { end_everything(); });
}

void Broker::handle(Message message) {
  std::uint64_t id = 0;
  try {
    if (message.text.starts_with(kText) && !outputs_.empty()) {
      std::string_view sent = std::string_view(message.text).substr(kText.size());
      id = take_number(sent);
      const std::uint64_t output = take_number(sent);
      write_(outputs_.at(output), sent);
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
  if (request.contains("git")) return follow(id, git_.handle(request["git"]));
  if (request.contains("setting")) return follow(id, settings_.handle(request["setting"]));
  const auto files = std::make_shared<Message>(std::move(message));
  if (request.contains("container")) return follow(id, containers_.handle(request, files));
  follow(id, run(request, files), files);
}

Op<process::Outcome> Broker::run(const Json& request, const std::shared_ptr<Message>& message) {
  process::Command command = command_from(request.at("run"));
  check_counter(command);
  using Words = std::vector<std::string>;
  if (!outputs_.empty() && command.argv != Words{"xdg-open", outputs_.front()} &&
      command.argv != Words{"gnuplot", "-d", "-"})
    throw Error(ErrorKind::permission, "not permitted: running anything but gnuplot and xdg-open of the output");
  settings_.check(command.conditions);
  for (auto& [inside, folder] : command.mounts) folder = real_path(folder);  // so that no link comes in between
  const Effect effect = process::effect_of(command);
  policy_.permit(effect, false);
  command.bounds = policy_.bounds(effect);
  command.out_file = written_file(*message, request, "out");
  command.err_file = written_file(*message, request, "err");
  return process::run(loop_, std::move(command));
}

// `held`: what the work needs.
template <class T>
void Broker::follow(std::uint64_t id, const Op<T>& op, const std::shared_ptr<void>& held) {
  running_.emplace(id, op);
  op->then([this, id, op, held] {
    running_.erase(id);
    try {
      channel_->send(pack({{"id", id}, {"result", op->take()}}));
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
