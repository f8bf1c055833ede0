#include "engine/broker/broker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/broker/wire.h"
#include "engine/process/effect.h"

namespace reg::broker {
namespace {

// The engine opened it to write, so that it could. By this name it is opened again, whatever lies at its path now; with
// the broker's rights, so that one which may only be read must not come here.
std::string path_of(const Message& message, const Json& request, const char* name) {
  if (!request.contains(name)) return {};
  const int file = message.files.at(request[name].get<std::size_t>()).get();
  const int flags = ::fcntl(file, F_GETFL);
  const int mode = flags & O_ACCMODE;  // 3 is one, too, for which Landlock asks nothing
  struct stat found {};
  if (flags < 0 || (flags & O_PATH) != 0 || (mode != O_WRONLY && mode != O_RDWR) || ::fstat(file, &found) != 0 ||
      !S_ISREG(found.st_mode))
    throw Error(ErrorKind::permission, "the command's file is not open to be written");
  return fmt::format("/proc/self/fd/{}", file);
}

// What only a permission of its own gives, and such scripts are not boxed.
void check_conditions(const process::Command& command) {
  if (command.conditions.nice.value_or(0) < 0) throw Error(ErrorKind::permission, "not permitted: a higher priority");
  if (command.count &&
      (command.count->type != process::kInstructions.type || command.count->config != process::kInstructions.config))
    throw Error(ErrorKind::permission, "not permitted: counting anything but instructions");
}

}  // namespace

Broker::Broker(Loop& loop, Policy& policy, Fd socket, std::vector<std::vector<std::string>> free)
    : loop_(loop),
      policy_(policy),
      channel_(std::make_shared<Channel>(loop, std::move(socket))),
      free_(std::move(free)) {
  channel_->listen([this](Message message) { handle(std::move(message)); }, [this] { end_everything(); });
}

void Broker::handle(Message message) {
  std::uint64_t id = 0;
  try {
    const Json request = unpack(message.text);
    if (request.contains("cancel")) {
      const auto found = running_.find(request["cancel"].get<std::uint64_t>());
      if (found != running_.end()) found->second->cancel();
      return;
    }
    id = request.at("id").get<std::uint64_t>();
    if (running_.contains(id)) throw Error(ErrorKind::usage, "a command of this number runs already");
    process::Command command = command_from(request.at("run"));
    check_conditions(command);
    for (auto& [inside, folder] : command.mounts) folder = real_path(folder);  // so that no link comes in between
    const Effect effect = process::effect_of(command);
    if (!is_free(command)) {
      policy_.permit(effect, false);
      command.bounds = policy_.bounds(effect);
    }
    const auto files = std::make_shared<Message>(std::move(message));
    command.out_file = path_of(*files, request, "out");
    command.err_file = path_of(*files, request, "err");
    run(id, std::move(command), files);
  } catch (const std::exception&) {
    refuse(id, std::current_exception());
  }
}

bool Broker::is_free(const process::Command& command) const {
  return command.env.empty() && command.unset.empty() && command.cwd.empty() && command.mounts.empty() &&
         std::find(free_.begin(), free_.end(), command.argv) != free_.end();
}

void Broker::run(std::uint64_t id, process::Command command, const std::shared_ptr<Message>& files) {
  const auto op = process::run(loop_, std::move(command));
  running_.emplace(id, op);
  op->then([this, id, op, files] { answer(id, op); });
}

void Broker::answer(std::uint64_t id, const Op<process::Outcome>& op) {
  running_.erase(id);
  try {
    channel_->send(pack({{"id", id}, {"outcome", as_json(op->take())}}));
  } catch (const std::exception&) {
    refuse(id, std::current_exception());
  }
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
